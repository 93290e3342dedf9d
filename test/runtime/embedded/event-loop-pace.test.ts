/** Announcing events that take long to match leaves the event loop to others. */

import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createWorkTurns } from '../../../adapters/event-loop-pace.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { fixedClock } from '../../../core/model/time.ts';
import { parseTree } from '../../../runtime/config/load.ts';
import { openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { announceAll } from '../../../runtime/embedded/pipeline.ts';
import { createSignal } from '../../../runtime/embedded/signal.ts';
import { NOON, SECRET, snapshot, subscription } from '../../samples.ts';

it.each([
  ['between events', 20, 1],
  ['between the filters of one event', 1, 20],
])('lets the loop turn %s that take long to match', async (_, events, filters) => {
  const tree = { source: { baseUrl: 'http://127.0.0.1:9', token: 'token', timeZone: 'UTC' }, subscriptions: [] };
  const embedded = await openEmbedded({
    config: parseTree('test', tree, {}),
    database: openDatabase(':memory:'),
    environment: {},
    clock: fixedClock(NOON),
    holder: 'test',
    random: () => 0.5,
  });
  // The parts of each wildcard are in the text, far from each other, except the last one.
  const description = `${`${'a'.repeat(600)}b`.repeat(65)}aabaa`;
  const partsOf = (index: number) => Array.from({ length: 10 }, (_, n) => `${'a'.repeat(1 + ((index + n) % 5))}b`);
  const wildcards = Array.from({ length: 100 }, (_, index) => ({ wildcard: `*${partsOf(index).join('*')}*baabaaa*` }));
  const settings = { url: 'https://ops.example.com/', secret: SECRET };
  const where = { data: { record: { description: wildcards } } };
  for (let index = 0; index < filters; index++)
    await embedded.subscriptions.save(subscription(`ops-${index}`, { where, to: { channel: 'http', settings } }));
  const commit = (version: number, title: string) =>
    embedded.snapshots.commit(
      Array.from({ length: events }, (_, index) => ({
        snapshot: snapshot(`${index}`, { version, record: { id: `${index}`, title, description } }),
        expected: version - 1,
      })),
    );
  await commit(1, 'before');
  await announceAll(embedded, {});
  await commit(2, 'after');
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const announced = await announceAll(embedded, {});
  isOver = true;
  expect(announced).toBe(events);
  expect(turns).toBeGreaterThan(10);
  await embedded.close();
});

it('lets the loop turn between the removals of hooks whose receivers answer 410 in the same moment', async () => {
  const tree = { source: { baseUrl: 'http://127.0.0.1:9', token: 'token', timeZone: 'UTC' }, subscriptions: [] };
  const database = openDatabase(':memory:');
  const embedded = await openEmbedded({
    ...{ config: parseTree('test', tree, {}), database, environment: {}, clock: fixedClock(NOON) },
    ...{ holder: 'test', random: () => 0.5 },
  });
  const settings = { url: 'https://hooks.example.com/', secret: SECRET };
  const hooks = Array.from({ length: 30 }, (_, index) =>
    subscription(`hook-${index}`, { to: { channel: 'http', settings }, declared: false, removeWhenGone: true }),
  );
  for (const hook of hooks) await embedded.subscriptions.save(hook);
  const left = () => Number(database.row('SELECT count(*) FROM subscriptions')?.[0]);
  const lefts: number[] = [];
  let isOver = false;
  const turn = () => {
    if (isOver) return;
    lefts.push(left());
    setImmediate(turn);
  };
  setImmediate(turn);
  await Promise.all(hooks.map((hook) => embedded.removeGone?.(hook)));
  isOver = true;
  expect(left()).toBe(0);
  const removed = lefts.map((now, index) => (lefts[index - 1] ?? hooks.length) - now);
  expect(Math.max(...removed)).toBe(1);
  await embedded.close();
});

it('serves others at once if something comes while late work rests', async () => {
  const news = createSignal();
  const servedAt: number[] = [];
  const { pace } = createWorkTurns({
    serveOthers: async () => {
      servedAt.push(performance.now());
    },
    waitForNews: (ms) => news.wait(ms),
  });
  const from = performance.now();
  while (performance.now() - from < 200);
  let notifiedAt = 0;
  setTimeout(() => {
    notifiedAt = performance.now();
    news.notify();
  }, 20);
  await pace();
  const restedUntil = performance.now();
  const [before = 0, atNews = 0] = servedAt;
  expect(before).toBeLessThan(notifiedAt);
  expect(atNews).toBeGreaterThan(notifiedAt);
  expect(atNews).toBeLessThan(restedUntil - 200);
  // The rest is as long as without news.
  expect(restedUntil - from).toBeGreaterThanOrEqual(799);
});

it('serves others at once while late work is done elsewhere, whose time takes no rest', async () => {
  const news = createSignal();
  let served = 0;
  const serveOthers = async () => {
    served += 1;
  };
  const { pace, waitFor } = createWorkTurns({ serveOthers, waitForNews: news.wait });
  const { promise: elsewhere, resolve } = Promise.withResolvers<string>();
  const waiting = waitFor(elsewhere);
  await pause(300);
  expect(served).toBe(0);
  news.notify();
  await vi.waitFor(() => expect(served).toBe(1));
  resolve('done');
  expect(await waiting).toBe('done');
  const from = performance.now();
  await pace();
  // Three times as long as the wait, if its time counted.
  expect(performance.now() - from).toBeLessThan(600);
  // What came in the same moment is not lost: the next wait has it.
  news.notify();
  expect(await waitFor(Promise.resolve('at once'))).toBe('at once');
  expect(await news.wait(0)).toBe(served === 1);
  await expect(waitFor(Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
