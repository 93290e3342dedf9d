/** The pictures of the app in docs/slack.md: a visitor of the simulated Slack uses the real app. */

import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenedPage, openBrowser, openPage } from './chromium.ts';
import { takePicture } from './picture.ts';
import { type SlackService, startSlackService } from './slack-service.ts';

const HEIGHT = 640;
const zone = process.env.TZ;
let service: SlackService;
let browser: Browser;
let opened: OpenedPage;

beforeAll(async () => {
  // The page shows times in the zone of this process.
  process.env.TZ = 'Europe/Berlin';
  [service, browser] = await Promise.all([startSlackService(), openBrowser()]);
  opened = await openPage(browser, { viewport: { width: 1000, height: HEIGHT }, deviceScaleFactor: 1.25 });
  opened.page.setDefaultTimeout(60_000);
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

/** Up to the bottom of an element, with some room. */
async function takeUpTo(page: Page, name: string, last: Locator): Promise<void> {
  const box = await last.boundingBox();
  const height = Math.min(HEIGHT, Math.ceil((box?.y ?? 0) + (box?.height ?? 0) + 16));
  await takePicture(page, name, { height });
}

const DAY_MS = 86_400_000;
const dayAhead = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

test('the form, the preview, the buttons of a message, and the Home tab', async () => {
  const { page } = opened;
  const { simulator, slack, me } = service;
  const type = async (text: string) => {
    await page.getByLabel('Message #team').fill(text);
    await page.keyboard.press('Enter');
  };
  const tasks = simulator.account
    .list('task', { excludeclosed: 't' })
    .filter(({ title }) => /^[\w ]+$/.test(String(title)));
  const move = (index: number, datedue: string) =>
    simulator.account.update('task', String(tasks[index]?.id), { datedue }, { by: me.personid });
  // Tasks of the visitor for the Home tab.
  for (const [index, days] of [-3, 1].entries()) {
    const change = { assigneeid: me.personid, datedue: dayAhead(days) };
    simulator.account.update('task', String(tasks[index + 4]?.id), change);
  }
  // Some past for the preview.
  for (const index of [0, 1, 2]) {
    move(index, dayAhead(20 + index));
    await page.waitForTimeout(1500);
  }

  await page.goto(`${slack.url}/?channel=team`);
  await type('/tidings');
  await page.getByRole('dialog').waitFor();
  await page.getByLabel('task.due_date_changed').check();
  await takePicture(page, 'slack-app-form');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await type('/tidings subscribe task.due_date_changed task.closed');
  await page.getByRole('button', { name: 'Subscribe', exact: true }).waitFor();
  expect(await page.locator('article').first().innerText()).toContain('in the last 7 days');
  await takeUpTo(page, 'slack-app-preview', page.locator('article').first());
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await page.getByText('subscribed this channel to').waitFor();

  move(3, dayAhead(23));
  await page.getByRole('button', { name: 'Snooze until tomorrow' }).waitFor();
  await type('/tidings connect');
  await page.getByLabel('from your profile in the account').fill(me.token);
  await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click();
  await page.getByText('Connected as').waitFor();
  await page.getByRole('button', { name: 'Snooze until tomorrow' }).click();
  await page.getByText('snoozed this in this channel').waitFor();
  await page.mouse.move(0, 0);
  await takeUpTo(page, 'slack-app-buttons', page.locator('main > section > article').first());

  await page.getByRole('button', { name: 'Tidings' }).click();
  await page.getByText('My subscriptions').waitFor();
  await takeUpTo(page, 'slack-app-home', page.locator('.home'));
});
