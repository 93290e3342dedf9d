/** Many subscriptions of one key, all of them slow: they delay neither those of another key nor those of the operator. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { TICK_BATCH, tick } from '../../../core/delivery/tick.ts';
import { type Delivery, openDelivery } from '../../../core/model/delivery.ts';
import { fromMillis, type Instant, MINUTE } from '../../../core/model/time.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import type { NewJob } from '../../../core/ports/queue.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { CONCURRENCY, type Embedded, openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { serve } from '../../../runtime/embedded/serve.ts';
import { systemClock } from '../../../runtime/system-clock.ts';
import { event, SECRET, snapshot, subscription } from '../../samples.ts';

/** Far more than all attempts that may be in flight. */
const MANY = 1000;
const PATIENCE = { timeout: 60_000, interval: 20 };

let folder: string;
let embedded: Embedded;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-owners-'));
  const database = openDatabase(join(folder, 'tidings.db'));
  const stores = sqliteStores(database);
  const to = { channel: 'http', settings: { url: 'https://slow.example.com/', secret: SECRET } };
  const own = { events: ['task.created'], to, declared: false };
  // Before and after the names of the others, whatever the order in which they are served.
  for (let index = 0; index < MANY; index++) {
    const name = `${index % 2 === 0 ? 'a' : 'z'}-${index}`;
    await stores.subscriptions.save(subscription(name, { ...own, owner: 'greedy' }));
  }
  await stores.subscriptions.save(subscription('other-key', { ...own, owner: 'modest' }));
  const config = {
    source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
    subscriptions: [
      { name: 'operator', events: ['task.created'], to: { http: { url: 'https://ops.example.com/', secret: SECRET } } },
    ],
  };
  embedded = await openEmbedded({
    config: parseConfig('test.json', JSON.stringify(config), {}),
    ...{ database, environment: {}, clock: systemClock, holder: 'test', random: () => 0.5 },
  });
});

afterEach(async () => {
  await embedded.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a thousand subscriptions of one key whose receivers do not answer', () => {
  it('leave room for every event of the others', async () => {
    const received: string[] = [];
    let hanging = 0;
    let mostHanging = 0;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const send = async ({ subscription: { name, owner }, events }: OutboundMessage) => {
      if (owner !== 'greedy') received.push(`${name} ${events[0].subject}`);
      else {
        hanging += 1;
        mostHanging = Math.max(mostHanging, hanging);
        await released;
        hanging -= 1;
      }
      return { status: 204 };
    };
    const stop = new AbortController();
    const serving = serve({ ...embedded, channelFor: () => ({ send }) }, {}, stop.signal);
    for (const id of ['1', '2', '3']) {
      const committedAt = systemClock.now();
      await embedded.snapshots.commit([{ snapshot: snapshot(id, { committedAt }), expected: 0 }]);
      await vi.waitFor(
        () => expect(received).toEqual(expect.arrayContaining([`operator task/${id}`, `other-key task/${id}`])),
        PATIENCE,
      );
      // They come after the others, and use what they may, and no more: others find the same room.
      await vi.waitFor(() => expect(mostHanging).toBeGreaterThan(CONCURRENCY / 4), PATIENCE);
    }
    expect(received).toHaveLength(6);
    expect(mostHanging).toBeLessThanOrEqual(CONCURRENCY / 2);
    stop.abort();
    release();
    await serving;
  });
});

it('a long backlog of one key does not delay the retries of others, and is queued itself', async () => {
  const now = Date.now();
  const ago = (minutes: number) => fromMillis(now - minutes * MINUTE);
  const one = event('1');
  const owe = (id: string, name: string, dueAt: Instant): Delivery => ({
    ...openDelivery(one, name, ago(90)),
    id: `dlv_${id}`,
    status: 'pending',
    dueAt,
  });
  const greedy = Array.from({ length: 5000 }, (_, index) => owe(`g${index}`, `a-${2 * (index % 400)}`, ago(60)));
  const others = ['operator', 'other-key'].flatMap((name) =>
    Array.from({ length: 15 }, (_, index) => owe(`${name}${index}`, name, ago(1))),
  );
  await embedded.events.record([{ event: one, deliveries: [...greedy, ...others] }]);
  const queued: string[] = [];
  const send = async (jobs: readonly NewJob[]) => {
    for (const job of jobs) queued.push(job.group);
  };
  const ports = { ...embedded, queue: { ...embedded.queue, send } };
  expect(await tick(ports)).toBe(TICK_BATCH);
  for (const name of ['operator', 'other-key']) expect(queued.filter((group) => group === name)).toHaveLength(15);
  while ((await tick(ports)) > 0);
  expect(queued).toHaveLength(greedy.length + others.length);
});
