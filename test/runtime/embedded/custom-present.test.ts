/** A message about a custom event is built with the patterns of the config, when it is sent. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { jobFor } from '../../../core/ports/queue.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { startReceiver } from '../../manage/api-world.ts';
import { delivery, event, NOON, snapshot, subscription } from '../../samples.ts';

let receiver: Awaited<ReturnType<typeof startReceiver>>;
let embedded: Embedded;

beforeEach(async () => {
  receiver = await startReceiver();
  const config = parseTree(
    'test',
    {
      source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
      customEvents: [
        { type: 'task.in_review', meaning: 'Waiting for review:', when: { after: { status: ['In Review'] } } },
      ],
    },
    {},
  );
  const options = { config, environment: { CHAT: receiver.url }, holder: 'test', random: () => 0.5 };
  embedded = await openEmbedded({ ...options, database: openDatabase(':memory:'), clock: { now: () => NOON } });
  const to = { channel: 'mattermost', settings: { webhook: '${CHAT}' } };
  await embedded.subscriptions.save(subscription('chat', { declared: false, to, events: ['task.*'] }));
});

afterEach(async () => {
  await embedded.close();
  await receiver.stop();
});

/** Sends the message about a task that was in review, and has this status by now. */
async function send(id: string, status: string): Promise<readonly string[]> {
  const record = { ...snapshot(id).record, status: 'In Review' };
  await embedded.snapshots.commit([{ snapshot: snapshot(id, { version: 1, record }), expected: 0 }]);
  await embedded.snapshots.commit([
    { snapshot: snapshot(id, { version: 2, record: { ...record, status } }), expected: 1 },
  ]);
  const sample = event(id);
  const data = { ...sample.data, version: 1, record, details: { meaning: 'Waiting for review:' } };
  const open = delivery(id, 'chat', { createdAt: NOON, dueAt: NOON });
  await embedded.events.record([{ event: { ...sample, type: 'task.in_review', data }, deliveries: [open] }]);
  await embedded.queue.send([jobFor(open)], NOON);
  await deliverAll(embedded, {});
  expect((await embedded.deliveries.get(open.id))?.status).toBe('settled');
  return receiver.received.map(({ body }) => body);
}

it('leaves out a task that is not in the state any more, and sends one that is', async () => {
  expect(await send('1', 'Done')).toEqual([]);
  expect(await send('2', 'In Review')).toEqual([expect.stringContaining('Waiting for review:')]);
});
