/**
 * Sending an event again, ended at each of its writes: nobody but the chosen reader ever gets it, and the repeated action
 * sends it to this reader once.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { SECOND } from '../../core/model/time.ts';
import { dataFileOf } from '../../runtime/embedded/data-directory.ts';
import { type PeopleWorld, startPeopleWorld } from '../console/people-world.ts';
import { installKillSwitch, type KillSwitch } from './kill-switch.ts';

let folder: string;
let world: PeopleWorld;
let killSwitch: KillSwitch;
let event: string;
beforeEach(async () => {
  // Hono prints the errors of requests whose process ends.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  folder = mkdtempSync(join(tmpdir(), 'tidings-resend-'));
  world = await startPeopleWorld({ database: openDatabase(dataFileOf(folder)) });
  event = await world.closeTask('7');
  killSwitch = installKillSwitch(dataFileOf(folder));
  world.mailbox.clear();
});
afterEach(async () => {
  vi.restoreAllMocks();
  killSwitch.close();
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What waits is attempted, also what a process that ended has left. */
async function settle(): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    world.advance(31 * SECOND);
    await world.pump();
  }
}

/** The form of the reader's row, or the request of a program; each can be repeated. */
async function actions(round: number): Promise<Readonly<Record<string, () => Promise<{ readonly status: number }>>>> {
  const browser = await world.logInAs();
  const page = (await browser.get(`/console/events/${event}`)).text;
  const [row = ''] = /<form[^>]*\/resend"(?:(?!<\/form>).)*to Ben Cole.*?<\/form>/s.exec(page) ?? [];
  const pairs = [...row.matchAll(/name="(\w+)" value="([^"]*)"/g)];
  const fields = Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
  const key = { headers: { 'idempotency-key': `resend-${round}` } };
  return {
    console: () => browser.post(`/console/events/${event}/resend`, fields),
    api: () => world.ask('POST', '/subscriptions/assignees/replay', { event, person: 'main/3' }, key),
  };
}

it.each(['console', 'api'])('by %s', async (entrance) => {
  let endedAt = 0;
  for (let writes = 0; ; writes += 1) {
    const send = (await actions(writes))[entrance];
    if (send === undefined) throw new Error('no such action');
    killSwitch.arm(writes);
    const ended = await send().catch(() => ({ status: 500 }));
    killSwitch.off();
    if (ended.status < 400) break;
    endedAt += 1;
    await settle();
    // Nobody, or already the chosen reader.
    expect([writes, world.readers().filter((reader) => reader !== 'ben@example.com')]).toEqual([writes, []]);
    const before = world.readers().length;
    expect((await send()).status).toBeLessThan(400);
    await settle();
    expect([writes, world.readers().filter((reader) => reader !== 'ben@example.com')]).toEqual([writes, []]);
    // Repeated, it reaches the reader, and not more than once by both.
    expect([writes, Math.max(before, world.readers().length)]).toEqual([writes, 1]);
    world.mailbox.clear();
  }
  expect(endedAt).toBeGreaterThan(0);
});
