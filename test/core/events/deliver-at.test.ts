import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { afterQuiet, deliverAt, nextDigest } from '../../../core/events/deliver-at.ts';
import { atTimeOfDay, dayIn, startOfDay, weekdayOf } from '../../../core/model/calendar.ts';
import { type Subscription, WEEKDAYS } from '../../../core/model/subscription.ts';
import { fromMillis, plus, SECOND, toMillis } from '../../../core/model/time.ts';
import { traitsOf } from '../../../core/ports/channel.ts';
import { event, subscription } from '../../samples.ts';

const BERLIN = 'Europe/Berlin';
const slack = { channel: 'slack', settings: { webhook: 'https://hooks.example.com/x' } };

/** With the traits of the subscription's channel, for an event that a person caused. */
const deliverIn = (one: Subscription, now: string, zone: string, window?: number) =>
  deliverAt(one, traitsOf(channelRegistry, one.to), event('1'), { now, zone, window }).dueAt;

/** The time of day in a zone: `12:34`. */
function clock(zone: string, instant: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return format.format(Date.parse(instant));
}

const zones = fc.constantFrom(
  BERLIN,
  'UTC',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
);
const instants = fc
  .integer({ min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2028-01-01T00:00:00Z') })
  .map(fromMillis);
const times = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hours, minutes]) => `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`);
const days = fc.subarray([...WEEKDAYS], { minLength: 1 });

describe('a time of day in a zone', () => {
  it.each([
    ['2026-11-16', '08:30', '2026-11-16T07:30:00.000Z'],
    ['2026-07-16', '08:31', '2026-07-16T06:31:00.000Z'],
    ['2027-03-28', '02:30', '2027-03-28T01:00:00.000Z'],
    ['2026-10-25', '02:30', '2026-10-25T00:30:00.000Z'],
    ['2026-11-16', '00:00', '2026-11-15T23:00:00.000Z'],
  ])(
    'is on %s at %s the instant %s in Berlin: gaps are jumped, what comes twice is meant once',
    (day, time, instant) => {
      expect(atTimeOfDay(BERLIN, day, time)).toBe(instant);
    },
  );

  it('has the right weekday', () => {
    expect(['2026-11-15', '2026-11-16', '1969-12-31', '2024-02-29'].map(weekdayOf)).toEqual([
      'sun',
      'mon',
      'wed',
      'thu',
    ]);
  });
});

describe('deliverAt', () => {
  const NOW = '2026-11-16T12:00:00.000Z';

  it('is at once for http, after 30 s for people, or after the window of the subscription', () => {
    expect(deliverIn(subscription('ops'), NOW, BERLIN)).toBeUndefined();
    expect(deliverIn(subscription('team', { to: slack }), NOW, BERLIN)).toBe(plus(NOW, 30 * SECOND));
    expect(deliverIn(subscription('team', { to: slack, gather: 5 * SECOND }), NOW, BERLIN)).toBe(plus(NOW, 5 * SECOND));
    expect(deliverIn(subscription('team', { to: slack, gather: 0 }), NOW, BERLIN)).toBeUndefined();
    expect(deliverIn(subscription('team', { to: slack }), NOW, BERLIN, 0)).toBe(NOW);
  });

  it('is the time of the digest if there is one', () => {
    const morning = subscription('morning', { to: slack, digest: { at: '08:30', days: ['mon', 'fri'] } });
    expect(deliverIn(morning, NOW, BERLIN)).toBe('2026-11-20T07:30:00.000Z');
  });

  it('is after the quiet hours, also when gathering runs into them', () => {
    const team = subscription('team', { to: slack, quiet: { from: '20:00', until: '07:30', days: ['sat', 'sun'] } });
    expect(deliverIn(team, NOW, BERLIN)).toBe(plus(NOW, 30 * SECOND));
    expect(deliverIn(team, '2026-11-16T18:59:45.000Z', BERLIN)).toBe('2026-11-17T06:30:00.000Z');
    // The quiet night of Friday is followed by the quiet weekend and Monday morning.
    expect(deliverIn(team, '2026-11-20T20:00:00.000Z', BERLIN)).toBe('2026-11-23T06:30:00.000Z');
    expect(deliverIn({ ...team, gather: 0 }, '2026-11-17T03:00:00.000Z', BERLIN)).toBe('2026-11-17T06:30:00.000Z');
  });

  it('is the next digest outside of quiet hours', () => {
    const team = subscription('team', { to: slack, digest: { at: '08:30' }, quiet: { days: ['sat', 'sun'] } });
    // Friday evening, and Monday morning.
    expect(deliverIn(team, '2026-11-13T20:00:00.000Z', BERLIN)).toBe('2026-11-16T07:30:00.000Z');
    const early = subscription('team', {
      to: slack,
      digest: { at: '06:00' },
      quiet: { from: '20:00', until: '07:30' },
    });
    expect(deliverIn(early, '2026-11-13T20:00:00.000Z', BERLIN)).toBe('2026-11-14T06:30:00.000Z');
  });

  it('has no earliest time for what a person caused', () => {
    const team = subscription('team', { to: slack });
    const time = deliverAt(team, traitsOf(channelRegistry, slack), event('1'), {
      now: '2026-11-15T23:05:00.000Z',
      zone: BERLIN,
    });
    expect(time).toEqual({ dueAt: '2026-11-15T23:05:30.000Z', because: 'gathering' });
  });

  it('ignores quiet hours that cover the whole week', () => {
    expect(afterQuiet({ days: WEEKDAYS }, NOW, BERLIN)).toBe(NOW);
  });

  it('returns a future digest on one of its days at its time, or at the daylight saving change that skips it', () => {
    fc.assert(
      fc.property(zones, instants, times, fc.option(days, { nil: undefined }), (zone, now, at, on) => {
        const digest = { at, ...(on === undefined ? {} : { days: on }) };
        const moment = nextDigest(digest, now, zone);
        expect(moment > now).toBe(true);
        expect(toMillis(moment) - toMillis(now)).toBeLessThanOrEqual(8 * 86_400_000 + 3_600_000);
        const justBefore = clock(zone, plus(moment, -1));
        expect(clock(zone, moment) === at || (justBefore < at && clock(zone, moment) > at) || justBefore > at).toBe(
          true,
        );
        if (on !== undefined && clock(zone, moment) === at) expect(on).toContain(weekdayOf(dayIn(zone, moment)));
      }),
    );
  });

  it('is never within quiet hours, but at their end', () => {
    // Zones without daylight saving time, in which a time of day is unambiguous.
    fc.assert(
      fc.property(fc.constantFrom('UTC', 'Asia/Kathmandu'), instants, times, times, (zone, now, from, until) => {
        fc.pre(from !== until);
        const isQuiet = (instant: string) => {
          const shown = clock(zone, instant);
          return from < until ? shown >= from && shown < until : shown >= from || shown < until;
        };
        const moment = afterQuiet({ from, until }, now, zone);
        expect(isQuiet(moment)).toBe(false);
        if (!isQuiet(now)) expect(moment).toBe(now);
        else expect([clock(zone, moment), isQuiet(plus(moment, -1))]).toEqual([until, true]);
      }),
    );
  });

  it('is delayed by at most a day around a daylight saving change', () => {
    fc.assert(
      fc.property(zones, instants, times, times, (zone, now, from, until) => {
        const moment = afterQuiet({ from, until }, now, zone);
        expect(moment >= now && toMillis(moment) - toMillis(now) <= 49 * 3_600_000).toBe(true);
      }),
    );
  });
});

describe('what a new day brings', () => {
  const MIDNIGHT = '2026-11-15T23:00:00.000Z';
  const overdueAt = (moment: string, cause: 'tick' | 'poll' = 'tick') => {
    const one = event('1', { type: 'task.overdue' });
    return { ...one, data: { ...one.data, cause, occurred: { after: moment, before: moment } } };
  };
  const timeOf = (change: Partial<Subscription>, now: string, moment = MIDNIGHT, zone = BERLIN) => {
    const one = subscription('team', { to: slack, ...change });
    return deliverAt(one, traitsOf(channelRegistry, one.to), overdueAt(moment), { now, zone });
  };

  it('waits for 08:00 in chat and mail, or for the start that the subscription names', () => {
    const [eight, seven] = ['2026-11-16T07:00:00.000Z', '2026-11-16T06:15:00.000Z'];
    expect(timeOf({}, plus(MIDNIGHT, 40 * SECOND))).toEqual({ dueAt: eight, notBefore: eight, because: 'day-start' });
    expect(timeOf({ gather: 0 }, MIDNIGHT)).toEqual({ dueAt: eight, notBefore: eight, because: 'day-start' });
    expect(timeOf({ dayStartsAt: '07:15' }, MIDNIGHT)).toEqual({
      dueAt: seven,
      notBefore: seven,
      because: 'day-start',
    });
    const mail = { channel: 'email', settings: { to: ['team@example.com'] } };
    expect(timeOf({ to: mail }, MIDNIGHT)).toEqual({ dueAt: eight, notBefore: eight, because: 'day-start' });
  });

  it('reaches machines at once', () => {
    expect(timeOf({ to: subscription('ops').to }, MIDNIGHT)).toEqual({});
  });

  it('is sent at once after the start of the day, and at midnight if the start is off', () => {
    const ten = '2026-11-16T09:00:00.000Z';
    expect(timeOf({}, ten)).toEqual({ dueAt: plus(ten, 30 * SECOND), because: 'gathering' });
    expect(timeOf({ dayStartsAt: 'off' }, MIDNIGHT)).toEqual({
      dueAt: plus(MIDNIGHT, 30 * SECOND),
      because: 'gathering',
    });
    expect(timeOf({ dayStartsAt: '00:00' }, MIDNIGHT)).toEqual({
      dueAt: plus(MIDNIGHT, 30 * SECOND),
      because: 'gathering',
    });
  });

  it('found a day late, waits for the next start', () => {
    const start = '2026-11-17T07:00:00.000Z';
    expect(timeOf({}, '2026-11-17T01:00:00.000Z')).toEqual({ dueAt: start, notBefore: start, because: 'day-start' });
  });

  it('waits in the zone of the subscription', () => {
    const start = '2026-11-16T13:00:00.000Z';
    expect(timeOf({ timeZone: 'America/New_York' }, '2026-11-16T05:30:00.000Z')).toEqual({
      dueAt: start,
      notBefore: start,
      because: 'day-start',
    });
    // In Tokyo it is eight in the morning already.
    expect(timeOf({ timeZone: 'Asia/Tokyo' }, MIDNIGHT)).toEqual({
      dueAt: plus(MIDNIGHT, 30 * SECOND),
      because: 'gathering',
    });
  });

  it('waits for the end of quiet hours after the start, and for the digest if there is one', () => {
    expect(timeOf({ quiet: { from: '22:00', until: '09:00' } }, MIDNIGHT)).toEqual({
      dueAt: '2026-11-16T08:00:00.000Z',
      notBefore: '2026-11-16T07:00:00.000Z',
      because: 'quiet-hours',
    });
    expect(timeOf({ digest: { at: '07:30' } }, MIDNIGHT)).toEqual({
      dueAt: '2026-11-16T06:30:00.000Z',
      because: 'digest',
    });
  });

  it('is sent at once if the first scan found it, or a person caused it', () => {
    const night = '2026-11-16T01:00:00.000Z';
    expect(timeOf({}, night, '2026-11-16T00:59:58.000Z')).toEqual({
      dueAt: plus(night, 30 * SECOND),
      because: 'gathering',
    });
    const team = subscription('team', { to: slack });
    const caused = deliverAt(team, traitsOf(channelRegistry, slack), overdueAt(MIDNIGHT, 'poll'), {
      now: night,
      zone: BERLIN,
    });
    expect(caused).toEqual({ dueAt: plus(night, 30 * SECOND), because: 'gathering' });
  });

  it('never waits longer than a day, whatever the clocks do', () => {
    fc.assert(
      fc.property(zones, zones, instants, times, (zone, own, now, dayStartsAt) => {
        const moment = startOfDay(zone, dayIn(zone, now));
        const { dueAt = now, notBefore } = timeOf({ dayStartsAt, timeZone: own }, now, moment, zone);
        expect(dueAt >= plus(now, 30 * SECOND)).toBe(true);
        const start = atTimeOfDay(own, dayIn(own, now), dayStartsAt);
        expect(notBefore).toBe(start > now ? start : undefined);
        expect(toMillis(start) - toMillis(now)).toBeLessThan(26 * 3_600_000);
      }),
      { seed: 10 },
    );
  });
});
