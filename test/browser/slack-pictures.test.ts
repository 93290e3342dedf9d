/** The pictures of docs/slack.md and the README: real messages, rendered and sent as always, shown by the simulated Slack. */

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { slackChannels } from '../../adapters/channels/slack/channel.ts';
import { openHttpTransport } from '../../adapters/http/http-transport.ts';
import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { eventTypeOf } from '../../core/events/catalogue.ts';
import { exampleEvent } from '../../core/events/examples.ts';
import type { EventData, TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';
import { type Slack, startSlack } from '../../simulator/slack/slack.ts';
import { subscription } from '../samples.ts';
import { openBrowser, openPage } from './chromium.ts';
import { takePicture } from './picture.ts';

const AT = '2026-11-24T07:30:00.000Z';
const links = {
  task: 'https://work.example.com/tasks/view/{localid}',
  invoice: 'https://work.example.com/invoices/view/{localid}',
};

function example(type: string, change: Partial<EventData> = {}, record: EventData['record'] = {}): TidingsEvent {
  const eventType = eventTypeOf(type);
  const event = eventType === undefined ? undefined : exampleEvent(eventType);
  if (event === undefined) throw new Error(`no example of ${type}`);
  return { ...event, time: AT, data: { ...event.data, ...change, record: { ...event.data.record, ...record } } };
}

const WORK: readonly string[] = [
  'Proofread the newsletter',
  'Draft the press kit',
  'Check contrast of the buttons',
  'Ask legal about the cookie banner',
  'Move the blog to the new theme',
  'Photograph the new office',
  'Write alt texts',
  'Translate the contact page',
  'Redirects for the old shop',
  'Brief the photographer',
  'Collect quotes for the brochure',
  'Set up the newsletter list',
  'Order the banners',
  'Test the checkout on phones',
  'Review the terms of delivery',
];
const PLACES: readonly (readonly [string, string])[] = [
  ['Website relaunch', 'Northwind Traders'],
  ['Autumn campaign', 'Alpine Ski House'],
  ['Fair in Leipzig', 'Fabrikam'],
];

const PEOPLE: readonly string[] = ['Ann Vogt', 'Ben Okafor', 'Cleo Marsh', 'Zoë Lind'];

/** Distinct records with a few repeated titles and projects. */
function many(type: string, count: number, daysAgo: (index: number) => number, from = 0): readonly TidingsEvent[] {
  return Array.from({ length: count }, (_, offset) => {
    const index = from + offset;
    const [project = '', client = ''] = PLACES[index % PLACES.length] ?? [];
    const due = new Date(Date.parse(AT) - daysAgo(index) * 86_400_000).toISOString().slice(0, 10);
    const title = WORK[index % WORK.length] ?? '';
    const assignees = [PEOPLE[index % PEOPLE.length] ?? ''];
    const record = {
      id: String(1000 + index),
      localid: String(100 + index),
      title,
      project,
      client,
      datedue: due,
      assignees,
    };
    return { ...example(type, {}, record), subject: `task/${1000 + index}`, id: `evt_${type}_${index}` };
  });
}

let slack: Slack;
let channels: ReturnType<typeof slackChannels>;
let browser: Browser;
const http = openHttpTransport({ allow: ['127.0.0.0/8'] });
const zone = process.env.TZ;

beforeAll(async () => {
  // The page shows times in the zone of this process.
  process.env.TZ = 'Europe/Berlin';
  slack = await startSlack({
    perSecond: Number.POSITIVE_INFINITY,
    channels: ['projects', 'mornings', 'bulk'],
    now: () => Date.parse(AT),
    members: { U024ANN: 'Ann Vogt' },
  });
  const secrets = localSecrets({ environment: { SLACK_TOKEN: slack.token }, directory: '' });
  channels = slackChannels({ http, secrets, links });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await Promise.all([http.close(), slack.close()]);
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

async function post(
  channel: string,
  events: readonly TidingsEvent[],
  change: Partial<Subscription> = {},
  thread?: string,
  fresh?: readonly string[],
) {
  const target = { token: '${SLACK_TOKEN}', channel, api: slack.apiUrl, mentions: { 'Ann Vogt': 'U024ANN' } };
  const [first, ...rest] = events;
  if (first === undefined) throw new Error('expected at least one event');
  const message: OutboundMessage = {
    subscription: subscription('team', { to: { channel: 'slack', settings: target }, ...change }),
    events: [first, ...rest],
    delivery: 'dlv_1',
    at: AT,
    timeZone: 'Europe/Berlin',
    ...(thread === undefined ? {} : { thread }),
    ...(fresh === undefined ? {} : { fresh }),
  };
  return (await channels.channelFor(target).send(message)).thread;
}

async function picture(channel: string, name: string, colorScheme: 'light' | 'dark', shows: readonly string[]) {
  const { page, close } = await openPage(browser, {
    viewport: { width: 900, height: 300 },
    deviceScaleFactor: 1.25,
    timezoneId: 'Europe/Berlin',
    colorScheme,
  });
  await page.goto(`${slack.url}/?channel=${channel}`);
  const text = await page.locator('main').innerText();
  for (const one of shows) expect(text).toContain(one);
  await takePicture(page, name, { isWhole: true });
  await close();
}

test('a task that is overdue, with a reply in its thread, a payment, and a receiver that fails', async () => {
  const by = { id: '2', name: 'Ben Okafor' };
  const root = await post('projects', [example('task.overdue')]);
  const changes = [{ field: 'datedue', from: '2026-11-20', to: '2026-11-27' }];
  const moved = example('task.due_date_changed', { by, changes }, { datedue: '2026-11-27' });
  await post('projects', [moved], {}, root);
  await post('projects', [example('invoice.payment_received')]);
  await post('projects', [example('subscription.failing')]);
  await picture('projects', 'slack-message', 'light', ['has been overdue since', 'Ben Okafor', 'Payment', 'failing']);
});

test('a digest of twelve tasks overdue and three due soon', async () => {
  const open = [...many('task.overdue', 12, (index) => 1 + (index % 5)), ...many('task.due_soon', 3, () => -1, 12)];
  // What became overdue or due since the last digest.
  const fresh = open.filter(({ data: { record } }) => String(record.datedue) >= '2026-11-23').map(({ id }) => id);
  await post('mornings', open, { digest: { at: '08:30' } }, undefined, fresh);
  await picture('mornings', 'slack-digest', 'light', ['12 tasks overdue', '3 tasks due soon', 'Website relaunch']);
});

test('500 tasks closed at once', async () => {
  await post(
    'bulk',
    many('task.closed', 500, () => 0),
  );
  await picture('bulk', 'slack-storm', 'dark', ['500 tasks', '470 more']);
});
