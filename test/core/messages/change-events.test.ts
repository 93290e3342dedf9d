import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMail } from '../../../adapters/channels/email/render-mail.ts';
import { renderSlackMessage } from '../../../adapters/channels/slack/render-slack-message.ts';
import { sayEvent } from '../../../core/events/catalogue.ts';
import { customEventType } from '../../../core/events/custom-events.ts';
import { deriveEvents } from '../../../core/events/derive.ts';
import { sampleOf } from '../../../core/events/sample-records.ts';
import { groupByChange } from '../../../core/messages/change-events.ts';
import { lineOf } from '../../../core/messages/neutral-message.ts';
import { startOfDay } from '../../../core/model/calendar.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import { computeStage, defaultRules } from '../../../core/snapshot/stage.ts';
import { subscription } from '../../samples.ts';

const ZONE = 'Europe/Berlin';
const custom = [
  customEventType({
    type: 'task.in_review',
    meaning: 'Waiting for review:',
    when: { after: { status: ['Review', 'Closed'] } },
  }),
];

/** The events of one poll on 14 November that finds the record changed. */
function eventsOf(resource: string, before: Fields | null, after: Fields, on = '2026-11-14'): readonly TidingsEvent[] {
  const state = (change: Fields, version: number): Snapshot => {
    const record = { ...sampleOf(resource), ...change };
    const at = startOfDay(ZONE, on);
    return {
      key: { source: 'main', resource, id: String(record.id) },
      version,
      record,
      ...computeStage(resource, record, { timeZone: ZONE, at, rules: defaultRules }),
      deletedAt: null,
      committedAt: at,
      cause: 'poll',
      occurred: { after: at, before: at },
    };
  };
  return deriveEvents({ before: before === null ? null : state(before, 1), after: state(after, 2) }, custom);
}

const leadLine = (events: readonly TidingsEvent[]) => {
  const [[lead, ...others] = []] = groupByChange(events);
  return lead === undefined ? '' : lineOf(lead, others);
};

describe('the line of one change', () => {
  it('leads with overdue when the due date is moved into the past', () => {
    expect(leadLine(eventsOf('task', {}, { datedue: '2026-11-10' }))).toBe(
      'Task “Proofread the newsletter” has been overdue since Wed 11 Nov (Website relaunch, Northwind Traders) · now due Tue 10 Nov',
    );
  });

  it('leads with the estimate when logged time exceeds it', () => {
    expect(leadLine(eventsOf('task', { actual: 5 }, { actual: 8 }))).toBe(
      'Task “Proofread the newsletter” is 2 h over its estimate (Website relaunch, Northwind Traders) · 3 h logged',
    );
  });

  it('leads with paid when a payment settles an invoice', () => {
    const paid = { payments: 1200.5, balance: 0, datepaid: '2026-12-02', status: 'paid' };
    expect(leadLine(eventsOf('invoice', { payments: 700.5, balance: 500 }, paid))).toBe(
      'Invoice “Website relaunch, October” for Northwind Traders has been paid in full: 1,200.50 · payment of 500.00 received · paid 2 days late',
    );
  });

  it('adds what is still due to a partial payment', () => {
    expect(leadLine(eventsOf('invoice', {}, { payments: 500, balance: 700.5 }))).toBe(
      'Payment of 500.00 received on invoice “Website relaunch, October” for Northwind Traders · 700.50 still due',
    );
  });

  it('does not repeat the status of a closed task', () => {
    const closed = { statusid: '7', status: 'Done', dateclosed: '2026-11-14' };
    expect(leadLine(eventsOf('task', {}, closed))).toBe(
      'Task “Proofread the newsletter” was closed (Website relaunch, Northwind Traders)',
    );
  });

  it('leads with a custom event before good and plain news', () => {
    const closed = { statusid: '7', status: 'Closed', dateclosed: '2026-11-14' };
    expect(leadLine(eventsOf('task', {}, closed))).toBe(
      'Waiting for review: Task “Proofread the newsletter” (Website relaunch, Northwind Traders) · closed',
    );
    expect(leadLine(eventsOf('task', {}, { status: 'Review', statusid: '4', datedue: '2026-11-10' }))).toMatch(
      /^Task .* overdue since .* · waiting for review · now Review · now due/,
    );
  });

  it('names the assignee of a new task', () => {
    expect(leadLine(eventsOf('task', null, {}))).toBe(
      'Task “Proofread the newsletter” was assigned to Ann Vogt (Website relaunch, Northwind Traders) · created',
    );
  });

  it('keeps the whole lead when the additions do not fit', () => {
    const title = 'x'.repeat(190);
    const line = leadLine(eventsOf('task', { title }, { title, datedue: '2026-11-10', status: 'R', statusid: '4' }));
    expect(line).toContain('has been overdue since Wed 11 Nov');
    expect(line.length).toBeLessThanOrEqual(300);
  });
});

/** What people want to hear of first, strongest first. Written apart from the catalogue. */
const STRENGTH: Readonly<Record<string, readonly string[]>> = {
  task: [
    'overdue',
    'over_estimate',
    'due_soon',
    'stale',
    'in_review',
    'closed',
    'back_on_track',
    'reopened',
    'assigned',
    'owner_changed',
  ],
  invoice: [
    'payment_reversed',
    'overdue',
    'overdue_reminder',
    'due_soon',
    'paid',
    'payment_received',
    'partially_paid',
    'settled_late',
  ],
  project: ['past_end', 'ending_soon', 'activated'],
};

function strongestOf(resource: string, events: readonly TidingsEvent[]): TidingsEvent | undefined {
  const order = STRENGTH[resource] ?? [];
  const known = order.flatMap((name) => events.filter(({ type }) => type === `${resource}.${name}`));
  return known[0] ?? events[0];
}

const day = fc.constantFrom(null, '2026-10-01', '2026-11-10', '2026-11-14', '2026-11-15', '2026-11-20', '2027-01-05');
const people = fc.subarray(['2', '5', '9']).map((ids) => ({
  assigneeid: ids,
  assignees: ids.map((id) => ({ 2: 'Ben Okafor', 5: 'Ann Vogt', 9: 'Zoë Lind' })[id] ?? id),
}));
const status = fc.constantFrom(
  { statusid: '2', status: 'In Progress', dateclosed: null },
  { statusid: '4', status: 'Review', dateclosed: null },
  { statusid: '7', status: 'Closed', dateclosed: '2026-11-14' },
);
const RECORDS: Readonly<Record<string, fc.Arbitrary<Fields>>> = {
  task: fc
    .tuple(
      people,
      status,
      fc.record({
        datedue: day,
        estimate: fc.constantFrom(null, 2, 8),
        actual: fc.constantFrom(0, 3, 9),
        priorityid: fc.constantFrom('1', '2'),
        ownerid: fc.constantFrom(['2'], ['3']),
        followerid: fc.constantFrom([], ['9']),
        milestoneid: fc.constantFrom(null, '6'),
        moduleid: fc.constantFrom('4', '5'),
        title: fc.constantFrom('Proofread', 'Draft'),
        datemodified: fc.constantFrom('2026-10-01T10:00:00Z', '2026-11-14T08:00:00Z'),
      }),
    )
    .map(([who, state, rest]) => ({ ...who, ...state, ...rest })),
  invoice: fc
    .tuple(fc.constantFrom(0, 500, 1200.5), day, fc.constantFrom(null, '2026-11-14'))
    .map(([payments, datedue, datepaid]) => ({
      payments,
      balance: 1200.5 - payments,
      datedue,
      datepaid: payments === 1200.5 ? datepaid : null,
    })),
  project: fc.record({ active: fc.boolean(), dateend: day, budget: fc.constantFrom(null, 240) }),
};

describe('whatever events one change yields', () => {
  const slackTarget = { channel: 'slack', settings: { webhook: 'https://hooks.slack.com/services/T/B/x' } };
  const mailTarget = { channel: 'email', settings: { to: 'ops@example.com' } };
  const isInteresting = (resource: string, events: readonly TidingsEvent[]) =>
    events.filter(({ type }) => STRENGTH[resource]?.includes(type.split('.')[1] ?? '')).length > 1;

  it.each(Object.entries(RECORDS))('chat and mail say the strongest one: %s', (resource, records) => {
    let combinations = 0;
    fc.assert(
      fc.property(fc.option(records), records, fc.integer({ min: 1, max: 2 ** 20 }), (before, after, subscribed) => {
        const all = eventsOf(resource, before, after);
        // A subscription may want only some of them.
        const wanted = all.filter((_, index) => (subscribed >> (index % 20)) % 2 === 1);
        const events = wanted.length === 0 ? all : wanted;
        const [first, ...rest] = events;
        if (first === undefined) return;
        if (isInteresting(resource, events)) combinations += 1;
        const strongest = strongestOf(resource, events) ?? first;
        const outbound = (to: OutboundMessage['subscription']['to']): OutboundMessage => ({
          subscription: subscription('ops', { to }),
          events: [first, ...rest],
          delivery: 'dlv_1',
          at: '2026-11-14T12:00:00.000Z',
          timeZone: ZONE,
        });
        const { project: _, client: __, ...record } = strongest.data.record;
        const sentence = sayEvent({ ...strongest, data: { ...strongest.data, record } });
        expect(leadLine(events).startsWith(sayEvent(strongest))).toBe(true);
        expect(renderSlackMessage(outbound(slackTarget), {}).text).toContain(sayEvent(strongest));
        const mail = renderMail(outbound(mailTarget));
        expect(mail.text.startsWith(sentence)).toBe(true);
        // Subjects are cut at 150 characters.
        expect(mail.subject.startsWith(sayEvent(strongest).slice(0, 145))).toBe(true);
      }),
      { seed: 18, numRuns: 300 },
    );
    expect(combinations).toBeGreaterThan(10);
  });
});
