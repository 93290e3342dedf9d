import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteQueue } from '../../../adapters/sqlite/queue.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { type SqliteStores, sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { type ExplainRecordOptions, explainRecord } from '../../../core/delivery/explain.ts';
import { pause } from '../../../core/delivery/hold.ts';
import { changeSnooze, snoozeKey } from '../../../core/delivery/receivers/snooze.ts';
import { changeHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { openTest, prepareTest } from '../../../core/delivery/replay.ts';
import { announceFeed } from '../../../core/events/announce-feed.ts';
import type { Delivery } from '../../../core/model/delivery.ts';
import { sourceUri } from '../../../core/model/event.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { HOUR, MINUTE, plus } from '../../../core/model/time.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { NOON, snapshot, subscription } from '../../samples.ts';

let database: Database;
beforeEach(() => {
  database = openDatabase(':memory:');
});
afterEach(() => database.close());

const first = snapshot('1', { cause: 'baseline' });
const closed = snapshot('1', {
  version: 2,
  record: { ...first.record, status: 'Closed', dateclosed: '2026-11-14' },
  stage: { closed: true },
});

function ports(subscriptions: readonly Subscription[]) {
  const snapshots = sqliteSnapshotStore(database);
  const stores = sqliteStores(database);
  const commit = (one: Snapshot) => snapshots.commit([{ snapshot: one, expected: one.version - 1 }]);
  const announce = () =>
    announceFeed({
      channels: channelRegistry,
      customEvents: [],
      zoneOf: async () => 'UTC',
      ...stores,
      queue: sqliteQueue(database),
      clock: { now: () => NOON },
      feed: snapshots,
    });
  const explainPorts = {
    ...stores,
    channels: channelRegistry,
    customEvents: [],
    snapshots,
    history: snapshots,
    rules: defaultRules,
    subscriptions,
    clock: { now: () => NOON },
    zoneOf: async () => 'Europe/Berlin',
  };
  const { history: _, ...withoutHistory } = explainPorts;
  return {
    stores,
    commit,
    announce,
    explain: (options?: ExplainRecordOptions) => explainRecord(explainPorts, first.key, options),
    /** As with a store that has no history. */
    explainFromEvents: (options?: ExplainRecordOptions) => explainRecord(withoutHistory, first.key, options),
  };
}

async function openTestOf(ports: Parameters<typeof prepareTest>[0]) {
  const prepared = await prepareTest(ports, subscription('ops'), 'task.closed');
  return prepared && openTest(ports, prepared);
}

describe('explainRecord', () => {
  it('returns no snapshot and no steps for an unknown record', async () => {
    expect(await ports([]).explain()).toMatchObject({ snapshot: null, ahead: [], scan: null, steps: [] });
  });

  it('lists the baseline, the change, its events, the matching subscriptions and their deliveries', async () => {
    const ops = subscription('ops');
    const finance = subscription('finance', { events: ['invoice.*'] });
    const { stores, commit, announce, explain } = ports([finance, ops]);
    await stores.subscriptions.applyDeclared([ops, finance]);
    await commit(first);
    await commit(closed);
    await announce();
    const { steps } = await explain();
    expect(steps).toMatchObject([
      { version: 1, silence: { because: 'first-look' }, events: [] },
      {
        version: 2,
        silence: null,
        events: [
          {
            event: { type: 'task.closed' },
            rule: { meaning: 'A task was closed.', when: expect.stringContaining('Fires when') },
            recorded: true,
            subscriptions: [
              { subscription: 'finance', verdict: { wanted: false, because: 'type' }, delivery: null },
              { subscription: 'ops', verdict: { wanted: true }, delivery: { status: 'pending', attempts: [] } },
            ],
          },
          { event: { type: 'task.updated' } },
        ],
      },
    ]);
  });

  it('marks events that are not announced yet, and lists deliveries of removed subscriptions', async () => {
    const { stores, commit, announce, explain } = ports([]);
    await stores.subscriptions.applyDeclared([subscription('ops')]);
    await commit(first);
    await commit(closed);
    expect((await explain()).steps[1]?.events[0]).toMatchObject({ recorded: false, subscriptions: [] });
    await announce();
    expect((await explain()).steps[1]?.events[0]).toMatchObject({
      recorded: true,
      subscriptions: [{ subscription: 'ops', verdict: null, delivery: { status: 'pending' } }],
    });
  });

  it('lists only the tested subscription for a test event', async () => {
    const both = [subscription('ops'), subscription('team')];
    const { stores, commit, announce, explain, explainFromEvents } = ports(both);
    await commit(first);
    await commit(closed);
    await announce();
    const clock = { now: () => NOON };
    const test = await openTestOf({ ...stores, channels: channelRegistry, clock });
    const asked = await stores.events.get(test?.events[0] ?? '');
    for (const explanation of [await explain({ asked }), await explainFromEvents({ asked })]) {
      const [explained] = explanation.steps.flatMap(({ events }) => events.filter(({ event }) => event.test === true));
      expect(explained?.subscriptions).toMatchObject([{ subscription: 'ops', delivery: { id: test?.id } }]);
    }
  });

  it('keeps a test event out of the history, also out of the transition of its model', async () => {
    const { stores, commit, announce, explain, explainFromEvents } = ports([subscription('ops')]);
    await commit(first);
    await commit(closed);
    const sent = (await announce())?.events.find(({ type }) => type === 'task.closed');
    const clock = { now: () => NOON };
    const delivery = await openTestOf({ ...stores, channels: channelRegistry, clock });
    const test = await stores.events.get(delivery?.events[0] ?? '');
    if (sent === undefined || test === undefined) throw new Error('expected two events');
    const idsOf = async (options?: ExplainRecordOptions) => {
      const [complete, rebuilt] = [await explain(options), await explainFromEvents(options)];
      return [complete, rebuilt].map(({ steps }) => steps.flatMap(({ events }) => events.map(({ event }) => event.id)));
    };
    expect(await idsOf({ asked: test })).toEqual([[test.id], [test.id]]);
    for (const options of [{ asked: sent }, {}])
      for (const ids of await idsOf(options)) {
        expect(ids).toContain(sent.id);
        expect(ids).not.toContain(test.id);
      }
  });

  it('lists the delivery of an earlier subscription of a name as that of a removed one, with or without its mark', async () => {
    const former = subscription('ops', { declared: false, createdAt: '2026-11-01T08:00:00.000Z' });
    const next = subscription('ops', { declared: false, createdAt: '2026-11-15T08:00:00.000Z' });
    const { stores, commit, announce, explain } = ports([next]);
    await stores.subscriptions.add(former);
    await commit(first);
    await commit(closed);
    await announce();
    const outcomes = async () =>
      (await explain()).steps.flatMap(({ events }) =>
        events.map(({ subscriptions }) => subscriptions.map(({ verdict, delivery }) => [verdict, delivery !== null])),
      );
    const expected = [
      [{ wanted: true }, false],
      [null, true],
    ];
    expect(await outcomes()).toEqual([expected, expected]);
    database.prepare("UPDATE deliveries SET body = json_remove(body, '$.incarnation')").run();
    expect(await outcomes()).toEqual([expected, expected]);
  });

  it('lists old events after their transitions were pruned', async () => {
    const { commit, announce, explain } = ports([]);
    await commit(first);
    await commit(closed);
    await announce();
    await commit({ ...closed, version: 3, record: { ...closed.record, title: 'Other' } });
    await announce();
    database.prepare('DELETE FROM feed WHERE position = 1').run();
    expect(
      (await explain()).steps.map(({ version, events }) => [version, events.map(({ event }) => event.type)]),
    ).toEqual([
      [2, ['task.closed', 'task.updated']],
      [3, ['task.updated']],
    ]);
  });

  it('rebuilds the steps from recorded events when the store has no history', async () => {
    const { commit, announce, explain, explainFromEvents } = ports([]);
    await commit(first);
    expect((await explainFromEvents()).steps).toMatchObject([{ version: 1, silence: { because: 'first-look' } }]);
    await commit(closed);
    await announce();
    const [, whole] = (await explain()).steps;
    expect((await explainFromEvents()).steps).toMatchObject([
      { version: 2, changes: whole?.changes, events: whole?.events, silence: null },
    ]);
    await commit({ ...closed, version: 3, nextMoment: '2026-12-01T00:00:00.000Z' });
    expect((await explainFromEvents()).steps).toMatchObject([
      { version: 2, silence: null },
      {
        version: 3,
        events: [],
        silence: { because: 'before-history', words: 'the history before version 3 is no longer stored' },
      },
    ]);
  });

  it('forecasts the time-driven events of the record', async () => {
    const { commit, explain } = ports([]);
    const record = { ...first.record, datedue: '2026-11-20', datemodified: '2026-11-10T08:00:00Z' };
    await commit({ ...first, record, nextMoment: '2026-11-18T23:00:00.000Z' });
    expect((await explain()).ahead).toEqual([
      { at: '2026-11-18T23:00:00.000Z', events: ['task.due_soon'] },
      { at: '2026-11-20T23:00:00.000Z', events: ['task.overdue'] },
      { at: '2026-12-09T23:00:00.000Z', events: ['task.stale'] },
    ]);
  });

  it('focuses on the transition of one event', async () => {
    const { stores, commit, announce, explain } = ports([]);
    await commit(first);
    await commit(closed);
    await announce();
    const [event] = (await stores.events.list({ limit: 1 })).events;
    if (event === undefined) throw new Error('an event was announced');
    expect((await explain({ asked: event })).steps.map(({ version }) => version)).toEqual([2]);
  });
});

describe('what an open delivery waits for', () => {
  const later = '2026-11-14T13:00:00.000Z';
  const chat = { channel: 'slack', settings: { webhook: '${HOOK}' } };

  async function waitOf(
    change: Partial<Subscription>,
    act: (stores: SqliteStores) => Promise<unknown> = async () => {},
  ) {
    const ops = subscription('ops', change);
    const { stores, commit, announce, explain } = ports([ops]);
    await stores.subscriptions.applyDeclared([ops]);
    await commit(first);
    await commit(closed);
    await announce();
    await act(stores);
    return (await explain()).steps[1]?.events[0]?.subscriptions[0]?.wait;
  }

  const changeDelivery = (change: Partial<Delivery>) => async (stores: SqliteStores) => {
    const [one] = await stores.deliveries.list({ limit: 1, end: 'oldest' });
    if (one !== undefined) await stores.deliveries.update(one, { ...one, ...change });
  };

  it('is nothing while it may be attempted', async () => {
    expect(await waitOf({})).toBeUndefined();
  });

  it('is the end of quiet hours, in the zone of the source', async () => {
    const wait = await waitOf({ to: chat, quiet: { from: '12:00', until: '14:00' } }, changeDelivery({ dueAt: NOON }));
    expect(wait).toEqual({ until: later, because: 'quiet-hours' });
  });

  it('is the digest, not the end of quiet hours before it', async () => {
    const quiet = { from: '12:00', until: '14:00' } as const;
    const wait = await waitOf({ to: chat, quiet, digest: { at: '18:00' } });
    expect(wait).toEqual({ because: 'digest', until: '2026-11-14T18:00:00.000Z' });
  });

  it('is the time in which events are gathered, also after tick has queued it', async () => {
    const until = plus(NOON, 30_000);
    expect(await waitOf({ to: chat })).toEqual({ because: 'gathering', until, since: NOON });
    const queued = await waitOf({ to: chat }, changeDelivery({ dueAt: plus(until, 2 * MINUTE) }));
    expect(queued).toEqual({ because: 'gathering', until, since: NOON });
  });

  it('is the digest that an earlier version of the subscription had', async () => {
    const wait = await waitOf({ to: chat, digest: { at: '18:00' } }, changeDelivery({ dueAt: plus(NOON, 10 * HOUR) }));
    expect(wait).toEqual({ because: 'digest', until: plus(NOON, 10 * HOUR) });
  });

  it('is the next attempt after a failed one, with its reason', async () => {
    const attempts = [{ number: 1, at: NOON, ms: 5, outcome: 'retry', message: '503' } as const];
    const wait = await waitOf({}, changeDelivery({ attempts, dueAt: later }));
    expect(wait).toEqual({ because: 'retry', until: later, reason: '503' });
  });

  const breakCircuit = async ({ snapshots }: SqliteStores) =>
    changeHealth({ snapshots, clock: { now: () => NOON } }, 'ops', 'delivery', (health) => ({
      ...health,
      reason: '429',
      circuit: { failures: 9, failedAt: NOON, pausedUntil: later, probe: null },
    }));

  it('is the pause of its receiver', async () => {
    expect(await waitOf({}, breakCircuit)).toEqual({ because: 'receiver-paused', until: later, reason: '429' });
  });

  it('is not the pause of its receiver if it is due after that', async () => {
    expect(await waitOf({ to: chat, digest: { at: '18:00' } }, breakCircuit)).toMatchObject({ because: 'digest' });
  });

  it('is the start of the day of its readers', async () => {
    const wait = await waitOf({ to: chat }, changeDelivery({ notBefore: later, dueAt: later }));
    expect(wait).toEqual({ until: later, because: 'day-start' });
  });

  it('is the end of a snooze of its record', async () => {
    const clock = { now: () => NOON };
    const key = snoozeKey({ source: sourceUri('main'), subject: 'task/1' });
    const wait = await waitOf({}, async ({ snapshots }) =>
      changeHealth({ snapshots, clock }, 'ops', 'person', (health) => changeSnooze(health, key, later, NOON)),
    );
    expect(wait).toEqual({ until: later, because: 'snoozed' });
  });

  it('is its send slot', async () => {
    const wait = await waitOf({}, changeDelivery({ slot: { at: later, interval: 1000 }, dueAt: later }));
    expect(wait).toEqual({ until: later, because: 'rate-limit' });
  });

  it('is the pause of the subscription before anything else', async () => {
    const clock = { now: () => NOON };
    const wait = await waitOf({ to: chat, quiet: { from: '12:00', until: '14:00' } }, (stores) =>
      pause({ ...stores, clock }, 'ops'),
    );
    expect(wait).toEqual({ because: 'subscription-paused', until: null });
  });
});
