import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEALTHY, observe } from '../../../../core/delivery/receivers/health.ts';
import { changeSnooze, EVERYTHING, snoozeEnd } from '../../../../core/delivery/receivers/snooze.ts';
import { plus } from '../../../../core/model/time.ts';
import { NOON } from '../../../samples.ts';

const LATER = plus(NOON, 60_000);
const TASK = '/sources/main task/1';
const OTHER = '/sources/main task/2';

describe('a snooze', () => {
  it('holds messages about its record alone, until it ends', () => {
    const health = changeSnooze(HEALTHY, TASK, LATER, NOON);
    expect(snoozeEnd(health, [TASK], NOON)).toBe(LATER);
    expect(snoozeEnd(health, [OTHER], NOON)).toBeUndefined();
    // A message about several records is sent if one of them is not snoozed.
    expect(snoozeEnd(health, [TASK, OTHER], NOON)).toBeUndefined();
    expect(snoozeEnd(health, [TASK], LATER)).toBeUndefined();
    expect(snoozeEnd(HEALTHY, [TASK], NOON)).toBeUndefined();
  });

  it('of everything holds every message, also one without events', () => {
    const health = changeSnooze(HEALTHY, EVERYTHING, LATER, NOON);
    expect([snoozeEnd(health, [TASK, OTHER], NOON), snoozeEnd(health, [], NOON)]).toEqual([LATER, LATER]);
  });

  it('can be taken back, and leaves the health as it was', () => {
    const health = changeSnooze(HEALTHY, TASK, LATER, NOON);
    expect(changeSnooze(health, TASK, null, NOON)).toEqual(HEALTHY);
    expect(changeSnooze(HEALTHY, TASK, null, NOON)).toBe(HEALTHY);
    expect(changeSnooze(health, TASK, LATER, NOON)).toBe(health);
  });

  it('survives the recovery of its receiver', () => {
    const snoozed = changeSnooze({ ...HEALTHY, state: 'failing', failingSince: NOON }, TASK, LATER, NOON);
    const seen = { outcome: 'accepted', at: NOON, endedAt: NOON, delivery: 'd', reason: null } as const;
    expect(observe(snoozed, seen)).toMatchObject({ state: 'ok', snoozes: { [TASK]: LATER } });
  });

  it('that somebody adds beyond the limit replaces their own oldest one, not a pause or one of another', () => {
    const [pause, ofAll, ofAnn] = [EVERYTHING, '/sources/main task/1', '/sources/main task/1 main/5'];
    let health = HEALTHY;
    for (const key of [pause, ofAll, ofAnn]) health = changeSnooze(health, key, LATER, NOON);
    for (let id = 1; id <= 600; id++) health = changeSnooze(health, `/sources/main task/${id} main/6`, LATER, NOON);
    const keys = Object.keys(health.snoozes ?? {});
    expect(keys).toEqual(expect.arrayContaining([pause, ofAll, ofAnn, '/sources/main task/600 main/6']));
    expect([keys.length, keys.includes('/sources/main task/102 main/6')]).toEqual([501, false]);
  });

  it('is forgotten after its end, so that few are stored', () => {
    const changes = fc.array(fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 100 })), {
      maxLength: 600,
    });
    fc.assert(
      fc.property(changes, (all) => {
        let health = HEALTHY;
        for (const [id, minutes] of all) health = changeSnooze(health, `task/${id}`, plus(NOON, minutes), NOON);
        expect(Object.keys(health.snoozes ?? {}).length).toBeLessThanOrEqual(201);
        const after = changeSnooze(health, 'task/new', plus(NOON, 1000), plus(NOON, 101));
        expect(Object.keys(after.snoozes ?? {})).toEqual(['task/new']);
      }),
      { numRuns: 20 },
    );
  });
});
