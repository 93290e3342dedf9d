/** Any stored subscription survives being opened and saved in the console's form: nothing is lost, nothing is red. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { rowsToWhere } from '../../console/condition-rows.ts';
import { filterToForm, formToFilter } from '../../console/filter-form.ts';
import { formToRequest, subscriptionToForm } from '../../console/subscription-form.ts';
import { eventTypes } from '../../core/events/catalogue.ts';
import { type Subscription, WEEKDAYS } from '../../core/model/subscription.ts';
import { mergePatch } from '../../manage/api/subscriptions/merge-patch.ts';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

const TYPES = eventTypes.map(({ type }) => type);

/** Texts that forms are known to change: line breaks, spaces, quotes, stars, characters of markup. */
const text = fc.oneof(
  fc.constantFrom(
    'Website relaunch',
    ' spaces ',
    'a*b',
    'two\nlines',
    'a\r\nb',
    '"quoted"',
    'none',
    '<b>&amp;</b>',
    '\nfirst',
  ),
  fc.string({ minLength: 1, maxLength: 20 }),
);
const events = fc.uniqueArray(
  fc.constantFrom(
    'task.overdue',
    'task.due_soon',
    'invoice.paid',
    'task.*',
    '*',
    '*.deleted',
    'invoice.*',
    'project.past_end',
  ),
  { minLength: 1, maxLength: 5 },
);
const alternative = fc.oneof(
  text,
  text.map((one) => ({ 'equals-ignore-case': one })),
  text.map((one) => ({ wildcard: `*${one.replace(/[\\*]/g, '\\$&')}*` })),
  text.map((one) => ({ 'anything-but': one })),
  text.map((one) => ({ prefix: one })),
  fc.constantFrom(null, { exists: false }, { exists: true }, { numeric: ['>=', 500] }, { numeric: ['>', 0, '<=', 5] }),
  fc.constantFrom(
    { date: ['<', '2026-12-01'] },
    { 'none-of': ['Draft'] },
    { 'anything-but': null },
    { cidr: '10.0.0.0/8' },
  ),
);
const where = fc.oneof(
  fc
    .dictionary(
      fc.constantFrom('project', 'status', 'total', 'datedue', 'assignees', 'severity', 'projectid', 'unheard_of'),
      fc.array(alternative, { minLength: 1, maxLength: 3 }),
      { minKeys: 1, maxKeys: 3 },
    )
    .map((record) => ({ data: { record } })),
  fc.constantFrom({ subject: ['task/1'] }, { $or: [{ type: [{ prefix: 'task.' }] }, { source: ['/sources/main'] }] }),
);
const time = fc.constantFrom('08:30', '00:00', '23:59', '17:05');
const days = fc.uniqueArray(fc.constantFrom(...WEEKDAYS), { minLength: 1, maxLength: 7 });
const digest = fc.record(
  { at: time, days, list: fc.constantFrom('open', 'new'), groupBy: fc.constantFrom('project', 'person') },
  { requiredKeys: ['at'] },
);
const quiet = fc.oneof(
  fc.record({ from: time, until: time }),
  fc.record({ days }),
  fc.record({ from: time, until: time, days }),
);
const pairs = fc.dictionary(
  fc.constantFrom('ann@example.com', 'Ben: Okafor', 'zoe'),
  fc.constantFrom('U0123456789', 'x:y'),
  {
    minKeys: 1,
  },
);

/** Settings of each channel: each kind of receiver, with and without what is optional. */
const settings: Readonly<Record<string, fc.Arbitrary<object>>> = {
  http: fc.record(
    {
      url: fc.constantFrom('https://a.example/x', 'https://b.example/?q=1'),
      secret: fc.constant('derived:00000000:new:0'),
      headers: fc.dictionary(fc.constantFrom('x-a', 'x-b'), fc.constantFrom('sealed:1', 'sealed:2'), { minKeys: 1 }),
      auth: fc.oneof(
        fc.record({ bearer: fc.constant('sealed:3') }),
        fc.record({ basic: fc.record({ user: text, password: fc.constant('sealed:4') }) }),
      ),
      format: fc.constantFrom('cloudevents', 'thin', 'standard'),
      contentType: fc.constantFrom('application/json', 'application/cloudevents+json'),
    },
    { requiredKeys: ['url', 'secret'] },
  ),
  slack: fc.oneof(
    fc.record({ webhook: fc.constant('sealed:1') }),
    fc.record(
      {
        channel: fc.constantFrom('#ops', 'C012'),
        token: fc.constant('sealed:2'),
        threads: fc.constantFrom('all', 'late', 'none'),
        thread: fc.constant('1731750000.000100'),
        api: fc.constant('https://slack.example/api/'),
        mentions: pairs,
      },
      { requiredKeys: ['channel'] },
    ),
    fc.record(
      {
        to: fc.constantFrom('assignees', 'projectmanager'),
        fallback: fc.constant('#team'),
        token: fc.constant('sealed:2'),
      },
      { requiredKeys: ['to'] },
    ),
  ),
  email: fc.oneof(
    fc.record({ to: fc.constantFrom(['ann@example.com'], ['ann@example.com', 'ben@example.com']) }),
    fc.record(
      {
        to: fc.constantFrom('assignees', 'owners', 'followers', 'projectmanager'),
        fallback: fc.constant('o@example.com'),
      },
      { requiredKeys: ['to'] },
    ),
  ),
  bus: fc.record({ name: fc.constantFrom('default', 'arn:aws:events:eu-central-1:123456789012:event-bus/x') }),
  pagerduty: fc.record(
    { routingKey: fc.constant('sealed:1'), api: fc.constant('https://events.eu.pagerduty.com/') },
    { requiredKeys: ['routingKey'] },
  ),
};
const chat = fc.record(
  { webhook: fc.constant('sealed:1'), mentions: pairs, to: fc.constant('assignees'), fallback: fc.constant('town') },
  { requiredKeys: ['webhook'] },
);
const discord = fc.record({ webhook: fc.constant('sealed:1'), forum: fc.boolean() }, { requiredKeys: ['webhook'] });

const subscriptionOf = (channel: string) => {
  const { gathers, templateParts } = channelRegistry.get(channel) ?? { gathers: false, templateParts: {} };
  const template = Object.fromEntries(
    Object.entries(templateParts).map(([part, { form }]) => [
      part,
      form === 'json' ? fc.constantFrom({ a: ['{{ record.title }}', 1, null] }, ['x'], 'text\nof two lines') : text,
    ]),
  );
  const timed = {
    digest,
    quiet,
    gather: fc.constantFrom(0, 30_000, 3_600_000),
    dayStartsAt: fc.constantFrom('off', '06:00'),
  };
  return fc.record(
    {
      name: fc.constant('any'),
      events,
      where,
      to: (settings[channel] ?? (channel === 'discord' ? discord : chat)).map((own) => ({ channel, settings: own })),
      ...(gathers ? timed : {}),
      timeZone: fc.constantFrom('Europe/Berlin', 'UTC'),
      rate: fc.constantFrom({ count: 30, per: 60_000 }, { count: 1, per: 1000 }),
      concurrency: fc.constantFrom(1, 64),
      ...(Object.keys(template).length === 0 ? {} : { template: fc.record(template, { requiredKeys: [] }) }),
      declared: fc.constant(false as const),
    },
    { requiredKeys: ['name', 'events', 'to', 'declared'] },
  );
};

/** What a browser sends: line breaks as CR LF in areas, none in lines, and check boxes in the order of the page. */
function asSent(form: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map(
    [...form].map(([name, value]) => {
      const isBoxes = ['events', 'digest.days', 'quiet.days'].includes(name);
      if (isBoxes) return [name, value.split('\n').toReversed().join('\n')];
      const isLine = /^(condition\..*|to\.(url|channel|thread|auth.*|name)|timeZone|rate)$/.test(name);
      return [name, isLine ? value.replaceAll(/[\r\n]/g, '') : value.replaceAll(/\r\n?|\n/g, '\r\n')];
    }),
  );
}

describe.each([...channelRegistry.keys()])('a stored subscription to %s', (channel) => {
  it('that is opened and saved changes nothing', () => {
    fc.assert(
      fc.property(subscriptionOf(channel), (stored) => {
        const known = stored as Subscription;
        const form = asSent(subscriptionToForm(known, TYPES));
        expect(formToRequest(form, { types: TYPES, known })).toEqual({ body: {}, errors: [] });
      }),
      { numRuns: 300 },
    );
  });

  it('of which one thing is changed keeps all others', () => {
    fc.assert(
      fc.property(subscriptionOf(channel), (stored) => {
        const known = stored as Subscription;
        const form = new Map([...asSent(subscriptionToForm(known, TYPES)), ['timeZone', 'Asia/Tokyo']]);
        const { body, errors } = formToRequest(form, { types: TYPES, known });
        expect(errors).toEqual([]);
        expect(body).toEqual({ timeZone: 'Asia/Tokyo' });
        expect(mergePatch(known, body)).toEqual({ ...(mergePatch(known, {}) as object), timeZone: 'Asia/Tokyo' });
      }),
      { numRuns: 100 },
    );
  });
});

const rows = fc.array(
  fc.record({
    key: fc.constantFrom('project', 'status', 'total', 'due', 'assignee', 'priority', 'title', 'projectid'),
    operator: fc.constantFrom(
      'is',
      'is-not',
      'contains',
      'contains-not',
      'like',
      'empty',
      'empty-not',
      '>=',
      '<',
      '>',
      '=',
      '<-not',
    ),
    value: fc.oneof(text, fc.constantFrom('500', '1000', '2026-12-01', 'a*b*', 'yes')),
  }),
  { minLength: 1, maxLength: 4 },
);

it('conditions that people make in rows are shown as rows again, and mean the same', () => {
  let shown = 0;
  fc.assert(
    fc.property(events, rows, (globs, made) => {
      const compiled = rowsToWhere(globs, made, TYPES);
      fc.pre(compiled.where !== undefined);
      const filter = { events: globs, where: compiled.where };
      const form = asSent(new Map(filterToForm(filter, TYPES)));
      if (form.get('content') === 'rows') shown += 1;
      const { body, errors } = formToFilter(form, { types: TYPES });
      expect(errors).toEqual([]);
      expect(new Set(body.events as string[])).toEqual(new Set(globs));
      expect(body.where).toEqual(filter.where);
    }),
    { numRuns: 500 },
  );
  expect(shown).toBeGreaterThan(400);
});

it('a filter that no rows say is kept as JSON', () => {
  fc.assert(
    fc.property(events, where, (globs, pattern) => {
      const form = asSent(new Map(filterToForm({ events: globs, where: pattern }, TYPES)));
      expect(formToFilter(form, { types: TYPES })).toMatchObject({ body: { where: pattern }, errors: [] });
    }),
    { numRuns: 500 },
  );
});

it('more event types than a query can name keep their conditions', () => {
  const all = TYPES.filter((type) => type.startsWith('task') || type.startsWith('invoice'));
  const row = { key: 'project', operator: 'is', value: 'Website relaunch' };
  const { where: compiled, errors } = rowsToWhere(all, [row], TYPES);
  expect(errors).toEqual([]);
  expect(JSON.stringify(compiled)).toContain('Website relaunch');
});

describe('in the console', () => {
  let world: ConsoleWorld;
  beforeAll(async () => {
    world = await startConsoleWorld({
      config: {
        mail: { from: 'T <t@example.com>', smtp: '${TOKEN}' },
        slack: { token: '${TOKEN}', appToken: '${TOKEN}' },
      },
    });
  });
  afterAll(() => world.stop());

  it('one with an owner, a maker, an end and a former name keeps them, and opens without errors', async () => {
    const stored: Subscription = {
      name: 'kept',
      events: ['task.due_soon', 'task.overdue'],
      where: { data: { record: { project: [{ prefix: 'Web' }] } } },
      to: { channel: 'slack', settings: { channel: '#ops' } },
      template: { text: '\nfirst\r\nsecond' },
      digest: { at: '08:30', list: 'new', groupBy: 'person' },
      declared: false,
      owner: 'slack:C1',
      madeBy: { id: 'U1', name: 'ann', query: 'task.overdue', request: 'r' },
      createdAt: world.clock.now(),
      expiresAt: '2126-01-01T00:00:00.000Z',
      removeWhenGone: true,
    };
    await world.api.subscriptions.add(stored);
    const before = await world.api.subscriptions.get('kept');
    const browser = await world.logInAs();
    const { text: page } = await browser.get('/console/subscriptions/kept/edit');
    expect(page).not.toMatch(/class="wrong"|role="alert"|aria-invalid/);
    const etag = (/name="etag" value="([^"]*)"/.exec(page)?.[1] ?? '').replaceAll('&quot;', '"');
    const form = asSent(subscriptionToForm(stored, TYPES));
    const sent = { ...Object.fromEntries(form), csrf: await browser.csrf(), etag };
    const saved = await browser.post('/console/subscriptions/kept/edit', sent);
    expect(saved.location).toBe('/console/subscriptions/kept?done=saved');
    expect(await world.api.subscriptions.get('kept')).toEqual(before);
  });
});
