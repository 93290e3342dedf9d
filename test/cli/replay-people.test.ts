/** `replay` and `subscriptions resubscribe` for messages to people: one reader, or several after a question. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { mute } from '../../core/delivery/signing/unsubscribe.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { type Mailbox, startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { event, NOON, snapshot } from '../samples.ts';
import { runCommand } from './run-command.ts';

let data: string;
let mailbox: Mailbox;
beforeEach(async () => {
  data = mkdtempSync(join(tmpdir(), 'tidings-people-'));
  mailbox = await startMailbox();
  const to = { email: { to: 'assignees' } };
  writeFileSync(
    join(data, 'tidings.yaml'),
    JSON.stringify({
      source: { baseUrl: 'http://127.0.0.1:9', token: 'token', timeZone: 'Europe/Berlin' },
      network: { allowHttp: true },
      mail: { from: 'tidings@example.com', smtp: mailbox.smtpUrl },
      subscriptions: [{ name: 'team', events: ['task.closed'], to, gather: '0s' }],
    }),
  );
  const database = openData(data);
  const people = ['2', '3'].map((id) =>
    snapshot(id, {
      key: { source: 'main', resource: 'person', id },
      record: { id, firstname: 'Person', lastname: `No ${id}`, email: `p${id}@example.com`, active: true },
    }),
  );
  await sqliteSnapshotStore(database).commit(people.map((one) => ({ snapshot: one, expected: 0 })));
  const closed = event('1');
  const record = { id: '1', title: 'Task 1', assigneeid: ['2', '3'] };
  const recorded = { ...closed, data: { ...closed.data, record } };
  await sqliteStores(database).events.record([{ event: recorded, deliveries: [] }]);
  database.close();
});
afterEach(async () => {
  await mailbox.close();
  rmSync(data, { recursive: true, force: true });
});

const where = () => ['--data', data, '--config', join(data, 'tidings.yaml')];
const readers = () => mailbox.mails.flatMap(({ envelope }) => envelope.to).toSorted();

describe('replay of an event for several people', () => {
  it('asks on a terminal how many messages to send, and sends none without a yes', async () => {
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return 'n';
    };
    const replay = ['replay', '--subscription', 'team', '--event', 'evt_1', ...where()];
    const { code, stdout } = await runCommand(replay, { ask });
    expect([code, stdout]).toEqual([1, 'nothing was sent\n']);
    expect(questions).toEqual(['1 event, 2 messages to team. Send? [y/N] ']);
    expect(readers()).toEqual([]);
  });

  it('does not ask a script, and sends to one person if one is named', async () => {
    const replay = (person: string) => ['replay', '--subscription', 'team', '--event', 'evt_1', '--person', person];
    const stranger = await runCommand([...replay('main/9'), ...where()]);
    expect([stranger.code, stranger.stderr]).toEqual([
      2,
      expect.stringContaining('--person: expected a reader of this event: main/2, main/3'),
    ]);
    const { stdout } = await runCommand([...replay('main/3'), ...where()]);
    expect(stdout).toContain('1 event replayed to team, 1 accepted');
    expect(readers()).toEqual(['p3@example.com']);
  });
});

describe('a reader who unsubscribed', () => {
  it('is skipped, listed by subscriptions and status, and subscribed again', async () => {
    await runCommand(['subscriptions', ...where().slice(0, 2)]);
    const database = openData(data);
    const snapshots = sqliteSnapshotStore(database);
    await changeHealth({ snapshots, clock: { now: () => NOON } }, 'team', 'person', (health) =>
      mute(health, 'p3@example.com', false),
    );
    database.close();
    const sent = await runCommand(['replay', '--subscription', 'team', '--event', 'evt_1', ...where()]);
    expect(sent.stdout).toContain('1 accepted, 1 skipped');
    expect(readers()).toEqual(['p2@example.com']);
    const listed = await runCommand(['subscriptions', '--data', data]);
    expect(listed.stdout).toContain('unsubscribed: p3@example.com');
    const status = await runCommand(['status', ...where()]);
    expect(status.stdout).toContain('unsubscribed from team  p3@example.com');
    const deliveries = await runCommand(['deliveries', '--data', data]);
    expect(deliveries.stdout).toMatch(/skipped {2}team, Person No 3 <p3@example.com> .* the reader has unsubscribed/);
    const wrong = await runCommand(['subscriptions', 'resubscribe', 'team', 'zoe@example.com', '--data', data]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('expected one of p3@example.com')]);
    const back = await runCommand(['subscriptions', 'resubscribe', 'team', 'p3@example.com', '--data', data]);
    expect(back.stdout).toBe('p3@example.com gets mail from team again\n');
    expect((await runCommand(['subscriptions', '--data', data])).stdout).not.toContain('unsubscribed:');
  });
});
