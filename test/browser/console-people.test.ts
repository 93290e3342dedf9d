/** What people are shown of messages to people, in a real browser: who, why not, why not yet, and what comes next. */

import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findViolations } from './chromium.ts';
import { type PeopleSite, startPeopleSite } from './people-site.ts';

let site: PeopleSite;
let event = '';
beforeAll(async () => {
  site = await startPeopleSite();
  await site.storeOverdueTasks(3);
  await site.subscribeInSlack('task.overdue task.closed daily 08:30');
  await site.unsubscribe('assignees', 'ben@example.com');
  event = await site.closeTask('7', { client: 'Northwind', project: 'Website relaunch' });
  await site.changeTask('8', { statusid: '7', status: 'Open' }, { statusid: '2', status: 'Staged' });
});
afterAll(() => site?.stop());

const pages = () => [
  '',
  '/events',
  '/subscriptions',
  '/audit',
  `/events/${event}`,
  '/deliveries',
  '/subscriptions/assignees',
  '/subscriptions/digest',
  '/subscriptions/website',
  '/records/task/8',
  '/no-such-page',
];

/** Pictures for a look at the pages, if a folder is given. */
const PICTURES = process.env.TIDINGS_PICTURES;

describe.each([390, 1280])('at %i pixels', (width) => {
  describe.each([true, false])('with scripts: %s', (javaScriptEnabled) => {
    test('every page fits, shows its tab and has no problems', async () => {
      const { page, go, problems, close } = await site.open({ javaScriptEnabled, viewport: { width, height: 900 } });
      for (const path of pages()) {
        await go(path);
        // Without scripts nothing can be evaluated in the page but from outside.
        const size = await page.locator('html').evaluate((root) => root.scrollWidth);
        expect([path, size <= width]).toEqual([path, true]);
        const tab = page.locator('nav [aria-current]');
        if ((await tab.count()) > 0) {
          const box = await tab.boundingBox();
          expect([path, box !== null && box.x >= 0 && box.x + box.width <= width]).toEqual([path, true]);
        }
        if (PICTURES !== undefined) {
          mkdirSync(PICTURES, { recursive: true });
          const name = `${path.replaceAll(/\W+/g, '-') || 'now'}-${width}${javaScriptEnabled ? '' : '-noscript'}.png`;
          await page.screenshot({ path: `${PICTURES}/${name}`, fullPage: true });
        }
      }
      // The page that does not exist is answered with 404.
      expect(problems.filter((one) => !one.includes('404'))).toEqual([]);
      await close();
    });
  });

  test('no page has accessibility violations', async () => {
    const { page, go, close } = await site.open({ bypassCSP: true, viewport: { width, height: 900 } });
    for (const path of pages()) {
      await go(path);
      await page.evaluate("document.querySelectorAll('main details').forEach((one) => one.open = true)");
      expect([path, await findViolations(page)]).toEqual([path, []]);
    }
    await close();
  });
});

test('the page of an event says who got it, who was skipped, and what each wait is for', async () => {
  const { page, go, close } = await site.open();
  await go(`/events/${event}`);
  const row = (text: string | RegExp) => page.locator('.receivers > li').filter({ hasText: text });
  await expect.poll(() => row('Ann Lee').innerText()).toContain('delivered');
  expect(await row('Ben Cole').innerText()).toContain('the reader has unsubscribed');
  expect(await row('Ben Cole').innerText()).not.toContain('delivered');
  expect(await row('night').innerText()).toContain('quiet hours until 14:00');
  expect(await row('stopped').innerText()).toContain('the subscription is paused');
  expect(await row(/^digest/).innerText()).toContain('digest at Sun 15 Nov, 08:30');
  expect(await row('website').innerText()).toContain('digest at Sun 15 Nov, 08:30');
  await close();
});

test.each([true, false])(
  'Resend writes to the reader of its row; to several it asks (scripts: %s)',
  async (scripts) => {
    const { page, go, close } = await site.open({ javaScriptEnabled: scripts });
    site.mailbox.clear();
    await go(`/events/${event}`);
    await page.getByRole('button', { name: 'Resend to Ann Lee' }).click();
    await page.waitForURL(/done=resent/);
    await site.later();
    expect(site.readers()).toEqual(['ann@example.com']);
    await go(`/events/${event}`);
    expect(await page.locator('.receivers > li').filter({ hasText: 'Ann Lee' }).innerText()).toContain('Sent before');
    await page.getByRole('button', { name: 'Resend to office' }).click();
    await expect.poll(() => page.locator('h1').innerText()).toBe('Send it to 2 readers?');
    await site.later();
    expect(site.readers()).toEqual(['ann@example.com']);
    await page.getByRole('button', { name: 'Send to 2 readers' }).click();
    await page.waitForURL(/done=resent/);
    await site.later();
    expect(site.readers().toSorted()).toEqual(['ann@example.com', 'boss@example.com', 'office@example.com']);
    await close();
  },
);

test('Now and the page of a subscription show the next digest', async () => {
  const { page, go, close } = await site.open();
  await go('');
  expect(await page.locator('.glance').innerText()).toMatch(/Next digest\s+Sun 15 Nov, 08:30/);
  expect(await page.locator('.ahead').first().innerText()).toContain('digest');
  await go('/subscriptions/digest');
  expect(await page.locator('main').innerText()).toMatch(/Sun 15 Nov, 08:30/);
  await close();
});

/** The subscription that was made in Slack: its name ends in four letters. */
async function nameOfWebsite({ page, go }: Awaited<ReturnType<typeof site.open>>): Promise<string> {
  await go('/subscriptions');
  const id = await page.locator('[id^="sub-website-"]').first().getAttribute('id');
  return (id ?? '').slice('sub-'.length);
}

test('a subscription that was made in Slack is shown with its origin, its forecast and what its messages wait for', async () => {
  const opened = await site.open();
  const { page, go, close } = opened;
  const name = await nameOfWebsite(opened);
  expect(await page.locator(`#sub-${name}`).innerText()).toContain(
    'Slack #website gets one message every day at 08:30',
  );
  await go(`/subscriptions/${name}`);
  const text = await page.locator('main').innerText();
  expect(text).toContain('task.overdue task.closed daily 08:30');
  expect(text).toMatch(/Sun 15 Nov, 08:30\s+3 tasks overdue, 1 task closed/);
  expect(text).toMatch(/Made\s+Sat 14 Nov 2026, 13:00:00 by ann in Slack, in #website/);
  expect(await page.locator('.row').filter({ hasText: 'was closed' }).first().innerText()).toContain(
    'digest at Sun 15 Nov, 08:30',
  );
  // Ids of Slack are only in the YAML, which needs them.
  expect(text.slice(0, text.indexOf('As YAML'))).not.toContain('C0000');
  await go('');
  expect(await page.locator('main').innerText()).toContain(`2 for ${name} (digest at Sun 15 Nov, 08:30)`);
  await close();
});

test('the console and Slack pause it for each other, and both say so', async () => {
  const opened = await site.open();
  const { page, go, close } = opened;
  const slack = await site.openSlack({ width: 390, height: 900 });
  await slack.type('/tidings pause');
  await slack.see('paused');
  await go(`/subscriptions/${await nameOfWebsite(opened)}`);
  expect(await page.locator('main').innerText()).toContain('held: the subscription is paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.waitForURL(/done=/);
  await slack.type('/tidings preview');
  await slack.see('tomorrow 08:30: 3 tasks overdue, 1 task closed');
  expect(await findViolations(slack.page)).toEqual([]);
  await slack.close();
  await close();
});

test('an unsubscribed reader is listed, and subscribed again', async () => {
  const { page, go, close } = await site.open();
  await go('/subscriptions/assignees');
  expect(await page.locator('.readers').innerText()).toContain('Ben Cole <ben@example.com>');
  await page.getByRole('button', { name: /Subscribe again/ }).click();
  await page.waitForURL(/done=resubscribed/);
  expect(await page.locator('.readers').count()).toBe(0);
  await site.unsubscribe('assignees', 'ben@example.com');
  await close();
});

test('the events are grouped, and a link opens all of them', async () => {
  const { page, go, close } = await site.open();
  await go('/events');
  const grouped = await page.locator('a.row').count();
  await page.getByRole('link', { name: 'Show each event' }).click();
  await page.waitForURL(/each=1/);
  expect(await page.locator('a.row').count()).toBeGreaterThan(grouped);
  await close();
});
