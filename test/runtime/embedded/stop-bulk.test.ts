/** A stop during a bulk edit with many subscriptions of a key: it waits for one write, and nothing is lost or sent twice. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { serve } from '../../../runtime/embedded/serve.ts';
import { systemClock } from '../../../runtime/system-clock.ts';
import { SECRET, snapshot, subscription } from '../../samples.ts';

const SUBSCRIPTIONS = 60;
const RECORDS = 100;

let folder: string;
let embedded: Embedded;
let sent: string[];

async function open(): Promise<void> {
  const config = { source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' } };
  const opened = await openEmbedded({
    config: parseConfig('test.json', JSON.stringify(config), {}),
    database: openDatabase(join(folder, 'tidings.db')),
    ...{ environment: {}, clock: systemClock, holder: 'test', random: () => 0.5 },
  });
  const send = async ({ delivery }: OutboundMessage) => {
    sent.push(delivery);
    return { status: 204 };
  };
  embedded = { ...opened, channelFor: () => ({ send }) };
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-stop-bulk-'));
  sent = [];
  const database = openDatabase(join(folder, 'tidings.db'));
  const to = { channel: 'http', settings: { url: 'https://hooks.example.com/', secret: SECRET } };
  const { subscriptions } = sqliteStores(database);
  for (let index = 0; index < SUBSCRIPTIONS; index++)
    await subscriptions.save(
      subscription(`one-${index}`, { events: ['task.created'], to, declared: false, owner: 'key', concurrency: 50 }),
    );
  database.close();
  await open();
});

afterEach(async () => {
  await embedded.close();
  rmSync(folder, { recursive: true, force: true });
});

it('ends after one more write, and the next start completes the edit', async () => {
  const committedAt = systemClock.now();
  const records = Array.from({ length: RECORDS }, (_, index) => snapshot(String(index), { committedAt }));
  await embedded.snapshots.commit(records.map((one) => ({ snapshot: one, expected: 0 })));
  const stop = new AbortController();
  let writes = 0;
  const recordAndSend: Embedded['recordAndSend'] = async (...recorded) => {
    writes += 1;
    // The first one is for subscriptions of keys that have few.
    if (writes === 2) stop.abort();
    await embedded.recordAndSend(...recorded);
  };
  await serve({ ...embedded, recordAndSend }, {}, stop.signal);
  expect(writes).toBe(2);
  await embedded.close();

  await open();
  const again = new AbortController();
  const total = SUBSCRIPTIONS * RECORDS;
  const watcher = {
    delivered: () => {
      if (new Set(sent).size >= total) again.abort();
    },
  };
  await serve(embedded, watcher, again.signal);
  expect(sent).toHaveLength(total);
  expect(new Set(sent).size).toBe(total);
  expect(await embedded.feed.read('announce', 1)).toEqual([]);
});
