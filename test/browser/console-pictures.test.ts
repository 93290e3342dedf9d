/** The pictures of docs/console.md, from the console of an agency after two days. Each must show what its caption says. */

import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AgencySite, startAgencySite } from './agency-site.ts';
import { takePicture } from './picture.ts';

let site: AgencySite;
beforeAll(async () => {
  site = await startAgencySite();
});
afterAll(() => site?.stop());

const WIDE = { viewport: { width: 1280, height: 800 } } as const;
const PHONE = { viewport: { width: 390, height: 760 } } as const;
const DARK = { colorScheme: 'dark' } as const;

/** The newest event of this type that a reader who unsubscribed did not get. */
async function findSkippedEvent(type: string): Promise<string> {
  const deliveries = await site.api.deliveries.list({ subscription: 'assignees', limit: 500 });
  const skipped = deliveries.filter(({ attempts }) => attempts.at(-1)?.outcome === 'skipped');
  const events = await site.api.events.getMany(skipped.flatMap((one) => one.events));
  const [found] = events.filter((event) => event.type === type).toSorted((a, b) => (a.time < b.time ? 1 : -1));
  if (found === undefined) throw new Error(`no ${type} was skipped`);
  return found.id;
}

/** @param shows texts that are in the picture, in any order */
async function picture(
  name: string,
  path: string | (() => Promise<string>),
  shows: readonly (string | RegExp)[],
  options: BrowserContextOptions & { readonly isWhole?: boolean } = WIDE,
): Promise<void> {
  const { isWhole, ...context } = options;
  const { page, go, problems, close } = await site.open(context);
  await go(typeof path === 'string' ? path : await path());
  await page.waitForLoadState('networkidle');
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  for (const text of shows) {
    const found = page.locator('body').getByText(text).locator('visible=true').first();
    const box = await found.boundingBox();
    const isInside = box !== null && box.x >= 0 && box.x + box.width <= width && (isWhole === true || box.y < height);
    expect([name, String(text), isInside]).toEqual([name, String(text), true]);
  }
  await takePicture(page, name, { isWhole: isWhole === true });
  expect(problems).toEqual([]);
  await close();
}

// First: the log-ins of the other pictures would be the newest entries.
test('audit and keys', async () => {
  await picture('console-audit', '/audit', ['made', /subscription ops/]);
  await picture('console-keys', '/keys', ['billing export'], { ...PHONE, ...DARK });
});

test('Now', () =>
  picture('console-now', '', [
    'Needs attention',
    'Next digest',
    'Quota left',
    'Events per hour',
    /the receiver is paused/,
  ]));

test('Events, wide and on a phone', async () => {
  await picture('console-events', '/events', ['Show each event', 'live', /was closed/]);
  await picture('console-events-phone', '/events', ['Show each event', /was closed/], PHONE);
});

test('an event in light and dark', async () => {
  const path = async () => `/events/${await findSkippedEvent('task.assigned')}`;
  const shows = ['Who got it, who did not, and why', 'the reader has unsubscribed', 'delivered', 'When it happened'];
  await picture('console-event', path, shows);
  await picture('console-event-dark', path, shows, { ...WIDE, ...DARK });
});

test('a record with its history', async () => {
  const [event] = await site.api.events.getMany([await findSkippedEvent('task.assigned')]);
  await picture('console-record', `/records/${event?.subject}`, ['History', /was assigned/, 'A task is overdue']);
});

test('subscriptions', async () => {
  await picture('console-subscriptions', '/subscriptions', ['failing', 'working', /Slack #mornings gets one message/]);
  await picture('console-subscription', '/subscriptions/ops', [
    'failing',
    'Try now',
    'Latest attempts',
    /\d+ accepted/,
  ]);
});

test('the preview of a chat in dark', () =>
  picture(
    'console-new-chat',
    '/subscriptions/new?channel=teams&query=task.overdue',
    [/a task is overdue/, /In the last 7 days/],
    { viewport: { width: 1280, height: 1000 }, ...DARK },
  ));

test('sending again on a phone', () =>
  picture('console-replay', '/subscriptions/ops/replay?what=all&since=1d', [/Send \d+/], PHONE));

test('deliveries', async () => {
  await picture('console-deliveries', '/deliveries', ['Retry all failed…', 'waiting', 'delivered']);
  const pending = await site.api.deliveries.list({ subscription: 'ops', status: 'pending', limit: 50 });
  const failing = pending.find(({ attempts }) => attempts.length > 1);
  const path = `/deliveries/${failing?.id}`;
  await picture('console-delivery', path, [/Attempt 1/, /503/], { viewport: { width: 1280, height: 900 }, ...DARK });
});
