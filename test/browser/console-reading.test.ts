/** The reading pages of the console in a real browser: Now, Events, Event and Record, with and without scripts. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TidingsEvent } from '../../core/model/event.ts';
import { stageOnDay } from '../../core/snapshot/stage.ts';
import { event, snapshot } from '../samples.ts';
import { findViolations } from './chromium.ts';
import { type ConsoleSite, fillAgency, startConsoleSite } from './console-site.ts';

let site: ConsoleSite;

const PAGES = [
  '',
  '/events',
  '/events?q=invoice&since=7d',
  '/events?q=nothing',
  '/events/evt_agency_3',
  '/records/task/77',
  '/help',
  '/nothing',
];

beforeAll(async () => {
  site = await startConsoleSite();
  await fillAgency(site);
  const record = { id: '77', title: 'Write the offer', datedue: '2026-11-20', dateclosed: null, client: 'Northwind' };
  const stage = stageOnDay('task', record, '2026-11-14', site.embedded.config.rules);
  const one = snapshot('77', { record, stage, nextMoment: '2026-11-20T23:00:00.000Z' });
  await site.embedded.snapshots.commit([{ snapshot: one, expected: 0 }]);
});

afterAll(() => site?.stop());

/** Not the page that does not exist, and not a refresh that the next page interrupted. */
const unexpected = (problems: readonly string[]) => problems.filter((one) => !/404|ERR_ABORTED/.test(one));

const widthOf = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth');

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('no page has an accessibility violation', async () => {
    const { page, go, close } = await site.open({ colorScheme, bypassCSP: true });
    for (const path of PAGES) {
      await go(path);
      expect([path, ...(await findViolations(page))]).toEqual([path]);
    }
    await close();
  });

  test.each([390, 2560])('every page fits %i px and loads nothing that its policy forbids', async (width) => {
    const { page, problems, go, close } = await site.open({ colorScheme, viewport: { width, height: 800 } });
    for (const path of PAGES) {
      await go(path);
      expect([path, await widthOf(page)]).toEqual([path, width]);
    }
    expect(unexpected(problems)).toEqual([]);
    await close();
  });
});

test('the log-in page and its used link have no accessibility violation', async () => {
  const { page, close } = await site.open({ bypassCSP: true });
  await page.context().clearCookies();
  for (const path of ['/log-in', '/log-in?token=used']) {
    await page.goto(`${site.base}/console${path}`);
    expect(await findViolations(page)).toEqual([]);
  }
  await close();
});

test('filters are in the address: back, forward and a shared link show the same list', async () => {
  const { page, go, close } = await site.open();
  await go('/events');
  await page.getByLabel('Text').fill('invoice');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=invoice/);
  const filtered = await page.locator('a.row').count();
  await page.locator('a.row').first().click();
  await page.waitForURL(/\/events\/evt_/);
  await page.goBack();
  expect(page.url()).toContain('q=invoice');
  expect(await page.locator('a.row').count()).toBe(filtered);
  await page.goForward();
  expect(await page.locator('h1').textContent()).toContain('Invoice');
  await page.goBack();
  await page.getByRole('link', { name: /text: invoice/ }).click();
  await page.waitForURL((url) => url.search === '');
  expect(await page.locator('a.row').count()).toBeGreaterThan(filtered);
  await page.getByLabel('Time').selectOption('1h');
  await page.waitForURL(/since=1h/);
  await close();
});

test('the keyboard searches, moves, opens and shows its help', async () => {
  const { page, go, close } = await site.open();
  await go('/events');
  await page.keyboard.press('/');
  expect(await page.evaluate('document.activeElement.name')).toBe('q');
  await page.keyboard.type('j');
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  const rows = page.locator('a.row');
  expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(
    await rows.first().getAttribute('href'),
  );
  await page.keyboard.press('?');
  expect(await page.locator('dialog#help').isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  expect(await page.locator('dialog#help').isVisible()).toBe(false);
  const target = await rows.first().getAttribute('href');
  await rows.first().focus();
  await page.keyboard.press('o');
  await page.waitForURL(`**${target}`);
  await close();
});

test('new events appear by themselves, and not while the tab is hidden', async () => {
  const { page, close } = await site.open();
  await page.clock.install();
  await page.goto(`${site.base}/console/events`);
  let fragments = 0;
  page.on('request', (request) => {
    if (request.headers()['x-fragment'] !== undefined) fragments += 1;
  });
  await page.locator('a.row').first().focus();
  const focused = await page.locator('a.row').first().getAttribute('href');
  await site.record(event('live_1', { time: site.clock.now() }));
  await page.clock.runFor(3100);
  await page.locator('#evt_live_1').waitFor();
  expect(await page.evaluate('document.activeElement.getAttribute("href")')).toBe(focused);
  await page.evaluate('Object.defineProperty(document, "hidden", { value: true, configurable: true })');
  const before = fragments;
  await page.clock.runFor(30_000);
  expect(fragments).toBe(before);
  await page.evaluate(
    'Object.defineProperty(document, "hidden", { value: false, configurable: true }); document.dispatchEvent(new Event("visibilitychange"))',
  );
  await expect.poll(() => fragments).toBeGreaterThan(before);
  await close();
});

test('times are in the zone of the account, with those of the reader on hover', async () => {
  const { page, go, close } = await site.open({ timezoneId: 'America/New_York' });
  await go('/events/evt_agency_3');
  const time = page.locator('.meta time').first();
  expect(await time.textContent()).toMatch(/Sat 14 Nov 2026, 10:00:00/);
  expect(await time.getAttribute('title')).toContain('America/New_York');
  expect(await page.locator('[data-relative]').first().textContent()).toMatch(/^\d+ (h|min) ago$/);
  await close();
});

test('an event that a receiver missed is sent again, and the attempt appears', async () => {
  const { page, go, problems, close } = await site.open();
  await go('/events/evt_agency_3');
  const receiver = page.locator('.receivers > li', { hasText: 'declared' });
  expect(await receiver.textContent()).toContain('retrying');
  expect(await page.locator('.receivers > li', { hasText: 'billing' }).textContent()).toContain(
    'wants other event types',
  );
  await receiver.getByRole('button', { name: /Retry now/ }).click();
  await page.waitForURL(/done=resent/);
  expect(await page.locator('.notice').textContent()).toContain('being sent again');
  await site.pump();
  await receiver.getByText('delivered').waitFor();
  expect(unexpected(problems)).toEqual([]);
  await close();
});

test('everything works without scripts: log-in, filters, pages, resending, log-out', async () => {
  const { page, go, close } = await site.open({ javaScriptEnabled: false });
  await go('/events');
  await page.getByLabel('Type').fill('invoice.*');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.waitForURL(/type=invoice/);
  await page.locator('a.row').first().click();
  const sent = site.receiver.received.length;
  await page.getByRole('button', { name: /Resend to billing/ }).click();
  await page.waitForURL(/done=resent/);
  await site.pump();
  expect(site.receiver.received.length).toBe(sent + 1);
  await page.reload();
  await site.pump();
  expect(site.receiver.received.length).toBe(sent + 1);
  await page.getByRole('link', { name: 'Help' }).click();
  expect(await page.locator('h1').textContent()).toBe('Help');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL(/log-in/);
  await close();
});

test('two tabs share a session: logging out in one ends the other', async () => {
  const { page, go, close } = await site.open();
  await go('/events');
  const other = await page.context().newPage();
  await other.goto(`${site.base}/console/events/evt_agency_3`);
  expect(await other.locator('h1').textContent()).toContain('overdue');
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL(/log-in/);
  await other.getByRole('link', { name: 'Now', exact: true }).click();
  await other.waitForURL(/log-in/);
  await close();
});

test('the pages cannot be framed', async () => {
  const { page, close } = await site.open();
  await page.route('http://frame.example.com/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${site.base}/console/events"></iframe>` }),
  );
  await page.goto('http://frame.example.com/');
  const [, frame] = page.frames();
  await expect.poll(() => frame?.url()).toContain('chrome-error:');
  await close();
});

test('hostile data runs nothing and breaks no layout', async () => {
  const titles = [
    '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>',
    'w'.repeat(10_240),
    '\u202egnp.exe مرحبا بالعالم، هذه مهمة',
    '👩‍👩‍👧‍👦'.repeat(60),
  ];
  const hostile = titles.map((title, index): TidingsEvent => {
    const one = event(`hostile_${index}`, { time: site.clock.now() });
    const record = { id: String(index), title, client: title, project: title };
    const changes = [{ field: 'title', from: title, to: `javascript:${title}` }];
    return { ...one, data: { ...one.data, record, changes } };
  });
  await site.record(...hostile);
  const { page, problems, go, close } = await site.open({ viewport: { width: 390, height: 800 } });
  for (const path of ['/events', '', ...hostile.map(({ id }) => `/events/${id}`)]) {
    await go(path);
    expect([path, await widthOf(page)]).toEqual([path, 390]);
    expect(await page.evaluate('window.hacked')).toBeUndefined();
  }
  expect(unexpected(problems)).toEqual([]);
  await close();
});
