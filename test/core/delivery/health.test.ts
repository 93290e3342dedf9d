import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromRecord,
  HEALTHY,
  type Health,
  type Observation,
  observe,
  toRecord,
} from '../../../core/delivery/health.ts';
import { DAY, HOUR, MINUTE, plus } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';

const seen = (outcome: Observation['outcome'], after: number, attempt = 1): Observation => ({
  outcome,
  at: plus(NOON, after),
  delivery: 'dlv_1',
  attempt,
  reason: outcome === 'accepted' ? null : 'answered 503',
});

const healthAfter = (...observations: readonly Observation[]): Health => observations.reduce(observe, HEALTHY);

describe('the health of a receiver', () => {
  it('does not change at a success while it is healthy', () => {
    expect(observe(HEALTHY, seen('accepted', 0))).toBe(HEALTHY);
  });

  it('records the first failure, and becomes failing at the fourth attempt of one delivery', () => {
    const once = healthAfter(seen('failed', 0));
    expect(once).toMatchObject({ state: 'ok', failingSince: NOON });
    expect(observe(once, seen('failed', 5 * MINUTE, 3))).toBe(once);
    expect(observe(once, seen('failed', 35 * MINUTE, 4))).toMatchObject({ state: 'failing', failingSince: NOON });
  });

  it('becomes failing at once after a permanent error', () => {
    expect(healthAfter(seen('gave-up', 0))).toMatchObject({ state: 'failing', reason: 'answered 503' });
  });

  it('warns after four days, and disables after five days, at least twelve hours after the warning', () => {
    const failing = healthAfter(seen('failed', 0, 4));
    const warned = observe(failing, seen('failed', 4 * DAY));
    expect(warned).toMatchObject({ state: 'failing', warnedAt: plus(NOON, 4 * DAY) });
    expect(observe(warned, seen('failed', 4 * DAY + 13 * HOUR))).toBe(warned);
    expect(observe(warned, seen('failed', 5 * DAY))).toMatchObject({ state: 'disabled', probe: 'dlv_1' });
    // Without an attempt for a week, the warning still comes first.
    const late = observe(failing, seen('failed', 7 * DAY));
    expect(late).toMatchObject({ state: 'failing', warnedAt: plus(NOON, 7 * DAY) });
    expect(observe(late, seen('failed', 7 * DAY + 11 * HOUR))).toBe(late);
    expect(observe(late, seen('failed', 7 * DAY + 12 * HOUR))).toMatchObject({ state: 'disabled' });
  });

  it('is not disabled by a single failure after a long time without attempts', () => {
    expect(healthAfter(seen('failed', 0)).state).toBe('ok');
    expect(healthAfter(seen('failed', 0), seen('failed', 90 * DAY)).state).toBe('failing');
  });

  it('is reset by one success', () => {
    const warned = healthAfter(seen('failed', 0, 4), seen('failed', 4 * DAY));
    expect(observe(warned, seen('accepted', 4 * DAY + HOUR))).toEqual(HEALTHY);
    expect(healthAfter(seen('failed', 0), seen('accepted', HOUR), seen('failed', 6 * DAY))).toMatchObject({
      state: 'ok',
      failingSince: plus(NOON, 6 * DAY),
    });
  });

  it('is disabled at once, without a probe, when the receiver is gone', () => {
    expect(healthAfter(seen('gone', 0))).toMatchObject({ state: 'disabled', gone: true, probe: null });
  });

  it('stays paused after a test, and keeps the unsubscribed addresses', () => {
    const paused: Health = { ...HEALTHY, state: 'paused', failingSince: NOON, muted: ['a@example.com'] };
    expect(observe(paused, seen('failed', DAY))).toBe(paused);
    expect(observe(paused, seen('accepted', DAY))).toEqual({ ...HEALTHY, state: 'paused', muted: ['a@example.com'] });
  });

  it('never disables within twelve hours of the warning, and survives the round trip through its record', () => {
    const outcome = fc.constantFrom('accepted', 'failed', 'gave-up') as fc.Arbitrary<Observation['outcome']>;
    const steps = fc.array(fc.tuple(outcome, fc.integer({ min: 1, max: 3 * DAY }), fc.integer({ min: 1, max: 10 })));
    fc.assert(
      fc.property(steps, (history) => {
        let [health, after] = [HEALTHY, 0];
        for (const [result, wait, attempt] of history) {
          after += wait;
          const next = observe(health, seen(result, after, attempt));
          if (next.state === 'disabled' && health.state !== 'disabled') {
            expect(health.warnedAt).not.toBeNull();
            expect(Date.parse(plus(NOON, after)) - Date.parse(health.warnedAt ?? '')).toBeGreaterThanOrEqual(12 * HOUR);
            expect(Date.parse(plus(NOON, after)) - Date.parse(health.failingSince ?? '')).toBeGreaterThanOrEqual(
              5 * DAY,
            );
          }
          if (result === 'accepted') expect(next.failingSince).toBeNull();
          expect(fromRecord(toRecord('ops', next))).toEqual(next);
          health = next;
        }
      }),
    );
  });
});
