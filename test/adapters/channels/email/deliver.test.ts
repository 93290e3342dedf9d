/** The channel with `deliver`: the reached readers are stored with each attempt, across restarts and retries. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emailChannels } from '../../../../adapters/channels/email/channel.ts';
import type { EmailSettings } from '../../../../adapters/channels/email/settings.ts';
import { smtpTransport } from '../../../../adapters/channels/email/smtp.ts';
import { channelRegistry } from '../../../../adapters/channels/registry.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { type Database, openDatabase } from '../../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../../adapters/sqlite/stores.ts';
import type { DeliverPorts } from '../../../../core/delivery/deliver.ts';
import { changeHealth } from '../../../../core/delivery/receivers/subscription-state.ts';
import { mute } from '../../../../core/delivery/signing/unsubscribe.ts';
import { type Delivery, openDelivery } from '../../../../core/model/delivery.ts';
import { fixedClock } from '../../../../core/model/time.ts';
import { type Mailbox, startMailbox } from '../../../../simulator/mailbox/mailbox.ts';
import { deliverJob } from '../../../deliver-job.ts';
import { example, LINKS, peopleSubscription } from '../../../pictures/sample-messages.ts';
import { NOON } from '../../../samples.ts';

const secrets = localSecrets({ environment: {}, directory: '' });
const to = ['ann@example.com', 'ben@example.com', 'zoe@example.com'];
const closed = example('task.closed');

let mailbox: Mailbox;
let db: Database;
let close: (() => Promise<void>) | undefined;

/** The ports of a newly started process. */
function ports(): DeliverPorts {
  const transport = smtpTransport({ url: mailbox.smtpUrl, secrets, timeout: 20_000 });
  const channels = emailChannels({ mail: { from: 'tidings@example.com' }, transport, links: LINKS, secrets });
  close = () => channels.close();
  return {
    ...sqliteStores(db),
    snapshots: sqliteSnapshotStore(db),
    channels: channelRegistry,
    channelFor: (target) => {
      if (target.channel === 'email') return channels.channelFor(target.settings as EmailSettings);
      throw new Error('only mail here');
    },
    clock: fixedClock(NOON),
    random: () => 0.5,
    zoneOf: async () => 'UTC',
  };
}

async function attempt(delivery: Delivery, number: number) {
  const made = await deliverJob(ports(), {
    kind: 'attempt',
    delivery: delivery.id,
    attempt: number,
    group: delivery.subscription,
  });
  await close?.();
  return made;
}

let delivery: Delivery;

beforeEach(async () => {
  mailbox = await startMailbox();
  db = openDatabase(':memory:');
  const stores = sqliteStores(db);
  await stores.subscriptions.applyDeclared([
    peopleSubscription('team', { to: { channel: 'email', settings: { to } } }),
  ]);
  delivery = openDelivery(closed, 'team', NOON);
  await stores.events.record([{ event: closed, deliveries: [delivery] }]);
});

afterEach(async () => {
  await mailbox.close();
  db.close();
});

const readers = () => mailbox.mails.map(({ envelope }) => envelope.to.join());

describe('a delivery to several readers', () => {
  it('reaches each reader once over three attempts in three processes', async () => {
    const later = { code: 450, text: 'mailbox busy' };
    mailbox.setFaults({ recipients: { 'ben@example.com': later, 'zoe@example.com': later } });
    const first = await attempt(delivery, 1);
    expect(first?.attempt).toMatchObject({
      outcome: 'retry',
      code: 'TIDINGS_MAIL_DEFERRED',
      status: 450,
      reached: ['ann@example.com'],
    });
    mailbox.setFaults({ recipients: { 'ben@example.com': later } });
    const second = await attempt(delivery, 2);
    expect(second?.attempt).toMatchObject({ outcome: 'retry', reached: ['zoe@example.com'] });
    mailbox.setFaults({});
    const third = await attempt(delivery, 3);
    expect(third?.delivery.status).toBe('settled');
    expect(readers()).toEqual(['ann@example.com', 'zoe@example.com', 'ben@example.com']);
    expect(third?.delivery.attempts.map(({ reached }) => reached)).toEqual([
      ['ann@example.com'],
      ['zoe@example.com'],
      undefined,
    ]);
  });

  it('skips readers who unsubscribed in the meantime', async () => {
    mailbox.setFaults({ recipients: { 'ben@example.com': { code: 450, text: 'busy' } } });
    await attempt(delivery, 1);
    mailbox.setFaults({});
    await changeHealth(ports(), 'team', 'person', (before) => mute(before, 'ben@example.com', false));
    await close?.();
    const second = await attempt(delivery, 2);
    expect(second?.attempt).toMatchObject({ outcome: 'accepted', body: 'all remaining readers already have the mail' });
    expect(readers()).toEqual(['ann@example.com', 'zoe@example.com']);
  });

  it('sends a duplicate with the same message id when the reply of the server was lost', async () => {
    mailbox.setFaults({ drop: 'thanks' });
    expect((await attempt(delivery, 1))?.attempt).toMatchObject({ outcome: 'retry', code: 'TIDINGS_MAIL_UNREACHABLE' });
    mailbox.setFaults({});
    await attempt(delivery, 2);
    expect(readers()).toEqual(['ann@example.com', ...to]);
    const [one, two] = mailbox.mails.map(({ parsed }) => parsed.messageId);
    expect(one).toBe(two);
  });
});
