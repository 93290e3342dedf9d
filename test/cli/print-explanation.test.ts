import { describe, expect, it } from 'vitest';
import { printExplanation } from '../../cli/print-explanation.ts';
import type { ExplainedSubscription } from '../../core/delivery/explain-event.ts';
import { explainTransition } from '../../core/events/explain.ts';
import type { Attempt, Delivery } from '../../core/model/delivery.ts';
import { initialScanState } from '../../core/model/scan.ts';
import type { ExplainResult } from '../../runtime/inspect/explain.ts';
import { formatClock, formatLongDay, formatMoment, formatSpan, formatTime } from '../../runtime/terminal/dates.ts';
import { terminal, wrap } from '../../runtime/terminal/terminal.ts';
import { delivery, NOON, snapshot } from '../samples.ts';

const before = snapshot('1');
const after = snapshot('1', {
  version: 2,
  record: { ...before.record, status: 'Closed', dateclosed: '2026-11-14' },
  stage: { closed: true },
});

function printed(change: Partial<ExplainResult>): string {
  let text = '';
  const stream = { write: (more: string) => (text += more) };
  const answer: ExplainResult = {
    key: before.key,
    zone: 'Europe/Berlin',
    snapshot: after,
    ahead: [],
    scan: null,
    steps: [],
    reading: { state: 'on', nextAt: null, cadence: null },
    names: {},
    asked: null,
    ...change,
  };
  printExplanation(answer, NOON, terminal(stream, stream, {}), false);
  return text;
}

function outcome(one: Partial<ExplainedSubscription>, recorded = true): string {
  const { events, ...step } = explainTransition({ before, after });
  const subscription = {
    subscription: 'ops',
    verdict: { wanted: true } as const,
    delivery: null,
    earlier: [],
    receiverPaused: null,
    ...one,
  };
  const explained = events.slice(0, 1).map((event) => ({ event, rule: null, recorded, subscriptions: [subscription] }));
  return (
    printed({ steps: [{ ...step, events: explained }] })
      .trimEnd()
      .split('\n')
      .at(-1)
      ?.trim() ?? ''
  );
}

const LATER = '2026-11-14T13:00:00.000Z';

const attempt = (number: number, change: Partial<Attempt>): Attempt => ({
  number,
  at: NOON,
  ms: 12,
  outcome: 'retry',
  ...change,
});
const sent = (change: Partial<Delivery>) => ({ delivery: delivery('1', 'ops', change) });

describe('the outcome for a subscription', () => {
  it.each<[string, Partial<ExplainedSubscription>, string]>([
    [
      'settled',
      sent({ status: 'settled', attempts: [attempt(1, { outcome: 'accepted', status: 204 })] }),
      '✔  ops  delivered Sat 14 Nov 2026 13:00, 1 attempt, response 204 in 12 ms',
    ],
    [
      'settled together with another event',
      sent({ events: ['1', '2'], status: 'settled', attempts: [attempt(1, { outcome: 'accepted', status: 200 })] }),
      '✔  ops  delivered Sat 14 Nov 2026 13:00 with 1 other, 1 attempt, response 200 in 12 ms',
    ],
    [
      'settled, and the subscription was removed',
      { verdict: null, ...sent({ status: 'settled', attempts: [attempt(1, { outcome: 'accepted' })] }) },
      '✔  ops  delivered Sat 14 Nov 2026 13:00, 1 attempt, accepted in 12 ms; the subscription was removed',
    ],
    [
      'pending after 200 attempts, most of them no longer stored',
      sent({ dueAt: null, attempts: [attempt(1, {}), attempt(200, { message: 'ops.example.com answered 503' })] }),
      '…  ops  due now; 200 attempts so far, last Sat 14 Nov 2026 13:00: ops.example.com answered 503',
    ],
    [
      'waiting for a receiver that is paused',
      { ...sent({}), wait: { because: 'receiver-paused', until: LATER, reason: '429 from ops.example.com' } },
      '…  ops  waits: the receiver is paused until Sat 14 Nov 2026 14:00: 429 from ops.example.com',
    ],
    [
      'waiting for the end of quiet hours',
      { ...sent({}), wait: { until: LATER, because: 'quiet-hours' } },
      '…  ops  waits: quiet hours until Sat 14 Nov 2026 14:00',
    ],
    [
      'waiting for the end of a snooze',
      { ...sent({}), wait: { until: LATER, because: 'snoozed' } },
      '…  ops  waits: snoozed until Sat 14 Nov 2026 14:00',
    ],
    [
      'waiting for the rate limit',
      { ...sent({}), wait: { until: LATER, because: 'rate-limit' } },
      '…  ops  waits: the rate limit allows it at Sat 14 Nov 2026 14:00',
    ],
    [
      'waiting for its digest, for a reader by name',
      {
        ...sent({ status: 'waiting', person: 'main/3' }),
        reader: { person: 'main/3', name: 'Ann Lee', address: 'ann@example.com' },
        wait: { until: LATER, because: 'digest' },
      },
      '…  ops  Ann Lee <ann@example.com>: waits: digest at Sat 14 Nov 2026 14:00',
    ],
    [
      'held by a pause',
      { ...sent({ status: 'held', dueAt: null }), wait: { until: null, because: 'subscription-paused' } },
      '‖  ops  waits: the subscription is paused; it is sent when it is resumed',
    ],
    [
      'skipped, because the reader has unsubscribed',
      sent({
        status: 'settled',
        attempts: [attempt(1, { outcome: 'skipped', message: 'the reader has unsubscribed' })],
      }),
      '–  ops  skipped: the reader has unsubscribed',
    ],
    [
      'skipped by an earlier version, which recorded it as accepted',
      sent({
        status: 'settled',
        attempts: [attempt(1, { outcome: 'accepted', body: 'all readers have unsubscribed' })],
      }),
      '–  ops  skipped: all readers have unsubscribed',
    ],
    [
      'sent again: the earlier delivery stays',
      {
        ...sent({ status: 'settled', attempts: [attempt(1, { outcome: 'accepted', status: 204 })] }),
        earlier: [
          delivery('evt_1', 'ops', { status: 'settled', attempts: [attempt(1, { outcome: 'accepted', status: 200 })] }),
        ],
      },
      'before that: delivered Sat 14 Nov 2026 13:00, 1 attempt, response 200 in 12 ms',
    ],
    [
      'failed',
      sent({ status: 'failed', attempts: [attempt(1, {}), attempt(2, { message: 'ops.example.com answered 410' })] }),
      '✗  ops  failed Sat 14 Nov 2026 13:00 after 2 attempts: ops.example.com answered 410',
    ],
    [
      'waiting for a retry',
      {
        ...sent({ attempts: [attempt(1, { code: 'TIDINGS_HTTP_TIMEOUT' })] }),
        wait: { until: LATER, because: 'retry', reason: 'TIDINGS_HTTP_TIMEOUT' },
      },
      '…  ops  waits: the last attempt failed: TIDINGS_HTTP_TIMEOUT; next attempt at Sat 14 Nov 2026 14:00; 1 attempt so far',
    ],
    ['not attempted yet', sent({}), '…  ops  no attempt yet'],
    ['not sent, but the filters match now', {}, '·  ops  matches now, but did not match when the event was announced'],
    [
      'not sent: other event types',
      { verdict: { wanted: false, because: 'type', events: ['invoice.*'] } },
      '–  ops  other event types: invoice.*',
    ],
    [
      'not sent: where does not match',
      { verdict: { wanted: false, because: 'where', mismatches: [{ path: 'data.x', expected: '1', found: '2' }] } },
      '–  ops  where does not match: data.x: expected 1, got 2',
    ],
  ])('is printed when it is %s', (_, one, line) => {
    expect(outcome(one)).toBe(line);
  });

  it('is printed for a test event, without changes of the record', () => {
    const { events, ...step } = explainTransition({ before, after });
    const subscriptions = [
      {
        subscription: 'ops',
        verdict: { wanted: false, because: 'type', events: ['invoice.*'] } as const,
        delivery: delivery('evt_1', 'ops', {
          status: 'settled',
          attempts: [attempt(1, { outcome: 'accepted', status: 204 })],
        }),
        earlier: [],
        receiverPaused: null,
      },
    ];
    const tests = events
      .slice(0, 1)
      .map((event) => ({ event: { ...event, test: true as const }, rule: null, recorded: true, subscriptions }));
    const text = printed({ steps: [{ ...step, events: tests }] });
    expect(text).toContain('sent on request; the record did not change');
    expect(text).not.toContain('→');
    expect(text).toMatch(/✔ {2}ops {2}delivered Sat 14 Nov 2026 13:00, 1 attempt, response 204 in 12 ms\n$/);
  });

  it('matches an event that is not announced yet', () => {
    expect(outcome({}, false)).toBe('·  ops  matches');
  });
});

describe('a record', () => {
  it.each<[string, Partial<ExplainResult>, RegExp]>([
    ['off', { reading: { state: 'off', nextAt: null, cadence: null } }, /scanned +never; task is off in the config/],
    [
      'forbidden',
      { reading: { state: 'forbidden', nextAt: null, cadence: null } },
      /never; the token may not read task/,
    ],
    [
      'never seen because the token has no access',
      { snapshot: null, reading: { state: 'forbidden', nextAt: null, cadence: null } },
      /^task\/1 of main, times in Europe\/Berlin\n +now +never seen: the token may not read task/,
    ],
    ['never seen before the baseline', { snapshot: null }, /never seen: the baseline scan is not complete yet/],
    [
      'from a source that is not in the config',
      { reading: { state: 'unknown', nextAt: null, cadence: null } },
      /source 'main' is no longer in the config/,
    ],
    [
      'in a resource with a failed scan',
      {
        scan: {
          ...initialScanState('main', 'task'),
          lastGoodScanAt: NOON,
          lastError: { code: 'X', message: 'timed out' },
        },
      },
      /Sat 14 Nov 2026 13:00, 0 s ago, next scan now; the last scan failed: timed out/,
    ],
    ['deleted', { snapshot: { ...after, deletedAt: NOON } }, /now +version 2, deleted/],
    [
      'overdue with a reminder',
      { snapshot: { ...after, stage: { owed: true, dueSoon: false, overdue: true, reminder: 7 } } },
      /owed, overdue, reminder 7/,
    ],
  ])('is printed when it is %s', (_, change, words) => {
    expect(printed(change)).toMatch(words);
  });
});

describe('dates and lines', () => {
  it('formats the time of live output in the zone of this machine', () => {
    expect(formatClock(NOON, 'Asia/Tokyo')).toBe('21:00:00');
    expect(formatClock('2026-11-14T12:00:07.123Z', 'America/New_York')).toBe('07:00:07');
    expect(formatClock(NOON)).toBe(new Date(NOON).toTimeString().slice(0, 8));
  });

  it('formats times in the zone, with daylight saving time', () => {
    expect(formatMoment('Europe/Berlin', '2027-03-27T23:00:00.000Z')).toBe('Sun 28 Mar 2027 00:00');
    expect(formatMoment('Europe/Berlin', '2027-03-28T22:00:00.000Z')).toBe('Mon 29 Mar 2027 00:00');
    expect(formatMoment('America/New_York', '2026-09-01T03:59:00.000Z')).toBe('Mon 31 Aug 2026 23:59');
    expect(formatTime('Asia/Kolkata', NOON)).toBe('17:30');
    expect(formatLongDay('2028-02-29')).toBe('Tue 29 Feb 2028');
    expect(formatSpan(NOON, '2026-11-16T16:10:00.000Z')).toBe('2 d 4 h');
  });

  it('wraps text between words', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('unbreakable', 3)).toEqual(['unbreakable']);
  });
});
