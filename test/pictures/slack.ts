/**
 * Takes the pictures of docs/slack.md: real messages, rendered and sent as always, shown by the simulated Slack.
 * Run it with `node test/pictures/slack.ts`; it needs Chromium, at CHROMIUM or /usr/bin/chromium.
 */

import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { slackChannels } from '../../adapters/channels/slack/channel.ts';
import { openHttpTransport } from '../../adapters/http/http-transport.ts';
import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { eventTypeOf } from '../../core/events/catalogue.ts';
import { exampleEvent } from '../../core/events/examples.ts';
import type { EventData, TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';
import { startSlack } from '../../simulator/slack/slack.ts';
import { subscription } from '../samples.ts';

// The page shows times in the zone of the machine.
process.env.TZ = 'Europe/Berlin';

const AT = '2026-11-24T07:30:00.000Z';
const images = join(import.meta.dirname, '../../docs/images');
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
];
const PLACES: readonly (readonly [string, string])[] = [
  ['Website relaunch', 'Northwind Traders'],
  ['Autumn campaign', 'Alpine Ski House'],
  ['Fair in Leipzig', 'Fabrikam'],
];

const PEOPLE: readonly string[] = ['Ann Vogt', 'Ben Okafor', 'Cleo Marsh', 'Zoë Lind'];

/** Distinct records with a few repeated titles and projects. */
function many(type: string, count: number, daysAgo: (index: number) => number): readonly TidingsEvent[] {
  return Array.from({ length: count }, (_, index) => {
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

const slack = await startSlack({
  perSecond: Number.POSITIVE_INFINITY,
  channels: ['projects', 'finance', 'operations', 'mornings', 'bulk'],
  now: () => Date.parse(AT),
  members: { U024ANN: 'Ann Vogt' },
});
const secrets = localSecrets({ environment: { SLACK_TOKEN: slack.token }, directory: '' });
const http = openHttpTransport({ allow: ['127.0.0.0/8'] });
const channels = slackChannels({ http, secrets, links });

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

const by = { id: '2', name: 'Ben Okafor' };
const root = await post('projects', [example('task.overdue')]);
await post(
  'projects',
  [
    example(
      'task.due_date_changed',
      { by, changes: [{ field: 'datedue', from: '2026-11-20', to: '2026-11-27' }] },
      { datedue: '2026-11-27' },
    ),
  ],
  {},
  root,
);
await post('projects', [example('invoice.payment_received')]);
await post('projects', [example('subscription.failing')]);
await post('finance', [example('invoice.paid', { by })]);
await post('finance', [example('invoice.partially_paid')]);
await post('finance', [example('invoice.overdue_reminder')]);
await post('operations', [example('subscription.disabled')]);
await post('operations', [example('source.unauthorized')]);
await post('operations', [example('source.recovered')]);
const open = [
  ...many('task.overdue', 12, (index) => 1 + (index % 5)),
  ...many('task.due_soon', 3, () => -1).map((event, index) => ({ ...event, subject: `task/${2000 + index}` })),
];
// What became overdue or due since the last digest.
const fresh = open.filter(({ data: { record } }) => String(record.datedue) >= '2026-11-23').map(({ id }) => id);
await post('mornings', open, { digest: { at: '08:30' } }, undefined, fresh);
await post(
  'bulk',
  many('task.closed', 500, () => 0),
);

async function take(page: Page, channel: string, name: string): Promise<void> {
  await page.goto(`${slack.url}/?channel=${channel}`);
  await page.screenshot({ path: join(images, name), fullPage: true });
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const context = {
    viewport: { width: 900, height: 300 },
    deviceScaleFactor: 1.5,
    timezoneId: 'Europe/Berlin',
  } as const;
  const day = await browser.newPage(context);
  await take(day, 'projects', 'slack-message.png');
  await take(day, 'mornings', 'slack-digest.png');
  const night = await browser.newPage({ ...context, colorScheme: 'dark' });
  await take(night, 'bulk', 'slack-storm.png');
} finally {
  await browser.close();
  await Promise.all([http.close(), slack.close()]);
}
