/** The page of the simulated Slack in a browser, with an app of a few lines behind it. */

import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Slack, startSlack } from '../../simulator/slack/slack.ts';
import { call, sendJson, startTestApp, type TestApp } from '../simulator/slack/slack-app.ts';
import { findViolations, type OpenedPage, openBrowser, openPage } from './chromium.ts';

const PEOPLE = [
  { id: 'U024ANN', name: 'Ann Vogt', isAdmin: true },
  { id: 'U025BEN', name: 'Ben Roth' },
  { id: 'U026GIL', name: 'Gil Marten', guest: 'single-channel' as const },
];
const CHANNELS = [
  'general',
  { name: 'board', isPrivate: true, members: ['U024ANN'] },
  { name: 'client', isShared: true, members: ['U024ANN', 'U026GIL'] },
];

const plain = (text: string) => ({ type: 'plain_text', text });
const marked = (text: string) => ({ type: 'mrkdwn', text });
const EVIL = '<img src=x onerror=alert(1)><script>alert(1)</script>"\'';

const CARD = {
  text: 'x',
  attachments: [
    {
      color: '#e01e5a',
      blocks: [
        { type: 'section', text: marked('*Task overdue*: Review the brief, due 2 days ago') },
        { type: 'context', elements: [marked('Website relaunch · Ann Vogt')] },
        {
          type: 'actions',
          block_id: 'row',
          elements: [
            { type: 'button', action_id: 'why', text: plain('Why?') },
            {
              type: 'button',
              action_id: 'close',
              style: 'danger',
              text: plain('Close task'),
              confirm: {
                title: plain('Close this task?'),
                text: plain('Everyone in this channel sees who closed it.'),
                confirm: plain('Close task'),
                deny: plain('Cancel'),
                style: 'danger',
              },
            },
            { type: 'datepicker', action_id: 'due', initial_date: '2026-11-16' },
          ],
        },
      ],
    },
  ],
};

const MODAL = {
  type: 'modal',
  callback_id: 'subscribe',
  title: plain('Subscribe #general'),
  submit: plain('Preview'),
  close: plain('Cancel'),
  blocks: [
    { type: 'section', text: marked(`Everyone in this channel can read these events. ${EVIL}`) },
    {
      type: 'input',
      block_id: 'events',
      label: plain('Events'),
      element: {
        type: 'checkboxes',
        action_id: 'list',
        options: ['task.overdue', 'task.closed', 'invoice.paid'].map((value) => ({ text: plain(value), value })),
      },
    },
    {
      type: 'input',
      block_id: 'only',
      optional: true,
      label: plain('Only'),
      hint: plain('Such as project:"Website relaunch"'),
      element: { type: 'plain_text_input', action_id: 'text' },
    },
    {
      type: 'input',
      block_id: 'when',
      label: plain('When'),
      element: {
        type: 'static_select',
        action_id: 'choice',
        options: ['at once', 'daily'].map((value) => ({ text: plain(value), value })),
      },
    },
    {
      type: 'input',
      block_id: 'at',
      optional: true,
      label: plain('At'),
      element: { type: 'timepicker', action_id: 'time' },
    },
  ],
};

let browser: Browser;
let app: TestApp;
let slack: Slack;
let opened: OpenedPage;

beforeAll(async () => {
  [browser, app] = await Promise.all([openBrowser(), startTestApp()]);
});
afterAll(() => Promise.all([browser.close(), app.stop()]));

beforeEach(async () => {
  app.received.length = 0;
  app.answer = (_, response) => response.end();
  slack = await startSlack({
    // A clock that stands still, so that no trigger expires on a busy machine.
    now: () => 1_794_000_000_000,
    people: PEOPLE,
    channels: CHANNELS,
    perSecond: Number.POSITIVE_INFINITY,
    hints: ['/tidings help'],
    app: { urls: app.url, ackTimeoutMs: 60_000 },
  });
  opened = await openPage(browser, { bypassCSP: true });
});
afterEach(async () => {
  expect(opened.problems).toEqual([]);
  await opened.close();
  await slack.close();
});

const last = () => app.received.at(-1)?.body;

describe('the page of the simulated Slack', () => {
  it('sends a command as the chosen person and shows the answer to them alone', async () => {
    const { page } = opened;
    app.answer = (_, response) => response.end('14 messages, about 2 a day');
    await page.goto(`${slack.url}/?channel=general`);
    await page.getByLabel('You are').selectOption('U025BEN');
    await page.getByLabel('Message #general').fill('/tidings subscribe task.overdue');
    await page.keyboard.press('Enter');
    await page.getByText('14 messages, about 2 a day').waitFor();
    expect(last()).toMatchObject({ user_id: 'U025BEN', text: 'subscribe task.overdue' });
    expect(await page.getByText('Only visible to you').count()).toBe(1);
    expect(await page.getByLabel('Message #general').inputValue()).toBe('');
    await page.getByLabel('You are').selectOption('U024ANN');
    await page.getByText('No messages yet.').waitFor();
  });

  it('shows each person their channels', async () => {
    const { page } = opened;
    const listed = () => page.locator('nav a').allInnerTexts();
    await page.goto(`${slack.url}/?as=U024ANN`);
    expect((await listed()).join()).toContain('board');
    await page.goto(`${slack.url}/?as=U026GIL`);
    expect((await listed()).join()).not.toMatch(/board|general/);
  });

  it('presses buttons, after a confirmation where there is one, and picks a day', async () => {
    const { page } = opened;
    await call(slack, 'chat.postMessage', { channel: 'general', ...CARD });
    await page.goto(`${slack.url}/?channel=general`);
    await page.getByRole('button', { name: 'Why?' }).click();
    await expect.poll(() => last()?.actions[0]).toMatchObject({ action_id: 'why', block_id: 'row' });
    await page.getByRole('button', { name: 'Close task' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(app.received).toHaveLength(1);
    await page.getByRole('button', { name: 'Close task' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close task' }).click();
    await expect.poll(() => last()?.actions[0]).toMatchObject({ action_id: 'close' });
    await page.locator('input[type=date]').fill('2026-12-24');
    await expect.poll(() => last()?.actions[0]).toMatchObject({ action_id: 'due', selected_date: '2026-12-24' });
    expect(last().user.id).toBe('U024ANN');
  });

  it('mentions the app in a thread', async () => {
    const { page } = opened;
    const { ts } = await call(slack, 'chat.postMessage', { channel: 'general', text: 'the root' });
    await page.goto(`${slack.url}/?channel=general`);
    await page.getByRole('link', { name: 'Reply in thread' }).click();
    await page.getByLabel('Reply in thread').fill('@Tidings subscribe');
    await page.getByRole('button', { name: 'Reply' }).click();
    await expect.poll(() => last()?.event).toMatchObject({ type: 'app_mention', thread_ts: ts, user: 'U024ANN' });
    await page.getByText('1 reply').waitFor();
  });

  it('fills a modal, shows its errors, and keeps what was typed while new messages arrive', async () => {
    const { page } = opened;
    app.answer = ({ body }, response) => {
      response.end();
      if (body.command !== undefined) void call(slack, 'views.open', { trigger_id: body.trigger_id, view: MODAL });
    };
    await page.goto(`${slack.url}/?channel=general`);
    await page.getByLabel('Message #general').fill('/tidings');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Subscribe #general' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByLabel('Only').fill(`project:"Website" ${EVIL}`);
    await call(slack, 'chat.postMessage', { channel: 'general', text: 'a new message' });
    await page.getByText('a new message').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Please complete this required field.').first().waitFor();
    expect(await page.getByLabel('Only').inputValue()).toBe(`project:"Website" ${EVIL}`);
    await page.getByLabel('task.overdue').check();
    await page.getByLabel('invoice.paid').check();
    await page.getByLabel('When').selectOption('daily');
    await page.getByLabel('At', { exact: true }).fill('08:30');
    app.answer = (_, response) => sendJson(response, { response_action: 'errors', errors: { only: 'No such field.' } });
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('No such field.').waitFor();
    expect(last().view.state.values).toMatchObject({
      events: { list: { selected_options: [{ value: 'task.overdue' }, { value: 'invoice.paid' }] } },
      when: { choice: { selected_option: { value: 'daily' } } },
      at: { time: { selected_time: '08:30' } },
    });
    app.answer = (_, response) => response.end();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('shows the Home tab of the app', async () => {
    const { page } = opened;
    app.answer = ({ body }, response) => {
      response.end();
      const view = {
        type: 'home',
        blocks: [
          { type: 'header', text: plain('My subscriptions') },
          {
            type: 'section',
            text: marked(`task.overdue ${EVIL}`),
            accessory: { type: 'button', action_id: 'end', text: plain('End') },
          },
        ],
      };
      if (body.event !== undefined) void call(slack, 'views.publish', { user_id: body.event.user, view });
    };
    await page.goto(slack.url);
    await page.getByRole('button', { name: 'Tidings' }).click();
    await page.getByText('My subscriptions').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'End' }).click();
    await expect.poll(() => last()?.actions?.[0]).toMatchObject({ action_id: 'end' });
  });

  it('has no accessibility violations with messages, and refuses forms of other sites', async () => {
    const { page } = opened;
    await call(slack, 'chat.postMessage', { channel: 'general', ...CARD });
    await slack.as('U025BEN').type('general', `hello ${EVIL}`);
    await page.goto(`${slack.url}/?channel=general`);
    expect(await findViolations(page)).toEqual([]);
    const foreign = await fetch(`${slack.url}/act/type`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ as: 'U024ANN', channel: 'general', text: 'x' }),
    });
    expect(foreign.status).toBe(403);
  });
});
