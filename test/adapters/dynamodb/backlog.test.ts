/** What tick reads of a long backlog: something of each subscription, however much another has due before. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { dynamoBacklog, dynamoRecent } from '../../../adapters/dynamodb/agenda.ts';
import { dynamoStores } from '../../../adapters/dynamodb/stores.ts';
import { openTable } from '../../../adapters/dynamodb/table.ts';
import { DAY, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { ReadBacklog } from '../../../core/ports/agenda.ts';
import { delivery, event, NOON } from '../../samples.ts';
import { type LocalTables, startLocalTables } from './local-tables.ts';

let tables: LocalTables;
let readBacklog: ReadBacklog;
let readRecent: ReadBacklog;
/** Whether one key made the noisy ones. */
let isOwned = false;

beforeAll(async () => {
  tables = await startLocalTables();
  const names = await tables.create();
  const { client } = tables;
  const ledger = openTable({ client, table: names.ledger });
  const findOwners = async (names: ReadonlySet<string>) =>
    new Map([...names].flatMap((name) => (name.startsWith('noisy') && isOwned ? [[name, 'key'] as const] : [])));
  [readBacklog, readRecent] = [dynamoBacklog(ledger, findOwners), dynamoRecent(ledger, findOwners)];
  const { events } = dynamoStores({ client, tables: names, retention: 90 * DAY, clock: { now: () => NOON } });
  const noisy = Array.from({ length: 60 }, (_, n) => ({
    event: event(`${n}`),
    deliveries: [delivery(`${n}`, `noisy-${n % 3}`, { dueAt: plus(NOON, n * SECOND) })],
  }));
  const later = plus(NOON, 2 * MINUTE);
  const quiet = ['quiet', 'calm'].map((name) => ({
    event: event(name),
    deliveries: [delivery(name, name, { dueAt: later })],
  }));
  await events.record([...noisy, ...quiet]);
});
afterAll(async () => tables.stop());

/** The id of the delivery decides between two that are due at the same time. */
const idOf = (line: string) => delivery(line.split(' ')[0] ?? '', line.split(' ')[0] ?? '').id;

it('keeps as many of each subscription as of any other, the earliest of them', async () => {
  const due = await readBacklog(plus(NOON, 3 * MINUTE), 8);
  expect(due.map(({ subscription, at }) => `${subscription} ${at.slice(14, 19)}`)).toEqual([
    ...['noisy-0 00:00', 'noisy-1 00:01', 'noisy-2 00:02', 'noisy-0 00:03', 'noisy-1 00:04', 'noisy-2 00:05'],
    ...['quiet 02:00', 'calm 02:00'].toSorted((a, b) => idOf(a).localeCompare(idOf(b))),
  ]);
});

it('keeps as many of each owner as of any other, however many subscriptions a key has', async () => {
  isOwned = true;
  const due = await readBacklog(plus(NOON, 3 * MINUTE), 3);
  isOwned = false;
  expect(due.map(({ subscription, at }) => `${subscription} ${at.slice(14, 19)}`)).toEqual([
    ...['noisy-0 00:00', ...['quiet 02:00', 'calm 02:00'].toSorted((a, b) => idOf(a).localeCompare(idOf(b)))],
  ]);
});

it('is all that is due, if that fits', async () => {
  const due = await readBacklog(plus(NOON, 90 * SECOND), 60);
  expect(due.map(({ at }) => at)).toEqual(Array.from({ length: 60 }, (_, n) => plus(NOON, n * SECOND)));
});

it('is read apart from what became due in the last two minutes', async () => {
  const due = await readRecent(plus(NOON, 2 * MINUTE + 55 * SECOND), 60);
  expect(due.map(({ subscription }) => subscription).toSorted()).toEqual([
    ...['calm', 'noisy-0', 'noisy-1', 'noisy-1', 'noisy-2', 'noisy-2', 'quiet'],
  ]);
});
