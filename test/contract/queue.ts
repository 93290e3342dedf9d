/** The contract of Queue. The tests of each adapter run this suite. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { storedId, TASK_PREFIX, taskGroup } from '../../adapters/stored-job.ts';
import { type Duration, type Instant, plus, SECOND } from '../../core/model/time.ts';
import type { Job, Queue } from '../../core/ports/queue.ts';
import { NOON } from '../samples.ts';

export interface OpenQueue {
  readonly queue: Queue;
  readonly close: () => Promise<void>;
  /** Advances its own clock. @default - the tests wait */
  readonly advance?: (span: Duration) => void;
}

export interface QueueKind {
  /** Whether it uses the given instants or its own clock. */
  readonly time: 'an argument' | 'its own';
  /** Whether it uses `room`, or schedules groups fairly without it. */
  readonly fairness: 'by room' | 'by itself';
  /**
   * Whether only the receipt of the last receive counts. SQS promises no more than that an earlier one *may* do nothing.
   * @default the last alone
   */
  readonly receipts?: 'the last alone' | 'any';
}

interface Pace {
  readonly visibility: Duration;
  /** A duration within the visibility timeout, and one beyond it. */
  readonly within: Duration;
  readonly past: Duration;
}

/** Short durations for queues with a clock of their own, because the tests may have to wait. */
const PACES: Readonly<Record<QueueKind['time'], Pace>> = {
  'an argument': {
    visibility: 30 * SECOND,
    within: 29 * SECOND,
    past: 30 * SECOND,
  },
  'its own': {
    visibility: 2 * SECOND,
    within: 0.5 * SECOND,
    past: 2.1 * SECOND,
  },
};

export function queueContract(name: string, kind: QueueKind, open: () => Promise<OpenQueue>): void {
  const { time, fairness, receipts = 'the last alone' } = kind;
  describe(`Queue: ${name}`, () => {
    let opened: OpenQueue;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => opened.close());

    const job = (delivery: string, attempt = 1): Job => ({ kind: 'attempt', delivery, attempt, group: 'ops' });
    const { visibility, within, past } = PACES[time];
    /** Lets the duration pass, and returns the time afterwards. */
    const after = async (now: Instant, span: Duration): Promise<Instant> => {
      if (opened.advance !== undefined) opened.advance(span);
      else if (time === 'its own') await sleep(span);
      return plus(now, span);
    };
    const options = { limit: 10, visibility };

    it('delivers a job once within its visibility timeout', async () => {
      const { queue } = opened;
      await queue.send([job('a'), job('b')], NOON);
      const received = await queue.receive(options, NOON);
      expect(received.map(({ job }) => storedId(job)).sort()).toEqual(['a', 'b']);
      expect(received.map(({ receives }) => receives)).toEqual([1, 1]);
      expect(await queue.receive(options, await after(NOON, within))).toEqual([]);
    });

    it('returns at most the requested number of jobs', async () => {
      const { queue } = opened;
      await queue.send([job('a'), job('b'), job('c')], NOON);
      expect(await queue.receive({ ...options, limit: 2 }, NOON)).toHaveLength(2);
      expect(await queue.receive({ ...options, limit: 2 }, NOON)).toHaveLength(1);
    });

    it('delivers an unacknowledged job again, and counts the receives', async () => {
      const { queue } = opened;
      await queue.send([job('a')], NOON);
      await queue.receive(options, NOON);
      const [again] = await queue.receive(options, await after(NOON, past));
      expect(again).toMatchObject({ job: job('a'), receives: 2 });
    });

    it('does not deliver an acknowledged job again', async () => {
      const { queue } = opened;
      await queue.send([job('a')], NOON);
      for (const received of await queue.receive(options, NOON)) await queue.acknowledge(received);
      expect(await queue.receive(options, await after(NOON, past))).toEqual([]);
    });

    it(`${receipts === 'any' ? 'accepts' : 'ignores'} the receipt of an earlier receive`, async () => {
      const { queue } = opened;
      await queue.send([job('a')], NOON);
      const [first] = await queue.receive(options, NOON);
      const later = await after(NOON, past);
      const [second] = await queue.receive(options, later);
      expect(second?.receipt).not.toBe(first?.receipt);
      if (first !== undefined) await queue.acknowledge(first);
      if (receipts === 'any') return;
      expect(await queue.receive(options, await after(later, past))).toHaveLength(1);
    });

    it('delivers a delayed job at its time, and a past one immediately', async () => {
      const { queue } = opened;
      const later = { ...job('b'), notBefore: plus(NOON, past) };
      await queue.send([{ ...job('a'), notBefore: plus(NOON, -past) }, later], NOON);
      expect((await queue.receive(options, NOON)).map(({ job }) => job)).toEqual([job('a')]);
      const early = await after(NOON, within);
      expect(await queue.receive(options, early)).toEqual([]);
      // Some queues round up to whole seconds; none may be early.
      const then = await after(early, past - within + SECOND);
      expect((await queue.receive(options, then)).map(({ job }) => job)).toContainEqual(job('b'));
    });

    it('distinguishes the attempts of one delivery', async () => {
      const { queue } = opened;
      await queue.send([job('a', 1), job('a', 2)], NOON);
      const received = await queue.receive(options, NOON);
      expect(received.map(({ job }) => job.attempt).sort()).toEqual([1, 2]);
    });

    it('accepts an empty batch', async () => {
      const { queue } = opened;
      await queue.send([], NOON);
      expect(await queue.receive(options, NOON)).toEqual([]);
    });

    it('accepts and delivers more jobs than one request can carry', async () => {
      const { queue } = opened;
      await queue.send(jobsOf('ops', 25), NOON);
      const received = await queue.receive({ ...options, limit: 99 }, NOON);
      expect(new Set(received.map(({ job }) => storedId(job))).size).toBe(25);
      expect(await queue.receive(options, NOON)).toEqual([]);
    });

    const jobsOf = (group: string, count: number): Job[] =>
      Array.from({ length: count }, (_, n) => ({ kind: 'attempt', delivery: `${group}-${n}`, attempt: 1, group }));
    const groupsOf = (received: readonly { readonly job: Job }[]) => {
      const counts: Record<string, number> = {};
      for (const { job } of received) counts[job.group] = (counts[job.group] ?? 0) + 1;
      return counts;
    };

    it('returns an attempt and a task as they were sent, each run of a task once', async () => {
      const { queue } = opened;
      const task = { kind: 'task', task: `${TASK_PREFIX}1`, attempt: 1, group: taskGroup('C1', 'UANN') } as const;
      const sent: Job[] = [job('a', 3), task, { ...task, attempt: 2 }];
      await queue.send(sent, NOON);
      const received = await queue.receive(options, NOON);
      const byAttempt = received.map((one) => one.job).sort((a, b) => a.attempt - b.attempt);
      expect(byAttempt).toEqual([sent[1], sent[2], sent[0]]);
      for (const one of received) await queue.acknowledge(one);
      expect(await queue.receive(options, await after(NOON, past))).toEqual([]);
    });

    if (fairness === 'by itself') return;

    it('asks for the room of a group with the kind of its jobs', async () => {
      const { queue } = opened;
      const task: Job = { kind: 'task', task: `${TASK_PREFIX}1`, attempt: 1, group: taskGroup('C1', 'UANN') };
      await queue.send([job('a'), task], NOON);
      const room = (_: string, kind: Job['kind']) => (kind === 'task' ? 0 : 5);
      const received = await queue.receive({ ...options, room }, NOON);
      expect(received.map((one) => one.job)).toEqual([job('a')]);
      expect((await queue.receive(options, NOON)).map((one) => one.job)).toEqual([task]);
    });

    it('delivers a group in the order it was sent, and redelivered jobs first', async () => {
      const { queue } = opened;
      for (const one of jobsOf('ops', 6)) await queue.send([one], NOON);
      const taken = async (limit: number, now: Instant) =>
        (await queue.receive({ ...options, limit }, now)).map(({ job }) => storedId(job));
      expect(await taken(2, NOON)).toEqual(['ops-0', 'ops-1']);
      expect(await taken(1, await after(NOON, within))).toEqual(['ops-2']);
      expect(await taken(3, await after(NOON, past))).toEqual(['ops-0', 'ops-1', 'ops-3']);
    });

    it('returns no more jobs of a group than there is room for', async () => {
      const { queue } = opened;
      await queue.send([...jobsOf('a', 9), ...jobsOf('b', 9), ...jobsOf('c', 1)], NOON);
      const room = (group: string) => ({ a: 2, b: 0 })[group] ?? 5;
      expect(groupsOf(await queue.receive({ ...options, room }, NOON))).toEqual({ a: 2, c: 1 });
      // The other jobs are still queued and visible.
      expect(groupsOf(await queue.receive({ ...options, limit: 99 }, NOON))).toEqual({ a: 7, b: 9 });
    });

    it('serves every group, even with a small limit', async () => {
      const { queue } = opened;
      const groups = ['a', 'b', 'c', 'd', 'e'];
      await queue.send(
        groups.flatMap((group) => jobsOf(group, 50)),
        NOON,
      );
      const turns: string[] = [];
      for (let round = 0; round < 10; round++) {
        const [received] = await queue.receive({ ...options, limit: 1, room: () => 1 }, NOON);
        turns.push(received?.job.group ?? 'none');
      }
      expect(turns.slice(0, 5).toSorted()).toEqual(groups);
      expect(turns.slice(5).toSorted()).toEqual(groups);
    });

    it('finds one job of a group behind 10,000 of another quickly', async () => {
      const { queue } = opened;
      await queue.send([...jobsOf('a', 10_000), ...jobsOf('z', 1)], NOON);
      let asked = 0;
      const room = () => {
        asked += 1;
        return 1;
      };
      expect(groupsOf(await queue.receive({ ...options, room }, NOON))).toEqual({ a: 1, z: 1 });
      expect(asked).toBeLessThanOrEqual(2);
    });
  });
}
