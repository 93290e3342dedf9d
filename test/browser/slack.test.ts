/**
 * A visitor of the simulated Slack uses the real app in a browser: subscribes a channel, gets its message, asks why, snoozes,
 * and closes a task as themself. Behind the page run `tidings serve`, Slack and the account.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { fromMillis } from '../../core/model/time.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type Slack, startSlack } from '../../simulator/slack/slack.ts';
import { runCommand } from '../cli/run-command.ts';
import { findViolations, type OpenedPage, openBrowser, openPage } from './chromium.ts';

/** Time runs faster for the service and the account, because messages wait for 30 seconds. */
const SPEED = 20;

const started = Date.now();
const now = () => started + (Date.now() - started) * SPEED;

let folder: string;
let simulator: Simulator;
let me: ReturnType<typeof managerOf>;
let slack: Slack;
let browser: Browser;
let opened: OpenedPage;
let served: Promise<unknown>;
const stop = new AbortController();

function managerOf(account: Simulator) {
  const [found] = account.tokenHolders().filter(({ role }) => role === 'Manager');
  if (found === undefined) throw new Error('no manager');
  return found;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-slack-page-'));
  simulator = await startSimulator({
    seed: 7,
    tasks: 40,
    quota: Number.POSITIVE_INFINITY,
    now: new Date(started).toISOString(),
    speed: SPEED,
  });
  me = managerOf(simulator);
  slack = await startSlack({
    perSecond: Number.POSITIVE_INFINITY,
    people: [{ id: 'U0000ANN', name: me.name }],
    channels: ['team'],
    app: { ackTimeoutMs: 60_000 },
    // The clock of Slack stands still, so that no trigger expires on a busy machine.
    now: () => started,
  });
  const config = join(folder, 'tidings.json');
  writeFileSync(
    config,
    JSON.stringify({
      source: {
        name: 'main',
        baseUrl: simulator.url,
        token: '${TOKEN}',
        attribution: true,
        resources: { task: { every: '5s' } },
      },
      slack: { token: '${SLACK_TOKEN}', appToken: '${SLACK_APP_TOKEN}', offer: ['task.*'], api: slack.apiUrl },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    }),
  );
  served = runCommand(['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0'], {
    clock: { now: () => fromMillis(now()) },
    environment: {
      TOKEN: simulator.tokens.Administrator[0] ?? '',
      SLACK_TOKEN: slack.token,
      SLACK_APP_TOKEN: slack.appToken,
    },
    stop: stop.signal,
  });
  browser = await openBrowser();
  await vi.waitFor(() => expect(slack.app.sockets.count).toBe(1), { timeout: 60_000, interval: 50 });
  opened = await openPage(browser, { bypassCSP: true });
});

afterAll(async () => {
  await browser.close();
  stop.abort();
  await served;
  await Promise.all([slack.close(), simulator.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const type = async (page: Page, text: string) => {
  await page.getByLabel('Message #team').fill(text);
  await page.keyboard.press('Enter');
};

it('subscribes itself, gets a message, asks why, snoozes, and closes a task as themself', async () => {
  const { page, problems } = opened;
  page.setDefaultTimeout(60_000);
  // Titles that HTML does not change.
  const tasks = simulator.account.list('task', { excludeclosed: 't' });
  const [first, second] = tasks.filter(({ title }) => /^[\w ]+$/.test(String(title)));
  await page.goto(`${slack.url}/?channel=team`);

  await type(page, '/tidings subscribe task.due_date_changed task.closed');
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await page.getByText('subscribed this channel to').waitFor();

  const move = (id: unknown, day: string) => simulator.account.update('task', String(id), { datedue: day });
  move(first?.id, '2030-01-15');
  await page.getByRole('button', { name: 'Snooze until tomorrow' }).waitFor();
  await page.getByRole('button', { name: 'Why?' }).first().click();
  await page.getByText('Only visible to you').waitFor();
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
