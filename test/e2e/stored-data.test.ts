/**
 * Stored records and events of the first API are the same bytes as those that version 1.0.0 wrote
 * (`fixtures/data-1.0.0.db.gz`, with the acts of upgrade-world.ts): receivers and stored data depend on both.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../cli/run-command.ts';
import { makeChanges, openUpgradeWorld, type UpgradeWorld } from './upgrade-world.ts';

let folder: string;
let world: UpgradeWorld;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-stored-'));
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  world = await openUpgradeWorld(folder);
  world.refuse('/flaky');
});

afterEach(async () => {
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

const dataFile = () => join(folder, 'data/tidings.db');

function writeFixture(file: string): void {
  const fixture = readFileSync(join(import.meta.dirname, 'fixtures/data-1.0.0.db.gz'));
  writeFileSync(file, gunzipSync(fixture), { mode: 0o600 });
}

async function runOnceAt(instant: string, ...argv: string[]) {
  world.simulator.account.clock.set(instant);
  const where = ['--config', world.config, '--data', join(folder, 'data')];
  const { code, stdout } = await runCommand(['once', ...where, '--at', instant, '--json', ...argv]);
  expect(code).toBe(0);
  return JSON.parse(stdout) as { events: unknown[]; scans: unknown[] };
}

/** Not the account itself: it has the address of the simulator, which differs in each run. */
function readRows(file: string) {
  const database = new DatabaseSync(file);
  const read = (sql: string) => database.prepare(sql).all();
  const rows = {
    records: read(
      "SELECT * FROM snapshots WHERE source = 'main' AND resource <> 'account' ORDER BY source, resource, id",
    ),
    events: read('SELECT * FROM events ORDER BY id'),
    deliveries: read('SELECT * FROM delivery_events ORDER BY 1, 2'),
  };
  database.close();
  return rows;
}

it('writes the same records and events as version 1.0.0 did', async () => {
  await runOnceAt('2026-03-02T09:00:00.000Z');
  makeChanges(world.simulator);
  await runOnceAt('2026-03-02T09:40:00.000Z');
  const old = join(folder, 'old.db');
  writeFixture(old);
  const expected = readRows(old);
  expect(expected.records.length).toBeGreaterThan(90);
  expect(expected.events).toHaveLength(12);
  expect(readRows(dataFile())).toEqual(expected);
});

it('rewrites nothing of a data file of version 1.0.0 when every record is read again', async () => {
  writeFixture(dataFile());
  const before = readRows(dataFile());
  makeChanges(world.simulator);
  const report = await runOnceAt('2026-03-02T09:50:00.000Z', '--sweep');
  expect(report.events).toEqual([]);
  expect(report.scans.length).toBeGreaterThan(5);
  expect(readRows(dataFile())).toEqual(before);
});
