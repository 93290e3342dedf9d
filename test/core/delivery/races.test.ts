/** Races between two processes at one delivery, each reduced from a failure of the truth run `faults`. */

import { beforeEach, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteQueue } from '../../../adapters/sqlite/queue.ts';
import { sqliteSnapshotStore } from '../../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { expedite } from '../../../core/delivery/expedite.ts';
import { pause, resume } from '../../../core/delivery/hold.ts';
import { changeHealth, readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { retryNow } from '../../../core/delivery/retry.ts';
import { nextDelay } from '../../../core/delivery/schedule.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { type Delivery, QUEUE_AHEAD } from '../../../core/model/delivery.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { between, HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import type { Channel } from '../../../core/ports/channel.ts';
import type { Job } from '../../../core/ports/queue.ts';
import { defaultRules } from '../../../core/snapshot/stage.ts';
import { deliverJob } from '../../deliver-job.ts';
import { delivery, event, NOON, subscription } from '../../samples.ts';
import { handClock } from '../source/list-api.ts';

let world: ReturnType<typeof setUp>;

function setUp() {
  const db = openDatabase(':memory:');
  const stores = sqliteStores(db);
  const clock = handClock(NOON);
  let send: Channel['send'] = async () => ({ status: 204 });
  const self = {
    sent: 0,
    ...stores,
    clock,
    snapshots: sqliteSnapshotStore(db),
    /** The snapshots as another process sees them. */
    otherSnapshots: sqliteSnapshotStore(db),
    zoneOf: async () => 'UTC',
    channels: channelRegistry,
    channelFor: (): Channel => ({
      send: (message) => {
        self.sent += 1;
        return send(message);
      },
    }),
    random: () => 0.5,
    answer: (error: Error) => {
      send = async () => Promise.reject(error);
    },
    /** Runs `act` while the receiver processes the request. */
    meanwhile: (act: () => Promise<unknown>) => {
      send = async () => {
        await act();
        return { status: 204 };
      };
    },
  };
  return self;
}

beforeEach(async () => {
  world = setUp();
  const chat = { channel: 'slack', settings: { webhook: '${HOOK}' } };
  await world.subscriptions.applyDeclared([subscription('ops'), subscription('chat', { to: chat })]);
});

async function open(id: string, name: string, change: Partial<Delivery> = {}): Promise<Delivery> {
  const opened = delivery(id, name, change);
  await world.events.record([{ event: event(id), deliveries: [opened] }]);
  return opened;
}

/** A store that runs `meanwhile` just before the next call of this method. */
function interrupted<Store extends object>(
  store: Store,
  call: keyof Store & string,
  meanwhile: () => Promise<unknown>,
): Store {
  let left = 1;
  const interrupt = async () => {
    if (left-- > 0) await meanwhile();
  };
  const method = store[call] as (...given: never[]) => Promise<unknown>;
  return {
    ...store,
    [call]: async (...given: never[]) => {
      await interrupt();
      return method(...given);
    },
  };
}

const statusOf = async ({ id }: Delivery) => (await world.deliveries.get(id))?.status;
const jobFor = ({ id, attempts, subscription }: Delivery) => ({
  kind: 'attempt' as const,
  delivery: id,
  attempt: attempts.length + 1,
  group: subscription,
});

describe('jobs of the same attempt', () => {
  it('are stale if they were queued for another time', async () => {
    const one = await open('1', 'ops');
    expect(await deliverJob(world, { ...jobFor(one), dueAt: plus(NOON, 1) })).toBeUndefined();
    expect(await deliverJob(world, { ...jobFor(one), dueAt: one.dueAt ?? '' })).toBeDefined();
    expect(world.sent).toBe(1);
  });

  it('are current without a time: an older version queued them', async () => {
    expect(await deliverJob(world, jobFor(await open('1', 'ops')))).toBeDefined();
  });

  it('are compared with a consistent read before they are dropped', async () => {
    const one = await open('1', 'ops');
    const [moment] = await world.agenda.due('9999', 1);
    if (moment === undefined) throw new Error('nothing is due');
    const dueAt = plus(NOON, HOUR);
    await world.agenda.postpone(moment, dueAt);
    const lagging = {
      ...world.deliveries,
      get: async (id: string, consistent = false) => (consistent ? world.deliveries.get(id) : one),
    };
    expect(await deliverJob({ ...world, deliveries: lagging }, { ...jobFor(one), dueAt })).toBeDefined();
  });

  it.each(['pending', 'waiting'] as const)(
    'send one message to people from %s, if both run at once',
    async (status) => {
      const one = await open('1', 'chat', { status, dueAt: NOON });
      const job = { ...jobFor(one), dueAt: NOON };
      await Promise.all([deliverJob(world, job), deliverJob(world, job), deliverJob(world, job)]);
      expect(world.sent).toBe(1);
    },
  );

  it('send one message to people, if the second runs while the first is in flight', async () => {
    const one = await open('1', 'chat', { dueAt: NOON });
    const job = { ...jobFor(one), dueAt: NOON };
    world.meanwhile(() => deliverJob(world, job));
    await deliverJob(world, job);
    expect(world.sent).toBe(1);
  });

  it('send one message to people, if a person retries the delivery while its attempt is in flight', async () => {
    const made = [{ number: 1, at: NOON, ms: 1, outcome: 'retry' as const }];
    const one = await open('1', 'chat', { attempts: made, dueAt: NOON });
    const jobs: Job[] = [];
    const queue = {
      ...sqliteQueue(openDatabase(':memory:')),
      send: async (sent: readonly Job[]) => void jobs.push(...sent),
    };
    world.meanwhile(async () => {
      expect(await retryNow(world, one.id)).toBe(true);
      await tick({ ...world, queue });
      for (const job of jobs) await deliverJob(world, job);
    });
    await deliverJob(world, { ...jobFor(one), dueAt: NOON });
    expect(world.sent).toBe(1);
  });
});

describe('gathering while tick postpones a member', () => {
  it('sends each event once', async () => {
    const one = await open('1', 'chat', { status: 'waiting', dueAt: NOON });
    const two = await open('2', 'chat', { status: 'waiting', dueAt: NOON });
    const [, moment] = await world.agenda.due(NOON, 2);
    if (moment === undefined) throw new Error('nothing is due');
    const deliveries = interrupted(world.deliveries, 'gather', () =>
      world.agenda.postpone(moment, plus(NOON, 2 * MINUTE)),
    );
    const delivered = await deliverJob({ ...world, deliveries }, jobFor(one));
    expect(delivered?.delivery.events).toEqual(['evt_1', 'evt_2']);
    expect(await world.deliveries.get(two.id)).toMatchObject({
      status: 'gathered',
      into: delivered?.delivery.id,
      dueAt: null,
    });
    expect(await world.agenda.due('9999', 9)).toEqual([]);
  });
});

describe('waiting for a send slot', () => {
  /** Waits 20 seconds for the slot, and runs `meanwhile` in between. */
  const waitingWhile = (meanwhile: () => Promise<unknown>) => ({
    ...world,
    waitForSlot: async () => {
      await meanwhile();
      world.clock.advance(20 * SECOND);
      return undefined;
    },
  });

  it('does not send a delivery that another job has sent meanwhile', async () => {
    const one = await open('1', 'ops');
    const delivered = await deliverJob(
      waitingWhile(() => deliverJob(world, jobFor(one))),
      jobFor(one),
    );
    expect(delivered).toBeUndefined();
    expect(world.sent).toBe(1);
  });

  it('holds the delivery when a person pauses the subscription meanwhile', async () => {
    const one = await open('1', 'ops');
    await deliverJob(
      waitingWhile(() => pause(world, 'ops')),
      jobFor(one),
    );
    expect(world.sent).toBe(0);
    expect(await statusOf(one)).toBe('held');
  });

  it('holds the delivery of a paused subscription even if tick postponed it meanwhile', async () => {
    const one = await open('1', 'ops');
    const [moment] = await world.agenda.due('9999', 1);
    if (moment === undefined) throw new Error('nothing is due');
    await deliverJob(
      waitingWhile(async () => {
        await world.agenda.postpone(moment, plus(NOON, HOUR));
        await pause(world, 'ops');
      }),
      jobFor(one),
    );
    expect(await statusOf(one)).toBe('held');
  });

  it('sends the delivery if nothing changed meanwhile', async () => {
    const one = await open('1', 'ops');
    await deliverJob(
      waitingWhile(async () => {}),
      jobFor(one),
    );
    expect(world.sent).toBe(1);
    expect(await statusOf(one)).toBe('settled');
  });
});

describe('gathering while a member is held', () => {
  it('sends each event once when the subscription is paused and resumed in between', async () => {
    const one = await open('1', 'chat', { status: 'waiting', dueAt: NOON });
    const two = await open('2', 'chat', { status: 'waiting', dueAt: NOON });
    const deliveries = interrupted(world.deliveries, 'gather', async () => {
      await pause(world, 'chat');
      await deliverJob(world, jobFor(two));
      expect(await statusOf(two)).toBe('held');
    });
    await deliverJob({ ...world, deliveries }, jobFor(one));
    await resume(world, 'chat');
    const open2 = (await world.deliveries.listByEvent('evt_2')).filter(({ status }) => status !== 'gathered');
    expect(open2.map(({ events }) => events)).toEqual([['evt_1', 'evt_2']]);
  });
});

describe('gathering while the group is in flight', () => {
  it('sends the group once, even with the job of the member that it is named after', async () => {
    const one = await open('1', 'chat', { status: 'waiting', dueAt: NOON });
    const two = await open('2', 'chat', { status: 'waiting', dueAt: NOON });
    const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let sent = 0;
    world.meanwhile(async () => {
      sent += 1;
      begun.resolve();
      await answered.promise;
    });
    let first: Promise<unknown> | undefined;
    const leases = interrupted(world.leases, 'acquire', async () => {
      first = deliverJob(world, jobFor(two));
      await begun.promise;
    });
    const second = deliverJob({ ...world, leases }, jobFor(one));
    await Promise.race([second, new Promise((later) => setTimeout(later, 50))]);
    answered.resolve();
    await Promise.all([first, second]);
    expect(sent).toBe(1);
  });
});

describe('retryNow during an attempt', () => {
  it('does not queue a group whose first attempt is in flight', async () => {
    const one = await open('1', 'chat', { status: 'waiting', dueAt: NOON });
    await open('2', 'chat', { status: 'waiting', dueAt: NOON });
    const due: string[] = [];
    world.meanwhile(async () => {
      const [group] = await world.deliveries.list({ status: 'pending', limit: 1 });
      expect(await retryNow(world, group?.id ?? '')).toBe(true);
      due.push(...(await world.agenda.due(NOON, 9)).map(({ delivery }) => delivery));
    });
    expect((await deliverJob(world, jobFor(one)))?.delivery.status).toBe('settled');
    expect(due).toEqual([]);
  });
});

describe('resuming while a delivery is being held', () => {
  it('releases a delivery that is held at the same time', async () => {
    const one = await open('1', 'ops');
    await pause(world, 'ops');
    await deliverJob(
      { ...world, deliveries: interrupted(world.deliveries, 'update', () => resume(world, 'ops')) },
      jobFor(one),
    );
    expect(await world.deliveries.get(one.id)).toMatchObject({ status: 'pending', dueAt: NOON });
  });

  it('releases it when another process resumes', async () => {
    const one = await open('1', 'ops');
    await pause(world, 'ops');
    const otherProcess = { ...world, snapshots: world.otherSnapshots };
    await deliverJob(
      { ...world, deliveries: interrupted(world.deliveries, 'update', () => resume(otherProcess, 'ops')) },
      jobFor(one),
    );
    expect(await world.deliveries.get(one.id)).toMatchObject({ status: 'pending', dueAt: NOON });
  });

  it('releases a delivery that was in flight when the receiver responded with 410 Gone', async () => {
    const one = await open('1', 'ops');
    world.answer(new GiveUp('TIDINGS_HTTP_GONE', 'answered 410', { gone: true }));
    await deliverJob(
      { ...world, deliveries: interrupted(world.deliveries, 'saveAttempt', () => resume(world, 'ops')) },
      jobFor(one),
    );
    expect(await world.deliveries.get(one.id)).toMatchObject({ status: 'pending', dueAt: NOON });
  });

  it('keeps a delivery held if the subscription is not resumed', async () => {
    const one = await open('1', 'ops');
    await pause(world, 'ops');
    await deliverJob(world, jobFor(one));
    expect(await statusOf(one)).toBe('held');
  });
});

describe('the probe of a disabled subscription', () => {
  it('is retried after a failure if it replaced a missing probe', async () => {
    const one = await open('1', 'ops');
    await changeHealth(world, 'ops', 'delivery', (before) => ({
      ...before,
      state: 'disabled',
      failingSince: NOON,
      disabledAt: NOON,
    }));
    world.answer(new RetryLater('TIDINGS_HTTP_STATUS', 'answered 503'));
    await deliverJob(world, jobFor(one));
    expect(await readHealth(world, 'ops')).toMatchObject({ state: 'disabled', probe: one.id });
    expect(await world.deliveries.get(one.id)).toMatchObject({ status: 'pending', dueAt: plus(NOON, 4 * HOUR) });
  });
});

it('keeps each of the changes of health that 200 attempts make at once, as after a lock of the data file', async () => {
  const addressOf = (number: number) => `${number}@example.com`;
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  const changes = numbers.map((number) =>
    changeHealth(world, 'ops', 'delivery', (before) => ({ ...before, muted: [...before.muted, addressOf(number)] })),
  );
  await Promise.all(changes);
  expect((await readHealth(world, 'ops')).muted.toSorted()).toEqual(numbers.map(addressOf).toSorted());
});

describe('expedite', () => {
  const failed = (number: number, at: string) => ({ number, at, ms: 1, outcome: 'retry' as const });

  it('makes a delivery that failed during an outage due now', async () => {
    const attempts = [failed(1, NOON), failed(2, plus(NOON, 4_500)), failed(3, plus(NOON, 5 * MINUTE))];
    const one = await open('1', 'ops', { attempts, dueAt: plus(NOON, HOUR) });
    await expedite(world, 'ops');
    expect(await world.deliveries.get(one.id)).toMatchObject({ dueAt: NOON });
  });

  it('skips a delivery that tick has queued ahead, because two jobs would send it concurrently', async () => {
    const one = await open('1', 'ops', { attempts: [failed(1, NOON)], dueAt: plus(NOON, MINUTE) });
    const sent: Job[] = [];
    const queue = {
      ...sqliteQueue(openDatabase(':memory:')),
      send: async (jobs: readonly Job[]) => void sent.push(...jobs),
    };
    const ports = { ...world, queue, rules: defaultRules, ahead: QUEUE_AHEAD };
    await tick(ports);
    await expedite(world, 'ops');
    world.clock.advance(MINUTE);
    await tick(ports);
    expect(sent).toMatchObject([{ delivery: one.id, attempt: 2 }]);
  });

  it('skips a delivery whose last early retry failed', async () => {
    const attempts = [failed(1, NOON), failed(2, plus(NOON, 4_500)), failed(3, plus(NOON, 60_000))];
    const one = await open('1', 'ops', { attempts, dueAt: plus(NOON, HOUR) });
    await expedite(world, 'ops');
    expect(await world.deliveries.get(one.id)).toMatchObject({ dueAt: plus(NOON, HOUR) });
  });

  it('leaves a rejected delivery on its own schedule while all others succeed', async () => {
    const bad = await open('bad', 'ops');
    let others = 0;
    let lastAttemptAt = NOON;
    while ((await statusOf(bad)) === 'pending' && world.clock.now() < plus(NOON, 100 * HOUR)) {
      const [next] = await world.agenda.due(world.clock.now(), 1);
      const now = await world.deliveries.get(bad.id);
      if (next?.delivery === bad.id && now !== undefined) {
        world.answer(new RetryLater('TIDINGS_HTTP_STATUS', 'answered 500'));
        await deliverJob(world, jobFor(now));
        lastAttemptAt = world.clock.now();
        others += 1;
        const other = await open(`other-${others}`, 'ops');
        await deliverJob(
          { ...world, channels: channelRegistry, channelFor: () => ({ send: async () => ({ status: 204 }) }) },
          jobFor(other),
        );
      }
      world.clock.advance(MINUTE);
    }
    expect(await world.deliveries.get(bad.id)).toMatchObject({ status: 'failed', attempts: { length: 10 } });
    const whole = Array.from({ length: 9 }, (_, failures) => nextDelay(failures + 1, 0.5) ?? 0);
    const sum = whole.reduce((total, wait) => total + wait, 0);
    expect(between(plus(NOON, sum), lastAttemptAt)).toBeLessThan(10 * MINUTE);
    expect(between(plus(NOON, sum), lastAttemptAt)).toBeGreaterThanOrEqual(0);
  });
});
