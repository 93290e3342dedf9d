/**
 * A visitor of the simulated Slack uses the real app in a browser: subscribes a channel, gets its message, asks why, snoozes,
 * and closes a task as themself. Behind the page run `tidings serve`, Slack and the account.
 */

import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findViolations, type OpenedPage, openBrowser, openPage } from './chromium.ts';
import { type SlackService, startSlackService } from './slack-service.ts';

let service: SlackService;
let browser: Browser;
let opened: OpenedPage;

beforeAll(async () => {
  [service, browser] = await Promise.all([startSlackService(), openBrowser()]);
  opened = await openPage(browser, { bypassCSP: true });
});

afterAll(async () => {
  await browser.close();
  await service.stop();
});

const type = async (page: Page, text: string) => {
  await page.getByLabel('Message #team').fill(text);
  await page.keyboard.press('Enter');
};

it('subscribes itself, gets a message, asks why, snoozes, and closes a task as themself', async () => {
  const { page, problems } = opened;
  const { simulator, slack, me } = service;
  page.setDefaultTimeout(60_000);
  // Titles that HTML does not change.
  const tasks = simulator.account.list('task', { excludeclosed: 't' });
  const [first, second] = tasks.filter(({ title }) => /^[\w ]+$/.test(String(title)));
  await page.goto(`${slack.url}/?channel=team`);

  await type(page, '/tidings subscribe task.due_date_changed task.closed');
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await page.getByText('subscribed this channel to').waitFor();

  // By the person who closes it later: the poll may come too soon to know that the two changes are not one.
  const move = (id: unknown, day: string) =>
    simulator.account.update('task', String(id), { datedue: day }, { by: me.personid });
  move(first?.id, '2030-01-15');
  await page.getByRole('button', { name: 'Snooze until tomorrow' }).waitFor();
  await page.getByRole('button', { name: 'Why?' }).first().click();
  const isPrivate = { hasText: 'Only visible to you' };
  await page.locator('article', isPrivate).filter({ hasText: 'the newest first' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Snooze until tomorrow' }).click();
  await page.getByText('snoozed this in this channel').waitFor();

  move(second?.id, '2030-01-16');
  await page.getByRole('button', { name: 'Close task' }).nth(1).waitFor();
  const card = page.locator('article', { hasText: String(second?.title) }).first();
  await card.getByRole('button', { name: 'Close task' }).click();
  await page.getByText('link your API token first').waitFor();
  await type(page, '/tidings connect');
  await page.getByLabel('from your profile in the account').fill(me.token);
  await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click();
  await page.getByText(`Connected as ${me.name}`).waitFor();
  await card.getByRole('button', { name: 'Close task' }).click();
  await page.getByText(`@${me.name} closed this task.`).waitFor();

  const entry = simulator.account.journal.read({ since: 0, resource: 'task', id: String(second?.id) }).at(-1);
  expect(entry).toMatchObject({ by: me.personid, after: { status: 'Closed' } });
  // The closing event names the person, from the notes of the account.
  await page
    .locator('.fields div', { hasText: new RegExp(`Changed by\\s*${me.name}`) })
    .first()
    .waitFor();
  expect(problems).toEqual([]);
});
