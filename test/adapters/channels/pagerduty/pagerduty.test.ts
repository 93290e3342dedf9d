import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { renderPagerDutyEvent } from '../../../../adapters/channels/pagerduty/channel.ts';
import { pagerDutyChannel } from '../../../../adapters/channels/pagerduty/definition.ts';
import { openDatabase } from '../../../../adapters/sqlite/database.ts';
import { announce } from '../../../../core/events/announce.ts';
import { eventTypes } from '../../../../core/events/catalogue.ts';
import { fixedClock } from '../../../../core/model/time.ts';
import { parseConfig } from '../../../../runtime/config/load.ts';
import { openEmbedded } from '../../../../runtime/embedded/embedded.ts';
import type { JsonObject } from '../../../../simulator/chat/json.ts';
import { checkEvent, type PagerDuty, startPagerDuty } from '../../../chats/pagerduty/pagerduty.ts';
import { channelContract } from '../../../contract/channel.ts';
import { deliverJob } from '../../../deliver-job.ts';
import { NOON, snapshot } from '../../../samples.ts';
import { anyEvent, example, links, outboundMessage } from '../slack/slack-samples.ts';
import { HOSTILE_TITLES } from '../webhook-chat/chat-samples.ts';
import { openChat } from '../webhook-chat/open-chat.ts';

const KEY = 'R0KeyOfTheService0123456789abcde';
const json = (value: object) => JSON.stringify(value);

channelContract('PagerDuty', ({ patience }) =>
  openChat(
    {
      definition: pagerDutyChannel,
      settings: (url) => ({ routingKey: '${KEY}', api: `${url}/` }),
      key: KEY,
      accept: [202, json({ status: 'success', message: 'Event processed' })],
      refuseForNow: [500, ''],
      refuseForGood: [400, json({ status: 'invalid event', errors: ["'payload.summary' is missing or blank"] })],
      gone: [400, json({ status: 'invalid event', errors: ["'routing_key' is invalid"] })],
      slowDown: (seconds) => [429, '', { 'retry-after': String(seconds) }],
    },
    patience,
  ),
);

const render = (...given: Parameters<typeof outboundMessage>) =>
  renderPagerDutyEvent(outboundMessage(...given), { links });

describe('an event', () => {
  it('that is late triggers the alert of its record, with the facts and a link', () => {
    expect(render([example('task.overdue')])).toEqual({
      path: 'v2/enqueue',
      body: {
        event_action: 'trigger',
        dedup_key: expect.stringMatching(/^tidings \/sources\/\w+ task\/412$/),
        client: 'Tidings',
        payload: expect.objectContaining({
          summary: expect.stringContaining('Task “Proofread the newsletter” has been overdue since Sat 21 Nov'),
          severity: 'error',
          component: 'task',
          class: 'task.overdue',
          custom_details: expect.objectContaining({ Due: 'Fri 20 Nov (4 days late)' }),
        }),
        links: [{ href: expect.stringMatching(/^https:\/\/work\.example\.com\//), text: 'Open the record' }],
      },
    });
  });

  it.each(['task.closed', 'task.deleted', 'task.back_on_track'])('%s resolves the alert of the same record', (type) => {
    const { dedup_key } = render([example('task.overdue')]).body;
    expect(render([example(type)])).toEqual({ path: 'v2/enqueue', body: { event_action: 'resolve', dedup_key } });
  });

  it.each(eventTypes.map(({ type, urgency }) => [type, urgency] as const))(
    '%s is a trigger, a resolve or a change',
    (type, urgency) => {
      const { path, body } = render([example(type)]);
      const isEnd = /\.(closed|paid|deleted|deactivated|recovered|back_on_track)$/.test(type);
      const expected = isEnd ? 'resolve' : urgency === 'late' || urgency === 'soon' ? 'trigger' : undefined;
      expect([path, body.event_action]).toEqual([
        expected === undefined ? 'v2/change/enqueue' : 'v2/enqueue',
        expected,
      ]);
    },
  );

  it('of a test is a change event, which wakes no one', () => {
    const { path, body } = render([example('task.overdue')], { mark: 'test' });
    expect(path).toBe('v2/change/enqueue');
    expect(body).toMatchObject({ payload: { summary: expect.stringMatching(/^🧪 Test message/) } });
  });

  it('has the summary of a template', () => {
    const message = outboundMessage([example('task.overdue')]);
    const { body } = renderPagerDutyEvent(message, { links, summary: 'Call Ann' });
    expect(body).toMatchObject({ payload: { summary: 'Call Ann' } });
  });

  it('is accepted whatever the record contains', () => {
    fc.assert(
      fc.property(anyEvent, fc.constantFrom(undefined, 'test' as const, 'replay' as const), (event, mark) => {
        const { path, body } = render([event], { mark });
        const sent = JSON.parse(json({ routing_key: KEY, ...body })) as JsonObject;
        expect(checkEvent(sent, path === 'v2/change/enqueue', KEY)).toEqual([]);
        expect(Buffer.byteLength(json(sent))).toBeLessThan(64_000);
      }),
      { numRuns: 150 },
    );
  });

  it.each(HOSTILE_TITLES)('with the title %j adds no link', (title) => {
    const { body } = render([example('task.overdue', { title, project: title })]);
    expect(body.links).toEqual([
      expect.objectContaining({ href: expect.stringMatching(/^https:\/\/work\.example\.com\//) }),
    ]);
  });
});

describe('a service', () => {
  let pagerDuty: PagerDuty | undefined;
  afterEach(async () => {
    await pagerDuty?.close();
    pagerDuty = undefined;
  });

  const configOf = (api: string, change: object = {}) =>
    parseConfig(
      'pagerduty.json',
      json({
        source: { baseUrl: 'https://work.example.com/api', token: '${TOKEN}' },
        network: { allowHttp: true, allow: ['127.0.0.0/8'] },
        subscriptions: [
          { name: 'oncall', events: ['task.*'], to: { pagerduty: { routingKey: '${PD_KEY}', api } }, ...change },
        ],
      }),
      { TOKEN: 't', PD_KEY: 'R0STANDINKEY0123456789ABCDEF0123' },
    );

  it('gets an event through announce, SQLite and deliver at once', async () => {
    pagerDuty = await startPagerDuty();
    const environment = { TOKEN: 't', PD_KEY: pagerDuty.routingKey };
    const database = openDatabase(':memory:');
    const options = { database, environment, clock: fixedClock(NOON), holder: 'test', random: () => 0.5 };
    const embedded = await openEmbedded({ config: configOf(pagerDuty.apiUrl), ...options });
    const before = snapshot('1');
    const record = { id: '1', title: 'Task 1', status: 'Closed', dateclosed: null };
    await announce(embedded, [{ before, after: snapshot('1', { version: 2, record, stage: { closed: true } }) }]);
    const all = await embedded.deliveries.list({ limit: 9 });
    for (const { id } of all)
      await deliverJob(embedded, { kind: 'attempt', delivery: id, attempt: 1, group: 'oncall' });
    const done = await embedded.deliveries.list({ limit: 9 });
    expect(done.map(({ status }) => status)).toEqual(all.map(() => 'settled'));
    expect(pagerDuty.requests).toBe(all.length);
    // Nothing was open, so the resolve changed nothing.
    expect(pagerDuty.alerts).toEqual([]);
    await embedded.close();
  });

  it('triggers, repeats and resolves one alert for each record', async () => {
    pagerDuty = await startPagerDuty();
    const { apiUrl, routingKey, alerts } = pagerDuty;
    const post = async (type: string) => {
      const { path, body } = render([example(type)]);
      await fetch(`${apiUrl}${path}`, { method: 'POST', body: json({ routing_key: routingKey, ...body }) });
    };
    await post('task.overdue');
    await post('task.over_estimate');
    expect(alerts).toMatchObject([{ isOpen: true, count: 2 }]);
    await post('task.closed');
    expect(alerts).toMatchObject([{ isOpen: false }]);
    await post('task.assigned');
    expect(pagerDuty.changes).toHaveLength(1);
    const page = await (await fetch(pagerDuty.url)).text();
    expect(page).toContain('Resolved');
  });

  it.each(['gather', 'digest', 'quiet'])('rejects %s, because an alert is about one record', (option) => {
    const values = { gather: '10s', digest: { at: '08:30' }, quiet: { from: '20:00', until: '08:00' } };
    const change = { [option]: values[option as keyof typeof values] };
    expect(() => configOf('https://events.pagerduty.com/', change)).toThrow(
      `subscriptions[0].${option}: expected nothing here: pagerduty sends each event at once`,
    );
  });

  it('rejects mentions and plain http in its settings', () => {
    const to = { pagerduty: { routingKey: '${PD_KEY}', mentions: {} } };
    expect(() => configOf('https://events.pagerduty.com/', { to })).toThrow('mentions');
  });
});
