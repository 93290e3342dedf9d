/** What tick does with deliveries that are due: none twice, none lost, and what fails takes nothing else with it. */

import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteQueue } from '../../../adapters/sqlite/queue.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { storedId } from '../../../adapters/stored-job.ts';
import { type QueuedAttempts, TICK_BATCH, tick } from '../../../core/delivery/tick.ts';
import type { AttemptMoment } from '../../../core/model/agenda.ts';
import { QUEUE_GRACE } from '../../../core/model/delivery.ts';
import { MINUTE, plus } from '../../../core/model/time.ts';
import type { Agenda } from '../../../core/ports/agenda.ts';
import type { Job, NewJob } from '../../../core/ports/queue.ts';
import { delivery, event, NOON } from '../../samples.ts';
import { handClock } from '../source/list-api.ts';

let world: ReturnType<typeof setUp>;
function setUp() {
  const db = openDatabase(':memory:');
  const queue = sqliteQueue(db);
  const jobs: NewJob[] = [];
  /** Named as they happen: `send 10`, `move`. */
  const log: string[] = [];
  const store = sqliteStores(db);
  const agenda: Agenda = {
    ...store.agenda,
    postpone: async (...moved) => {
      log.push('move');
      return store.agenda.postpone(...moved);
    },
  };
  const send = async (sent: readonly NewJob[]) => {
    log.push(`send ${sent.length}`);
    jobs.push(...sent);
  };
  const clock = handClock(NOON);
  return {
    events: store.events,
    deliveries: store.deliveries,
    agenda,
    clock,
    queue: { ...queue, send },
    jobs,
    log,
  };
}

beforeEach(() => {
  world = setUp();
});

async function owe(count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => String(n));
  await world.events.record(
    ids.map((id) => ({ event: event(id), deliveries: [delivery(id, 'ops', { dueAt: NOON })] })),
  );
}

/** The agenda from an index that is one read behind its table. */
function lagging(agenda: Agenda): Agenda {
  let before: readonly AttemptMoment[] | undefined;
  return {
    ...agenda,
    async due(until, limit) {
      const now = await agenda.due(until, 10_000);
      const answer = before ?? now;
      before = now;
      return answer.slice(0, limit);
    },
  };
}

/** As a function ticks: while there is a full batch. */
async function run(ports: typeof world): Promise<number> {
  const queued: QueuedAttempts = new Set();
  let total = 0;
  for (let rounds = 0; rounds < 20; rounds++) {
    const due = await tick(ports, queued);
    total += due;
    if (due < TICK_BATCH) return total;
  }
  throw new Error('it never ends');
}

const names = () => world.jobs.map(storedId);
const dueNow = async () => (await world.agenda.due(NOON, 10_000)).length;

describe('queueing what is due', () => {
  it('queues each once, though the index names again what was queued a moment ago', async () => {
    await owe(600);
    expect(await run({ ...world, agenda: lagging(world.agenda) })).toBe(600);
    expect(new Set(names()).size).toBe(600);
    expect(names()).toHaveLength(600);
    expect(await dueNow()).toBe(0);
  });

  it('reads what is due once, however much it is', async () => {
    await owe(5 * TICK_BATCH);
    const asked: number[] = [];
    const agenda: Agenda = {
      ...world.agenda,
      due: async (until, limit) => {
        asked.push(limit);
        return world.agenda.due(until, limit);
      },
    };
    expect(await run({ ...world, agenda })).toBe(5 * TICK_BATCH);
    expect(asked).toEqual(Array.from({ length: 6 }, () => TICK_BATCH));
  });

  it('ends when the index shows nothing new, however long it lags', async () => {
    await owe(TICK_BATCH);
    const frozen = await world.agenda.due(NOON, 10_000);
    const agenda: Agenda = { ...world.agenda, due: async (_, limit) => frozen.slice(0, limit) };
    expect(await run({ ...world, agenda })).toBe(TICK_BATCH);
    expect(names()).toHaveLength(TICK_BATCH);
  });

  it('queues it for its next attempt in the same run', async () => {
    await owe(1);
    const queued: QueuedAttempts = new Set();
    await tick(world, queued);
    const [first] = await world.agenda.due('9999', 1);
    if (first === undefined) throw new Error('it is on the agenda');
    const one = delivery('0', 'ops', { dueAt: NOON });
    const attempts = [{ number: 1, at: NOON, ms: 1, outcome: 'retry' as const }];
    await world.deliveries.saveAttempt({ ...one, attempts });
    expect(await tick(world, queued)).toBe(1);
    expect(world.jobs.map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('postpones deliveries before it queues them, and stamps their jobs with the new time', async () => {
    await owe(3);
    await tick(world);
    const dueAt = plus(NOON, QUEUE_GRACE);
    expect(world.log).toEqual(['move', 'move', 'move', 'send 3']);
    expect(await world.agenda.due('9999', 9)).toMatchObject([0, 1, 2].map(() => ({ at: dueAt })));
    expect(world.jobs).toMatchObject([0, 1, 2].map(() => ({ attempt: 1, dueAt })));
  });

  it('queues a delivery when its postponement ends, if it was killed before it queued it', async () => {
    await owe(3);
    void tick({ ...world, queue: { ...world.queue, send: () => new Promise(() => {}) } });
    await vi.waitFor(async () => expect(await dueNow()).toBe(0), { timeout: 20_000 });
    world.clock.advance(QUEUE_GRACE);
    expect(await tick(world)).toBe(3);
    expect(names()).toHaveLength(3);
  });

  it('leaves deliveries due that the queue refuses', async () => {
    await owe(3);
    const refusing = { ...world.queue, send: async () => Promise.reject(new Error('not taken')) };
    await expect(tick({ ...world, queue: refusing })).rejects.toThrow('not taken');
    expect(await dueNow()).toBe(3);
  });

  it('queues each delivery once when two ticks run at once', async () => {
    await owe(50);
    await Promise.all([tick(world), tick(world)]);
    expect(names()).toHaveLength(50);
  });

  it('queues the other deliveries of a batch when one cannot be postponed', async () => {
    await owe(3);
    const [first] = await world.agenda.due(NOON, 1);
    const postpone: Agenda['postpone'] = async (moment, to) => {
      if (moment.delivery === first?.delivery) throw new Error('throttled');
      return world.agenda.postpone(moment, to);
    };
    await expect(tick({ ...world, agenda: { ...world.agenda, postpone } })).rejects.toThrow('throttled');
    expect(names()).toHaveLength(2);
    expect(await dueNow()).toBe(1);
  });

  it('queues ahead what is due before the next tick, each for its own moment, and is patient from then on', async () => {
    const dueAt = [-MINUTE, 0, 30_000, MINUTE, MINUTE + 1].map((millis) => plus(NOON, millis));
    await world.events.record(
      dueAt.map((at, n) => ({ event: event(String(n)), deliveries: [delivery(String(n), 'ops', { dueAt: at })] })),
    );
    expect(await tick({ ...world, ahead: MINUTE })).toBe(4);
    expect(world.jobs.map(({ notBefore }) => notBefore)).toEqual([undefined, undefined, dueAt[2], dueAt[3]]);
    const moments = (await world.agenda.due('9999', 9)).map(({ at }) => at);
    expect(moments).toEqual([dueAt[4], ...[NOON, NOON, dueAt[2], dueAt[3]].map((at) => plus(at ?? NOON, QUEUE_GRACE))]);
  });

  it('that fails for one batch leaves that one due, and only that one', async () => {
    await owe(100);
    let sends = 0;
    const send = async (jobs: readonly Job[]) => {
      if (++sends === 4) throw new Error('not taken');
      await world.queue.send(jobs);
    };
    const faulty = { ...world, queue: { ...world.queue, send } };
    await expect(tick(faulty)).rejects.toThrow('not taken');
    expect(names()).toHaveLength(90);
    expect(await dueNow()).toBe(10);
    world.clock.advance(MINUTE);
    expect(await tick(world)).toBe(10);
    expect(new Set(names()).size).toBe(100);
    expect(names()).toHaveLength(100);
  });

  it('does not count a batch that failed as queued: the same run may try it again', async () => {
    await owe(5);
    const queued: QueuedAttempts = new Set();
    const failing = { ...world.queue, send: async () => Promise.reject(new Error('not taken')) };
    await expect(tick({ ...world, queue: failing }, queued)).rejects.toThrow('not taken');
    expect(await tick(world, queued)).toBe(5);
  });
});

describe('a backlog of one owner', () => {
  const findOwners = async (names: ReadonlySet<string>) =>
    new Map([...names].flatMap((name) => (name.startsWith('noisy') ? [[name, 'key_noisy'] as const] : [])));

  beforeEach(async () => {
    const noisy = Array.from({ length: TICK_BATCH + 100 }, (_, n) => String(n));
    const dueAt = plus(NOON, -MINUTE);
    await world.events.record([
      ...noisy.map((id) => ({ event: event(id), deliveries: [delivery(id, `noisy-${Number(id) % 7}`, { dueAt })] })),
      { event: event('quiet'), deliveries: [delivery('quiet', 'quiet', { dueAt: NOON })] },
    ]);
  });

  const groups = () => world.jobs.map(({ group }) => group);

  it('does not delay what another has, which is due later', async () => {
    expect(await tick({ ...world, findOwners })).toBe(TICK_BATCH);
    expect(groups().slice(0, 20)).toContain('quiet');
  });

  it('is read with something of each subscription, where the earliest may all be of one', async () => {
    const [earliest = [], all] = [await world.agenda.due(NOON, TICK_BATCH), await world.agenda.due(NOON, 1000)];
    const agenda = { ...world.agenda, due: async () => earliest };
    expect(earliest.map(({ subscription }) => subscription)).not.toContain('quiet');
    expect(await tick({ ...world, agenda, findOwners, readBacklog: async () => all })).toBe(TICK_BATCH);
    expect(groups().slice(0, 20)).toContain('quiet');
  });

  it('is read after what became due since the last tick was queued', async () => {
    const all = await world.agenda.due(NOON, 1000);
    const readRecent = async () => all.filter(({ subscription }) => subscription === 'quiet');
    let before: readonly string[] = [];
    const readBacklog = async () => {
      before = groups();
      return all;
    };
    expect(await tick({ ...world, findOwners, readBacklog, readRecent })).toBe(1 + TICK_BATCH);
    expect(before).toEqual(['quiet']);
    expect(groups().filter((group) => group === 'quiet')).toHaveLength(1);
  });

  it('is queued once, as far as there is time', async () => {
    const queued: QueuedAttempts = new Set();
    expect(await tick({ ...world, findOwners }, queued, () => true)).toBe(TICK_BATCH + 101);
    expect(new Set(world.jobs.map(storedId)).size).toBe(TICK_BATCH + 101);
    expect(await tick({ ...world, findOwners }, queued, () => true)).toBe(0);
    expect(world.jobs).toHaveLength(TICK_BATCH + 101);
  });
});
