/** How often the state of one subscription is announced, whatever its receiver and its key do. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HEALTHY,
  healthKey,
  keepLasting,
  type Observation,
  observe,
  toRecord,
} from '../../../../core/delivery/receivers/health.ts';
import type { Health } from '../../../../core/delivery/receivers/health-state.ts';
import { deriveEvents } from '../../../../core/events/derive.ts';
import type { Snapshot } from '../../../../core/model/snapshot.ts';
import { HOUR, MINUTE, plus, SECOND } from '../../../../core/model/time.ts';
import { NOON, snapshot } from '../../../samples.ts';

type Step = Observation['outcome'] | 'resume';

const snapshotOf = (health: Health, version: number, cause: Snapshot['cause']): Snapshot => ({
  ...snapshot('1'),
  key: healthKey('ops'),
  record: toRecord('ops', health),
  stage: {},
  version,
  cause,
});

/** The events of these steps, `every` milliseconds apart, each with the second of its step. */
function run(steps: readonly Step[], every: number, from: Health = HEALTHY) {
  const events: string[] = [];
  let health = from;
  for (const [index, step] of steps.entries()) {
    const at = plus(NOON, index * every);
    const reason = step === 'accepted' ? null : 'answered';
    const next =
      step === 'resume'
        ? { ...HEALTHY, ...keepLasting(health) }
        : observe(health, { outcome: step, at, endedAt: at, delivery: 'dlv_1', reason });
    const cause = step === 'resume' ? 'person' : 'delivery';
    const transition = { before: snapshotOf(health, index + 1, 'delivery'), after: snapshotOf(next, index + 2, cause) };
    events.push(...deriveEvents(transition as Parameters<typeof deriveEvents>[0]).map(({ type }) => type));
    health = next;
  }
  return { events: events.map((type) => type.replace('subscription.', '')), health };
}

const repeat = (steps: readonly Step[], times: number) => Array.from({ length: times }, () => steps).flat();

describe('the state of a subscription', () => {
  it('is announced three times an hour while its key resumes it again and again', () => {
    const { events, health } = run(repeat(['gone', 'resume'], 600), SECOND);
    expect(events).toEqual(['disabled', 'disabled', 'disabled']);
    expect(health.state).toBe('ok');
    // The next hour.
    expect(run(['resume', 'gone', 'resume', 'gone'], 2 * HOUR, health).events).toEqual(['disabled', 'disabled']);
  });

  it('is announced each time when it changes at the pace of people', () => {
    expect(run(repeat(['gone', 'resume', 'gave-up', 'accepted'], 5), 40 * MINUTE).events).toEqual(
      repeat(['gone', 'failed', 'accepted'], 5).map((step) =>
        step === 'gone' ? 'disabled' : step === 'failed' ? 'failing' : 'recovered',
      ),
    );
  });

  it('is announced a few times an hour while its receiver fails and recovers', () => {
    const { events, health } = run(repeat(['gave-up', 'accepted'], 600), SECOND);
    expect(events).toEqual(
      [...repeat(['failed', 'accepted'], 3), 'failed'].map((step) => (step === 'failed' ? 'failing' : 'recovered')),
    );
    // It counts as failing, which people know: its messages are sent, and successes cost no write.
    expect(health).toMatchObject({ state: 'failing', circuit: null });
    const success = {
      outcome: 'accepted',
      at: plus(NOON, 30 * MINUTE),
      endedAt: plus(NOON, 30 * MINUTE),
      delivery: 'd',
      reason: null,
    } as const;
    expect(observe(health, success)).toBe(health);
    expect(run(['resume', 'accepted'], SECOND, health).health.state).toBe('ok');
    const late = { ...success, at: plus(NOON, HOUR), endedAt: plus(NOON, HOUR) };
    expect(observe(health, late)).toMatchObject({ state: 'ok', reason: null });
  });

  it('is as announced last, or better', () => {
    const severity = { ok: 0, recovered: 0, failing: 1, disabled: 2, paused: 2 } as const;
    const steps = fc.array(fc.constantFrom<Step>('gone', 'gave-up', 'failed', 'accepted', 'resume'), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(steps, (history) => {
        const { events, health } = run(history, SECOND);
        expect(events.length).toBeLessThanOrEqual(9);
        const told = (events.at(-1) ?? 'ok') as keyof typeof severity;
        expect(severity[health.state]).toBeLessThanOrEqual(severity[told]);
      }),
    );
  });
});
