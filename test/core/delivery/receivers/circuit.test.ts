import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addFailure, type Circuit, pauseEnd, spreadAfterPause } from '../../../../core/delivery/receivers/circuit.ts';
import { HEALTHY, observe } from '../../../../core/delivery/receivers/health.ts';
import type { Health } from '../../../../core/delivery/receivers/health-state.ts';
import { between, DAY, HOUR, MINUTE, plus, SECOND } from '../../../../core/model/time.ts';
import { NOON } from '../../../samples.ts';

const failure = (after: number, options: { asked?: number; throttled?: boolean; takes?: number } = {}) => ({
  startedAt: plus(NOON, after),
  endedAt: plus(NOON, after + (options.takes ?? 0)),
  asked: options.asked,
  throttled: options.throttled ?? false,
});
const circuitAfter = (...failures: readonly ReturnType<typeof failure>[]) =>
  failures.reduce<Circuit | null>(addFailure, null);
/** The pause in milliseconds, right after the failure at this time. */
const pauseAfter = (circuit: Circuit | null, after: number) => {
  const end = pauseEnd(circuit, plus(NOON, after));
  return end === undefined ? 0 : between(plus(NOON, after), end);
};

describe('the circuit of a receiver', () => {
  it('pauses as long as the receiver asks, for at most a day', () => {
    expect(pauseAfter(circuitAfter(failure(0, { asked: HOUR })), 0)).toBe(HOUR);
    expect(pauseAfter(circuitAfter(failure(0, { asked: 90 * DAY })), 0)).toBe(DAY);
  });

  it('pauses after a 429 without a delay, longer each time', () => {
    const first = circuitAfter(failure(0, { throttled: true }));
    const second = addFailure(first, failure(MINUTE, { throttled: true }));
    expect([pauseAfter(first, 0), pauseAfter(second, MINUTE)]).toEqual([5 * SECOND, 10 * SECOND]);
  });

  it('pauses after five failures in a row, up to ten minutes', () => {
    const pauses: number[] = [];
    let circuit: Circuit | null = null;
    for (let count = 0; count < 15; count++) {
      circuit = addFailure(circuit, failure(count * HOUR));
      pauses.push(pauseAfter(circuit, count * HOUR) / SECOND);
    }
    expect(pauses).toEqual([0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 320, 600, 600, 600, 600]);
  });

  it('is not extended by concurrent attempts that get the same Retry-After', () => {
    const first = circuitAfter(failure(0, { asked: HOUR, takes: 50 }));
    expect(first && addFailure(first, failure(10, { asked: HOUR, takes: 100 }))).toBe(first);
    const longer = first && addFailure(first, failure(10, { asked: 2 * HOUR, takes: 100 }));
    expect(pauseAfter(longer, 110)).toBe(2 * HOUR);
  });

  it('does not stay paused when the clock is put back', () => {
    const paused = circuitAfter(failure(0, { asked: 10 * MINUTE }));
    expect(pauseAfter(paused, -30 * SECOND)).toBeGreaterThan(0);
    expect(pauseAfter(paused, -2 * DAY)).toBe(0);
    expect(pauseAfter(paused, -HOUR)).toBe(0);
  });

  it('is never paused for more than a day and a minute, whatever the clock does', () => {
    const step = fc.record({
      after: fc.integer({ min: -3 * DAY, max: 3 * DAY }),
      asked: fc.integer({ min: 0, max: 3 * DAY }),
      takes: fc.integer({ min: 0, max: 30 * SECOND }),
    });
    fc.assert(
      fc.property(fc.array(step), fc.integer({ min: -3 * DAY, max: 3 * DAY }), (steps, now) => {
        const circuit = circuitAfter(...steps.map(({ after, ...options }) => failure(after, options)));
        expect(pauseAfter(circuit, now)).toBeLessThanOrEqual(DAY + MINUTE);
      }),
    );
  });

  it('stays paused after the success of an attempt that started before the pause', () => {
    const before: Health = observe(HEALTHY, {
      outcome: 'failed',
      at: NOON,
      endedAt: plus(NOON, SECOND),
      delivery: 'dlv_1',
      reason: 'answered 429',
      asked: HOUR,
    });
    const success = (started: number) => ({
      outcome: 'accepted' as const,
      at: plus(NOON, started),
      endedAt: plus(NOON, started + 2 * SECOND),
      delivery: 'dlv_2',
      reason: null,
    });
    expect(observe(before, success(0))).toBe(before);
    expect(observe(before, success(HOUR))).toMatchObject({ state: 'ok', circuit: null, failingSince: null });
  });
});

describe('deliveries that wait for a paused receiver', () => {
  it('come back within the length of the outage after the pause, at least spread over five minutes', () => {
    const until = plus(NOON, HOUR);
    const spread = (jitter: number, failingSince: string | null) =>
      between(until, spreadAfterPause(until, failingSince, plus(NOON, HOUR - SECOND), jitter));
    expect([spread(0, NOON), spread(0.5, null), spread(0.5, NOON), spread(0.5, plus(NOON, -3 * DAY))]).toEqual([
      0,
      2.5 * MINUTE,
      30 * MINUTE - SECOND / 2,
      2 * HOUR,
    ]);
  });
});
