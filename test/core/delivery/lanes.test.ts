import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { createLanes, createLaneTraffic, limitsOf } from '../../../core/delivery/lanes.ts';
import type { Limits } from '../../../core/model/subscription.ts';
import { MINUTE, SECOND } from '../../../core/model/time.ts';
import { subscription } from '../../samples.ts';

/** Time passes, a lane begins as many attempts as it has room for, or one of its attempts ends. */
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(700) }),
    fc.record({ kind: fc.constant('take' as const), group: fc.constantFrom('a', 'b', 'c') }),
    fc.record({
      kind: fc.constant('end' as const),
      group: fc.constantFrom('a', 'b', 'c'),
      outcome: fc.constantFrom('success' as const, 'failure' as const),
    }),
  ),
  { maxLength: 200 },
);

const limit = fc.record(
  {
    concurrency: fc.integer({ min: 1, max: 9 }),
    rate: fc.record({ count: fc.integer({ min: 1, max: 5 }), per: fc.constantFrom(SECOND, MINUTE) }),
  },
  { requiredKeys: ['concurrency'] },
) as fc.Arbitrary<Limits>;
const limits = fc.record({ a: limit, b: limit, c: limit });

interface Played {
  /** When the attempts of each group began. */
  readonly begun: Readonly<Record<string, readonly number[]>>;
  /** The highest number of attempts in flight, by group. */
  readonly most: Readonly<Record<string, number>>;
}

/** Plays the steps of the given groups. */
function play(
  of: Readonly<Record<string, Limits>>,
  script: typeof steps extends fc.Arbitrary<infer T> ? T : never,
  only = ['a', 'b', 'c'],
): Played {
  const lanes = createLanes((group) => of[group] ?? { concurrency: 1 });
  const begun: Record<string, number[]> = { a: [], b: [], c: [] };
  const inFlight: Record<string, number> = { a: 0, b: 0, c: 0 };
  const most: Record<string, number> = { a: 0, b: 0, c: 0 };
  let now = 0;
  for (const step of script) {
    if (step.kind === 'pass') now += step.ms;
    else if (!only.includes(step.group)) continue;
    else if (step.kind === 'take') {
      for (let room = lanes.room(step.group, now); room > 0; room--) {
        lanes.begin(step.group, now);
        begun[step.group]?.push(now);
        inFlight[step.group] = (inFlight[step.group] ?? 0) + 1;
      }
      most[step.group] = Math.max(most[step.group] ?? 0, inFlight[step.group] ?? 0);
    } else if ((inFlight[step.group] ?? 0) > 0) {
      lanes.end(step.group, step.outcome);
      inFlight[step.group] = (inFlight[step.group] ?? 0) - 1;
    }
  }
  return { begun, most };
}

describe('createLanes', () => {
  it('never has more attempts in flight than the limit', () => {
    fc.assert(
      fc.property(limits, steps, (of, script) => {
        const { most } = play(of, script);
        for (const group of ['a', 'b', 'c'] as const) expect(most[group]).toBeLessThanOrEqual(of[group].concurrency);
      }),
    );
  });

  it('never exceeds a rate over any window', () => {
    fc.assert(
      fc.property(limits, steps, (of, script) => {
        const { begun } = play(of, script);
        for (const group of ['a', 'b', 'c'] as const) {
          const { rate } = of[group];
          if (rate === undefined) continue;
          for (const start of begun[group] ?? []) {
            // Tolerates rounding errors of a microsecond.
            const within = (begun[group] ?? []).filter((at) => at >= start && at < start + rate.per - 0.001);
            expect(within.length).toBeLessThanOrEqual(rate.count);
          }
        }
      }),
    );
  });

  it('keeps each lane independent of the others', () => {
    fc.assert(
      fc.property(limits, steps, (of, script) => {
        expect(play(of, script, ['a']).begun.a).toEqual(play(of, script).begun.a);
      }),
    );
  });

  it('has room when nothing is in flight, or reports when its rate allows the next attempt', () => {
    fc.assert(
      fc.property(limits, steps, (of, script) => {
        const lanes = createLanes((group) => of[group as 'a'] ?? { concurrency: 1 });
        let now = 0;
        for (const step of script) {
          if (step.kind === 'pass') now += step.ms;
          else if (step.kind === 'take' && lanes.room(step.group, now) > 0) {
            lanes.begin(step.group, now);
            lanes.end(step.group, 'failure');
          }
          for (const group of ['a', 'b', 'c']) {
            if (lanes.room(group, now) > 0) continue;
            const opensAt = lanes.opensAt() ?? Number.NaN;
            expect(opensAt).toBeGreaterThan(now);
            expect(lanes.room(group, now + MINUTE)).toBeGreaterThan(0);
          }
        }
      }),
    );
  });

  it('narrows to one after a failure, and widens by one with each success', () => {
    const lanes = createLanes(() => ({ concurrency: 4 }));
    const room = () => lanes.room('ops', 0);
    expect(room()).toBe(2);
    const attempt = (outcome: 'success' | 'failure') => {
      lanes.begin('ops', 0);
      lanes.end('ops', outcome);
      return room();
    };
    expect([attempt('success'), attempt('success'), attempt('success')]).toEqual([3, 4, 4]);
    expect(attempt('failure')).toBe(1);
    expect([attempt('success'), attempt('success'), attempt('failure'), attempt('success')]).toEqual([2, 3, 1, 2]);
  });

  it('applies limits that change while attempts are in flight', () => {
    let concurrency = 8;
    const lanes = createLanes(() => ({ concurrency }));
    for (let n = 0; n < 2; n++) lanes.begin('ops', 0);
    concurrency = 1;
    expect(lanes.room('ops', 0)).toBe(0);
    lanes.end('ops', 'success');
    expect(lanes.room('ops', 0)).toBe(0);
    lanes.end('ops', 'success');
    expect(lanes.room('ops', 0)).toBe(1);
  });

  it('gives the send slot of a stale job back', () => {
    const lanes = createLanes(() => ({ concurrency: 1, rate: { count: 1, per: 1000 } }));
    for (let stale = 0; stale < 40; stale++) {
      expect(lanes.room('team', stale)).toBe(1);
      lanes.begin('team', stale);
      lanes.end('team', 'unsent');
    }
    lanes.begin('team', 40);
    lanes.end('team', 'success');
    expect(lanes.room('team', 41)).toBe(0);
    expect(lanes.room('team', 1040)).toBe(1);
  });

  it('reports when the first lane without room because of its rate opens', () => {
    const lanes = createLanes((group) => ({ concurrency: 9, rate: { count: group === 'slow' ? 1 : 4, per: SECOND } }));
    for (const group of ['slow', 'fast']) lanes.begin(group, 100);
    expect(lanes.opensAt()).toBeUndefined();
    expect([lanes.room('slow', 100), lanes.room('fast', 100)]).toEqual([0, 0]);
    expect(lanes.opensAt()).toBe(350);
    expect(lanes.room('fast', 350)).toBe(1);
  });
});

describe('limitsOf', () => {
  it.each([
    ['the limits of a webhook', {}, { concurrency: 8 }],
    [
      'the limits of Slack',
      { to: { channel: 'slack', settings: { webhook: 'https://hooks.slack.com/x' } } },
      { concurrency: 1, rate: { count: 1, per: SECOND }, isForPeople: true },
    ],
    [
      'the limits of mail',
      { to: { channel: 'email', settings: { to: ['a@example.com'] } } },
      { concurrency: 1, isForPeople: true },
    ],
    [
      'the limits of the subscription itself',
      { concurrency: 3, rate: { count: 2, per: MINUTE } },
      { concurrency: 3, rate: { count: 2, per: MINUTE }, isOwn: true },
    ],
  ] as const)('returns %s', (_, change, expected) => {
    expect(limitsOf(subscription('ops', change), channelRegistry)).toEqual(expected);
  });
});

describe('the lanes of one owner', () => {
  const CAPACITY = 12;

  /** Begins as many attempts as an offer has room for, over ten lanes of the owner. */
  function fill(lanes: ReturnType<typeof createLanes>, owner: string): number {
    const offer = lanes.offer();
    const groups = Array.from({ length: 10 }, (_, index) => `${owner}-${index}`);
    const taken = groups.flatMap((group) => {
      const room = offer.room(group, 0);
      offer.take(group, room);
      return Array<string>(room).fill(group);
    });
    for (const group of taken) lanes.begin(group, 0);
    return taken.length;
  }
  const ownerOf = (group: string) => (group.startsWith('operator') ? undefined : group.split('-')[0]);

  it('leave as much to others as they use', () => {
    const lanes = createLanes((group) => ({ concurrency: 2, owner: ownerOf(group) }), CAPACITY);
    expect([fill(lanes, 'greedy'), fill(lanes, 'greedy')]).toEqual([6, 0]);
    expect(fill(lanes, 'other')).toBe(3);
    expect(fill(lanes, 'third')).toBe(2);
    expect(fill(lanes, 'fourth')).toBe(1);
  });

  it('are those of a key: the operator has all', () => {
    const lanes = createLanes((group) => ({ concurrency: 2, owner: ownerOf(group) }), CAPACITY);
    expect(fill(lanes, 'operator')).toBe(20);
  });

  it('are free again when their attempts have ended, also of a subscription that was removed', () => {
    let isRemoved = false;
    const lanes = createLanes((group) => ({ concurrency: 2, owner: isRemoved ? undefined : ownerOf(group) }), CAPACITY);
    const used = fill(lanes, 'greedy');
    isRemoved = true;
    for (let index = 0; index < used; index++) lanes.end(`greedy-${Math.floor(index / 2)}`, 'success');
    isRemoved = false;
    expect(fill(lanes, 'greedy')).toBe(used);
  });
});

it('counts the attempts of the lanes before, which go on', () => {
  const traffic = createLaneTraffic();
  const limits = () => ({ concurrency: 1, rate: { count: 1, per: 1000 }, owner: 'key' });
  const former = createLanes(limits, 20, traffic);
  former.begin('a', 0);
  const lanes = createLanes(limits, 20, traffic);
  expect(lanes.room('a', 5_000)).toBe(0);
  former.end('a', 'success');
  expect([lanes.room('a', 500), lanes.room('a', 1_000)]).toEqual([0, 1]);
});

describe('a lane that is not used any more', () => {
  /** As many names as a caller likes, one after the other. */
  const useOthers = (lanes: ReturnType<typeof createLanes>, now: number) => {
    for (let index = 0; index < 3000; index++) {
      lanes.begin(`other ${now} ${index}`, now);
      lanes.end(`other ${now} ${index}`, 'success');
    }
  };
  const opened = () => {
    const lanes = createLanes(() => ({ concurrency: 5, rate: undefined }));
    lanes.begin('a', 0);
    return lanes;
  };

  it('is forgotten after some minutes, so that names do not fill the memory', () => {
    const lanes = opened();
    lanes.end('a', 'failure');
    expect(lanes.room('a', 0)).toBe(1);
    useOthers(lanes, 9 * MINUTE);
    expect(lanes.room('a', 9 * MINUTE)).toBe(1);
    useOthers(lanes, 20 * MINUTE);
    expect(lanes.room('a', 20 * MINUTE)).toBe(2);
  });

  it('is kept while an attempt is in flight, and while its rate allows none', () => {
    const lanes = opened();
    useOthers(lanes, 60 * MINUTE);
    expect(lanes.room('a', 60 * MINUTE)).toBe(1);
    lanes.end('a', 'failure');
    expect(lanes.room('a', 60 * MINUTE)).toBe(1);
    const slow = createLanes((group) => ({
      concurrency: 5,
      rate: group === 'a' ? { count: 1, per: 60 * MINUTE } : undefined,
    }));
    slow.begin('a', 0);
    slow.end('a', 'success');
    useOthers(slow, 50 * MINUTE);
    expect(slow.room('a', 50 * MINUTE)).toBe(0);
    expect(slow.opensAt()).toBe(60 * MINUTE);
  });
});
