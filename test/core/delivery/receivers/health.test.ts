import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fromRecord,
  HEALTHY,
  type Observation,
  observe,
  observeTemplate,
  reasonForAll,
  toRecord,
} from '../../../../core/delivery/receivers/health.ts';
import type { Health } from '../../../../core/delivery/receivers/health-state.ts';
import { DAY, HOUR, MINUTE, plus, SECOND } from '../../../../core/model/time.ts';
import { NOON } from '../../../samples.ts';

/** An attempt that takes a second. */
const seen = (outcome: Observation['outcome'], after: number, asked?: number): Observation => ({
  outcome,
  at: plus(NOON, after),
  endedAt: plus(NOON, after + SECOND),
  delivery: 'dlv_1',
  reason: outcome === 'accepted' ? null : 'answered 503',
  asked,
});

/** The retry schedule of a single delivery. */
const FOUR_FAILURES = [0, 6 * SECOND, 5 * MINUTE, 35 * MINUTE].map((after) => seen('failed', after));

const healthAfter = (...observations: readonly Observation[]): Health => observations.reduce(observe, HEALTHY);

describe('the health of a receiver', () => {
  it('does not change at a success while it is healthy', () => {
    expect(observe(HEALTHY, seen('accepted', 0))).toBe(HEALTHY);
  });

  it('records the first failure, and becomes failing after four failures within half an hour', () => {
    const states = FOUR_FAILURES.map((_, index) => healthAfter(...FOUR_FAILURES.slice(0, index + 1)));
    expect(states.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok', 'failing']);
    expect(states.at(-1)).toMatchObject({ failingSince: NOON, reason: 'answered 503' });
  });

  it('names the readers of personal messages in its full reason only, as long as that was the last error', () => {
    const personal = { ...seen('failed', 0), reason: 'mailbox of Ann Lee is full', personalCode: 'TIDINGS_X' };
    const failed = healthAfter(personal);
    expect([failed.reason, failed.fullReason]).toEqual(['a message to one person failed (TIDINGS_X)', personal.reason]);
    expect(fromRecord(toRecord('mine', failed))).toEqual(failed);
    expect(reasonForAll(failed, true)).toBe(failed.reason);
    const [first, second, third] = [1, 2, 3].map(() => 'slow' as const);
    expect([first, second, third].reduce(observeTemplate, failed)).not.toHaveProperty('fullReason');
    expect(observe(failed, seen('failed', MINUTE))).not.toHaveProperty('fullReason');
    expect(observe(failed, seen('accepted', MINUTE))).not.toHaveProperty('fullReason');
  });

  it('is judged by all attempts: it becomes failing although each delivery was tried once', () => {
    let health = HEALTHY;
    let minutes = 0;
    for (; health.state === 'ok' && minutes < 90; minutes++) {
      health = observe(health, { ...seen('failed', minutes * MINUTE), delivery: `dlv_${minutes}` });
    }
    expect(health.state).toBe('failing');
    expect(minutes).toBeLessThanOrEqual(30);
  });

  it('is not called failing while it accepts other deliveries between the failures', () => {
    let health = HEALTHY;
    for (let hour = 0; hour < 48; hour++) {
      health = observe(health, seen('failed', hour * HOUR));
      health = observe(health, seen('failed', hour * HOUR + 50 * MINUTE));
      expect(health.state).toBe('ok');
      health = observe(health, seen('accepted', hour * HOUR + 55 * MINUTE));
    }
  });

  it('is not called failing after two failures hours apart', () => {
    expect(healthAfter(seen('failed', 0), seen('failed', 5 * HOUR)).state).toBe('ok');
  });

  it('counts failures of concurrent attempts once', () => {
    const first = healthAfter(seen('failed', 0));
    expect(observe(first, seen('failed', 500))).toBe(first);
    expect(observe(first, seen('failed', 2 * SECOND)).circuit?.failures).toBe(2);
  });

  it('becomes failing at once after a permanent error', () => {
    expect(healthAfter(seen('gave-up', 0))).toMatchObject({ state: 'failing', reason: 'answered 503' });
  });

  it('warns after four days, and disables after five days, at least twelve hours after the warning', () => {
    const failing = healthAfter(...FOUR_FAILURES);
    const warned = observe(failing, seen('failed', 4 * DAY));
    expect(warned).toMatchObject({ state: 'failing', warnedAt: plus(NOON, 4 * DAY) });
    expect(observe(warned, seen('failed', 4 * DAY + 13 * HOUR))).toMatchObject({
      state: 'failing',
      warnedAt: warned.warnedAt,
    });
    expect(observe(warned, seen('failed', 5 * DAY))).toMatchObject({ state: 'disabled', probe: 'dlv_1' });
    // Without an attempt for a week, the warning still comes first.
    const late = observe(failing, seen('failed', 7 * DAY));
    expect(late).toMatchObject({ state: 'failing', warnedAt: plus(NOON, 7 * DAY) });
    expect(observe(late, seen('failed', 7 * DAY + 11 * HOUR))).toMatchObject({ state: 'failing', disabledAt: null });
    expect(observe(late, seen('failed', 7 * DAY + 12 * HOUR))).toMatchObject({ state: 'disabled' });
  });

  it('is not disabled by a single failure after a long time without attempts', () => {
    expect(healthAfter(seen('failed', 0)).state).toBe('ok');
    expect(healthAfter(seen('failed', 0), seen('failed', 90 * DAY)).state).toBe('failing');
  });

  it('is reset by one success', () => {
    const warned = healthAfter(...FOUR_FAILURES, seen('failed', 4 * DAY));
    const catchUp = plus(NOON, 4 * DAY + HOUR + SECOND);
    expect(observe(warned, seen('accepted', 4 * DAY + HOUR))).toMatchObject({ ...HEALTHY, catchUp });
    // After a single failure no delivery waits long.
    expect(healthAfter(seen('failed', 0), seen('accepted', HOUR))).toEqual(HEALTHY);
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
    const steps = fc.array(
      fc.tuple(outcome, fc.integer({ min: SECOND, max: 3 * DAY }), fc.integer({ min: 0, max: DAY })),
    );
    fc.assert(
      fc.property(steps, (history) => {
        let [health, after] = [HEALTHY, 0];
        for (const [result, wait, asked] of history) {
          after += wait;
          const next = observe(health, seen(result, after, asked));
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
