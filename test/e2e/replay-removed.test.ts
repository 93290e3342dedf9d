/** `tidings replay --to`: the events that a removed subscription did not get go to another one. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { openDelivery } from '../../core/model/delivery.ts';
import { systemClock } from '../../runtime/system-clock.ts';
import { runCommand } from '../cli/run-command.ts';
import { event, SECRET, subscription } from '../samples.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let folder: string;
let receiver: Receiver;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-removed-'));
  receiver = await startReceiver(SECRET);
});
afterEach(async () => {
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
});

it('names what a removed subscription did not get, and sends it to another one', async () => {
  const data = join(folder, 'data');
  const database = openDatabase(join(data, 'tidings.db'));
  const { events, subscriptions } = sqliteStores(database);
  await subscriptions.applyDeclared([subscription('old')]);
  const now = systemClock.now();
  await events.record(
    ['1', '2', '3'].map((id) => {
      const one = event(id, { id: `evt_${id.padStart(32, '0')}` });
      return { event: one, deliveries: [{ ...openDelivery(one, 'old', now), status: 'held', dueAt: null }] };
    }),
  );
  database.close();
  const config = join(folder, 'tidings.json');
  const target = { name: 'new', events: ['task.created'], to: { http: { url: receiver.url, secret: '${OPS}' } } };
  const settings = {
    source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    subscriptions: [target],
  };
  writeFileSync(config, JSON.stringify(settings));
  const run = (...argv: string[]) =>
    runCommand([...argv, '--config', config, '--data', data], { environment: { OPS: SECRET } });
  expect((await run('check')).stdout).toContain("3 unsent deliveries of 'old' will be dropped: set renamedFrom: old");
  const { code, stderr, stdout } = await run('replay', '--subscription', 'old', '--to', 'new');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('3 events') });
  expect(stderr).toContain("dropped 3 unsent deliveries of 'old'");
  expect(receiver.events.map(({ id }) => id.slice(-1)).toSorted()).toEqual(['1', '2', '3']);
});
