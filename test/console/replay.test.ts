/** Sending again in the console: a count first, then steps that can be repeated, then progress. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { MINUTE } from '../../core/model/time.ts';
import { readReplayProgress } from '../../manage/api/subscriptions/replay-steps.ts';
import { taskEvent } from '../manage/api-world.ts';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

const EVENTS = 5000;

let world: ConsoleWorld;
let browser: Awaited<ReturnType<ConsoleWorld['logInAs']>>;
beforeAll(async () => {
  world = await startConsoleWorld();
  const events = Array.from({ length: EVENTS }, (_, index) => taskEvent(`e${index}`));
  await world.api.events.record(events.map((event) => ({ event, deliveries: [] })));
  await world.record(taskEvent('other', 'invoice.paid'), { ...taskEvent('test'), test: true });
  browser = await world.logInAs();
});
afterAll(() => world.stop());

const countReplays = async () => {
  const ids = await world.api.deliveries.listIds({ status: 'pending', subscription: 'declared' });
  return ids.length;
};
const refreshOf = (text: string) =>
  (/<meta http-equiv="refresh" content="\d+;url=([^"]+)"/.exec(text)?.[1] ?? '').replaceAll('&amp;', '&');

it('counts first and sends nothing', async () => {
  const { text } = await browser.get('/console/subscriptions/declared/replay?what=all&since=24h');
  expect(text).toContain('Send 5,000 events again');
  expect(await countReplays()).toBe(0);
  const failed = await browser.get('/console/subscriptions/declared/replay?what=failed&since=24h');
  expect(failed.text).toContain('No message failed.');
  const wrong = await browser.get('/console/subscriptions/declared/replay?what=all&from=soon');
  expect(wrong.text).toContain('id="e-from"');
});

it('works in steps; a repeated step sends nothing twice; the last page shows how far the messages are', async () => {
  const csrf = await browser.csrf('/console/subscriptions/declared/replay');
  const started = await browser.post('/console/subscriptions/declared/replay', { csrf, what: 'all', since: '24h' });
  expect(started.status).toBe(303);
  const steps: string[] = [];
  let path = started.location ?? '';
  while (path.includes('/replay/run?')) {
    const { status, text } = await browser.get(path);
    expect(status).toBe(200);
    steps.push(/role="status">([^<]*)</.exec(text)?.[1] ?? '');
    path = refreshOf(text);
  }
  const numbers = Array.from({ length: 10 }, (_, index) => (500 * (index + 1)).toLocaleString('en'));
  // The last step finds that nothing is left.
  const shown = [...numbers, '5,000'].map((number) => `${number} of 5,000 events`);
  expect(steps.map((step) => step.replace(/ queued$/, ''))).toEqual(shown);
  expect(await countReplays()).toBe(EVENTS);
  // The first step once more, as after a reload.
  await browser.get(started.location ?? '');
  expect(await countReplays()).toBe(EVENTS);
  expect((await browser.get(path)).text).toContain('0 of 5,000 messages so far');
  for (let minute = 0; minute < 15; minute += 1) {
    await world.pump();
    world.advance(MINUTE);
  }
  const done = await browser.get(path);
  expect(done.text).toContain('5,000 of 5,000 messages done');
  expect(refreshOf(done.text)).toBe('');
  expect(world.receiver.received).toHaveLength(EVENTS);
  const { entries } = await world.api.audit.page({ limit: 1 });
  expect(entries[0]).toMatchObject({ action: 'subscription.replayed', details: { count: EVENTS } });
});

it('goes on only in the session that started it', async () => {
  const csrf = await browser.csrf('/console/subscriptions/declared/replay');
  const { location } = await browser.post('/console/subscriptions/declared/replay', { csrf, what: 'all', since: '1h' });
  const other = await world.logInAs();
  expect((await other.get(location ?? '')).status).toBe(403);
  expect((await browser.get((location ?? '').replace('since=', 'since=2')).catch(() => ({ status: 403 }))).status).toBe(
    403,
  );
  const reader = await world.logInAs('read');
  expect((await reader.get(location ?? '')).status).toBe(403);
});

it('has progress for sensible times only', async () => {
  expect((await browser.get('/console/subscriptions/declared/replay/progress?startedAt=x')).status).toBe(404);
  expect(
    (await browser.get('/console/subscriptions/none/replay/progress?startedAt=2026-11-14T12:00:00.000Z')).status,
  ).toBe(404);
});

it('counts what was sent since an early time within the budget of the session', async () => {
  const api = { ...world.api, workLimits: { request: 1, perMinute: 1e6, waiting: 20 } };
  const caller = { kind: 'console', id: 'ada', scopes: ['read'] } as const;
  const counted = readReplayProgress(api, caller, 'declared', '2001-01-01T00:00:00.000Z');
  await expect(counted).rejects.toMatchObject({ code: 'TIDINGS_API_BUDGET' });
});
