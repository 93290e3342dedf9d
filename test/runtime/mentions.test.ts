/** Every chat mentions the people concerned, by mail address or name, through the stores and the senders of the embedded mode. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { channelRegistry, openChannels } from '../../adapters/channels/registry.ts';
import { openHttpTransport } from '../../adapters/http/http-transport.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { fixedClock } from '../../core/model/time.ts';
import { parseTree } from '../../runtime/config/load.ts';
import { assigned, CHATS, EXPECTED, peopleSnapshots, startMentioningChats } from '../chats/mentioning-chats.ts';
import { deliverJob } from '../deliver-job.ts';
import { delivery, NOON } from '../samples.ts';

let chats: Awaited<ReturnType<typeof startMentioningChats>>;
beforeEach(async () => {
  chats = await startMentioningChats();
});
afterEach(() => chats.close());

it('mentions people by address, and by a name that only one person of the account has', async () => {
  const config = parseTree(
    'tidings.yaml',
    {
      source: { baseUrl: 'http://127.0.0.1:1', token: 'x', timeZone: 'UTC' },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      subscriptions: chats.subscriptions,
    },
    chats.secrets,
  );
  const stores = sqliteStores(openDatabase(':memory:'));
  const secrets = {
    resolve: async (reference: string) =>
      Object.entries(chats.secrets).find(([name]) => reference === `\${${name}}`)?.[1] ?? reference,
    keep: async (_name: string, secret: string) => secret,
  };
  const channels = openChannels({ config, secrets, http: openHttpTransport({ allow: ['127.0.0.0/8'] }) });
  const ports = {
    ...stores,
    feed: stores.snapshots,
    clock: fixedClock(NOON),
    random: () => 0.5,
    zoneOf: async () => 'UTC',
    channels: channelRegistry,
    channelFor: channels.channelFor,
  };
  try {
    await stores.subscriptions.applyDeclared([...config.subscriptions]);
    await stores.snapshots.commit(peopleSnapshots().map((snapshot) => ({ snapshot, expected: 0 })));
    const open = CHATS.map((name) => delivery('1', name));
    await stores.events.record([{ event: assigned(), deliveries: open }]);
    for (const { id, subscription } of open)
      expect(await deliverJob(ports, { kind: 'attempt', delivery: id, attempt: 1, group: subscription })).toMatchObject(
        { delivery: { status: 'settled' } },
      );
    expect(chats.notified()).toEqual(EXPECTED);
  } finally {
    await channels.close();
  }
});
