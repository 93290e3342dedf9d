import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { deriveEvents } from '../../../core/events/derive.ts';
import { addDays, type Day, startOfDay } from '../../../core/model/calendar.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { DAY, fromMillis, type Instant, plus, toMillis } from '../../../core/model/time.ts';
import { forecast, type Period } from '../../../core/snapshot/forecast.ts';
import { clearTimeFacts } from '../../../core/snapshot/kept-facts.ts';
import { restageDue } from '../../../core/snapshot/restage.ts';
import { computeStage, defaultRules } from '../../../core/snapshot/stage.ts';
import { snapshot } from '../../samples.ts';

/** Zones where clocks move at different hours, at midnight, or not at all. */
const ZONES = ['Europe/Berlin', 'America/New_York', 'Africa/Cairo', 'Pacific/Auckland', 'Asia/Kolkata', 'UTC'];

function account(zone: string, snapshots: readonly Snapshot[]) {
  const database = openDatabase(':memory:');
  const store = sqliteSnapshotStore(database);
  let now = '';
  const ports = {
    ...sqliteStores(database),
    snapshots: store,
    clock: { now: () => now },
    rules: defaultRules,
    zoneOf: async () => zone,
    isPolled: () => true,
  };
  const eventsSoFar = async () =>
    (await store.read('test', 10_000)).flatMap(({ transition }) => deriveEvents(transition));
  return {
    ports,
    start: () => store.commit(snapshots.map((one) => ({ snapshot: one, expected: 0 }))),
    foresee: async (period: Period) =>
      (await forecast(ports, period)).flatMap((transition) => deriveEvents(transition)),
    /** Ticks at these instants until nothing is due, as serve does every minute. */
    live: async (instants: readonly Instant[]) => {
      for (const at of instants) {
        now = at;
        for (const resource of ['task', 'invoice', 'project']) {
          const range = { source: 'main', resource, until: at };
          await restageDue(ports, range, { timeZone: zone, rules: defaultRules }, async () => {});
        }
      }
      return eventsSoFar();
    },
    momentsUpTo: async (until: Instant) => (await store.due({ until }, 10_000)).map(({ at }) => at),
    close: () => database.close(),
  };
}

const day = fc.integer({ min: -40, max: 60 }).map((days) => addDays('2026-10-10', days));
const maybeDay = fc.option(day, { nil: null });
const fields: fc.Arbitrary<readonly [string, Fields]> = fc.oneof(
  fc
    .record({ datedue: maybeDay, datemodified: maybeDay, dateclosed: fc.constantFrom(null, null, '2026-10-01') })
    .map((task) => ['task', { status: 'Open', ...task, datemodified: at(task.datemodified) }] as const),
  fc.record({ datedue: maybeDay, balance: fc.constantFrom(0, 12.5, 900) }).map((one) => ['invoice', one] as const),
  fc.record({ dateend: maybeDay, active: fc.boolean() }).map((one) => ['project', one] as const),
);

function at(day: Day | null): string | null {
  return day === null ? null : `${day}T10:00:00Z`;
}

/** Staged at some instant before the period, near or long ago; some as a baseline that is to be announced. */
function snapshotsOf(zone: string, from: Instant) {
  const one = fc.record({ fields, age: fc.nat({ max: 20 * DAY }), untold: fc.boolean() });
  return fc.array(one, { maxLength: 12 }).map((all) =>
    all.map(({ fields: [resource, record], age, untold }, index) => {
      const id = String(index + 1);
      const committedAt = fromMillis(toMillis(from) - age);
      const { stage, nextMoment } = computeStage(resource, record, {
        timeZone: zone,
        at: committedAt,
        rules: defaultRules,
      });
      return snapshot(id, {
        key: { source: 'main', resource, id },
        record: { id, title: `Number ${id}`, ...record },
        stage: untold ? clearTimeFacts(stage) : stage,
        nextMoment: untold ? committedAt : nextMoment,
        committedAt,
        cause: 'baseline',
      });
    }),
  );
}

const world = fc
  .record({
    zone: fc.constantFrom(...ZONES),
    from: fc.integer({ min: 0, max: 30 * DAY }).map((millis) => plus('2026-10-01T00:00:00.000Z', millis)),
    length: fc.integer({ min: 0, max: 45 * DAY }),
  })
  .chain(({ zone, from, length }) =>
    snapshotsOf(zone, from).map((snapshots) => ({ zone, snapshots, from, until: plus(from, length) })),
  );

const byId = (events: readonly TidingsEvent[]) => events.toSorted((a, b) => (a.id < b.id ? -1 : 1));
const withoutTime = (events: readonly TidingsEvent[]) => byId(events).map(({ time: _, ...rest }) => rest);

describe('forecast', () => {
  it('foresees exactly what a tick at each moment does, to the last field', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ zone, snapshots, from, until }) => {
        const there = account(zone, snapshots);
        await there.start();
        const foreseen = await there.foresee({ from, until });
        let lived = await there.live([from]);
        for (;;) {
          const [next] = await there.momentsUpTo(until);
          if (next === undefined) break;
          lived = await there.live([next]);
        }
        there.close();
        expect(byId(foreseen)).toEqual(byId(lived));
      }),
      { numRuns: 60 },
    );
  });

  it('foresees the same events, but for the time of the commit, however seldom tick runs', async () => {
    await fc.assert(
      fc.asyncProperty(
        world,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
        async (world, ticks) => {
          const { zone, snapshots, from, until } = world;
          const there = account(zone, snapshots);
          await there.start();
          const foreseen = await there.foresee({ from, until });
          const span = toMillis(until) - toMillis(from);
          const lived = await there.live([
            ...ticks.toSorted((a, b) => a - b).map((share) => plus(from, Math.floor(share * span))),
            until,
          ]);
          there.close();
          expect(withoutTime(foreseen)).toEqual(withoutTime(lived));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is in the order of moments, changes nothing, and a period is the sum of its parts', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ zone, snapshots, from, until }) => {
        const there = account(zone, snapshots);
        await there.start();
        const whole = await there.foresee({ from, until });
        const moments = whole.map(({ data }) => data.occurred.before);
        expect(moments).toEqual(moments.toSorted());
        const middle = plus(from, Math.floor((toMillis(until) - toMillis(from)) / 2));
        const first = await there.foresee({ from, until: middle });
        expect(whole.slice(0, first.length)).toEqual(first);
        expect(await there.live([])).toEqual([]);
        there.close();
      }),
      { numRuns: 30 },
    );
  });

  it('lets other work run after each part, also of moments that do nothing, and reads none if no resource is asked for', async () => {
    const at = (id: number) => snapshot(String(id), { nextMoment: plus('2026-10-01T00:00:00.000Z', id) });
    const there = account(
      'UTC',
      Array.from({ length: 4100 }, (_, id) => at(id + 1)),
    );
    await there.start();
    let count = 0;
    const pace = async () => {
      count += 1;
    };
    const period = { from: '2026-10-01T00:00:00.000Z', until: '2026-10-02T00:00:00.000Z' };
    expect(await forecast({ ...there.ports, isPolled: () => false, pace }, period)).toEqual([]);
    expect(count).toBeGreaterThanOrEqual(3);
    const due = () => Promise.reject(new Error('it was read'));
    const ports = { ...there.ports, snapshots: { ...there.ports.snapshots, due } };
    expect(await forecast({ ...ports, resources: new Set() }, period)).toEqual([]);
    there.close();
  });

  it('counts days by the calendar where a day has 23 or 25 hours', async () => {
    const zone = 'Europe/Berlin';
    const due = (id: string, datedue: Day) => {
      const record = { id, title: id, status: 'Open', datedue, dateclosed: null };
      return snapshot(id, {
        record,
        ...computeStage('task', record, { timeZone: zone, at: '2027-03-20T12:00:00.000Z', rules: defaultRules }),
      });
    };
    const there = account(zone, [due('1', '2027-03-27'), due('2', '2027-03-28')]);
    await there.start();
    const foreseen = await there.foresee({ from: '2027-03-20T12:00:00.000Z', until: '2027-03-31T00:00:00.000Z' });
    there.close();
    expect(foreseen.map(({ type, subject, time }) => [time, type, subject])).toEqual([
      ['2027-03-25T23:00:00.000Z', 'task.due_soon', 'task/1'],
      ['2027-03-26T23:00:00.000Z', 'task.due_soon', 'task/2'],
      ['2027-03-27T23:00:00.000Z', 'task.overdue', 'task/1'],
      // The 28th had 23 hours.
      ['2027-03-28T22:00:00.000Z', 'task.overdue', 'task/2'],
    ]);
    expect(startOfDay(zone, '2027-03-29')).toBe('2027-03-28T22:00:00.000Z');
  });

  it('takes both ends of the period, and what is behind its time at its start', async () => {
    const record = { id: '1', title: 'One', status: 'Open', datedue: '2026-11-14', dateclosed: null };
    const moment = '2026-11-15T00:00:00.000Z';
    const one = snapshot('1', {
      record,
      ...computeStage('task', record, { timeZone: 'UTC', at: '2026-11-14T12:00:00.000Z', rules: defaultRules }),
    });
    const there = account('UTC', [one]);
    await there.start();
    const times = async (from: Instant, until: Instant) =>
      (await there.foresee({ from, until })).map(({ time }) => time);
    expect(await times('2026-11-14T00:00:00.000Z', moment)).toEqual([moment]);
    expect(await times('2026-11-14T00:00:00.000Z', '2026-11-14T23:59:59.999Z')).toEqual([]);
    expect(await times('2026-11-20T08:00:00.000Z', '2026-11-21T00:00:00.000Z')).toEqual(['2026-11-20T08:00:00.000Z']);
    there.close();
  });

  it('reads few records at a time, and misses none, however many become due on one day', async () => {
    const at = '2026-11-14T12:00:00.000Z';
    const many = Array.from({ length: 7000 }, (_, index) => {
      const id = String(index + 1);
      // The first half becomes due on one day, the others on 50 days.
      const datedue = addDays('2026-11-20', index < 3500 ? 0 : index % 50);
      const record = { id, title: id, status: 'Open', datedue, dateclosed: null };
      return snapshot(id, { record, ...computeStage('task', record, { timeZone: 'UTC', at, rules: defaultRules }) });
    });
    const there = account('UTC', many);
    await there.start();
    const sizes: number[] = [];
    const { snapshots } = there.ports;
    const getMany: typeof snapshots.getMany = (source, resource, ids) => {
      sizes.push(ids.length);
      return snapshots.getMany(source, resource, ids);
    };
    const ports = { ...there.ports, snapshots: { due: snapshots.due, getMany } };
    const foreseen = await forecast(ports, { from: at, until: '2027-03-31T00:00:00.000Z' });
    there.close();
    const overdue = foreseen
      .flatMap((transition) => deriveEvents(transition))
      .filter(({ type }) => type === 'task.overdue');
    expect(new Set(overdue.map(({ subject }) => subject)).size).toBe(7000);
    expect(overdue.length).toBe(7000);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
  });
});
