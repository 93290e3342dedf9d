/** A receiver with a backlog on virtual time: jobs go through the real queue, agenda and lanes; requests take no real time. */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import { channelRegistry } from '../../../adapters/channels/registry.ts';
import { type Database, openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import type { DeliverPorts } from '../../../core/delivery/deliver.ts';
import { createLanes } from '../../../core/delivery/lanes.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { between, type Duration, type Instant, MINUTE, plus, SECOND, toMillis } from '../../../core/model/time.ts';
import type { OutboundMessage, Receipt } from '../../../core/ports/channel.ts';
import type { ReceivedJob } from '../../../core/ports/queue.ts';
import { deliverJob } from '../../deliver-job.ts';
import { event, NOON, subscription } from '../../samples.ts';
import { seededRandom } from '../../truth/seeded-random.ts';

export interface PressureOptions {
  readonly answer: (message: OutboundMessage, at: Instant) => Receipt;
  /** How long each request takes. @default 50 ms */
  readonly latency?: Duration;
  readonly database?: Database;
  readonly subscriptions?: readonly Subscription[];
}

export interface Arrival {
  readonly at: Instant;
  readonly subscription: string;
  readonly delivery: string;
}

export async function openPressure(options: PressureOptions) {
  const { answer, latency = 50, database = openDatabase(':memory:'), subscriptions = [subscription('ops')] } = options;
  const stores = sqliteStores(database);
  await stores.subscriptions.applyDeclared(subscriptions);
  const chance = seededRandom(1);
  const arrivals: Arrival[] = [];
  let now = NOON;
  let inRequest = 0;
  let respond: (() => void)[] = [];
  const ports: DeliverPorts = {
    ...stores,
    clock: { now: () => now },
    random: chance.unit,
    zoneOf: async () => 'UTC',
    channels: channelRegistry,
    channelFor: () => ({
      send: async (message) => {
        arrivals.push({ at: now, subscription: message.subscription.name, delivery: message.delivery });
        inRequest += 1;
        await new Promise<void>((done) => respond.push(done));
        return answer(message, now);
      },
    }),
  };
  const lanes = createLanes(() => ({ concurrency: 8 }));

  /** Attempts of one round start together and end together. */
  const attemptAll = async (received: readonly ReceivedJob[]): Promise<void> => {
    let finished = 0;
    inRequest = 0;
    const work = received.map(async (one) => {
      const { group } = one.job;
      lanes.begin(group, toMillis(now));
      const delivered = await deliverJob(ports, one.job);
      const isSettled = delivered?.delivery.status === 'settled';
      lanes.end(group, delivered === undefined ? 'unsent' : isSettled ? 'success' : 'failure');
      await stores.queue.acknowledge(one);
      finished += 1;
    });
    while (finished + inRequest < received.length) await nextEventLoopTurn();
    if (inRequest > 0) now = plus(now, latency);
    for (const done of respond.splice(0)) done();
    respond = [];
    await Promise.all(work);
  };

  let posted = 0;
  return {
    ports: { ...ports, ...stores },
    arrivals: arrivals as readonly Arrival[],
    now: () => now,
    setNow: (at: Instant) => {
      now = at;
    },
    /** Records and queues this many deliveries. */
    async post(count: number, name = 'ops'): Promise<void> {
      const opened = Array.from({ length: count }, () => {
        const one = event(`${++posted}`);
        return { event: one, deliveries: [openDelivery(one, name, now)] };
      });
      await stores.events.record(opened);
      const jobs = opened.flatMap(({ deliveries }) =>
        deliveries.map(({ id }) => ({ kind: 'attempt' as const, delivery: id, attempt: 1, group: name })),
      );
      await stores.queue.send(jobs, now);
    },
    /** Works until this time, or until `isDone`. */
    async workUntil(end: Instant, isDone: () => Promise<boolean> = async () => false): Promise<void> {
      const room = (group: string) => lanes.room(group, toMillis(now));
      while (now < end && !(await isDone())) {
        while ((await tick({ ...ports, queue: stores.queue })) > 0);
        const received = await stores.queue.receive({ limit: 64, visibility: MINUTE, room }, now);
        if (received.length > 0) await attemptAll(received);
        else {
          const [next] = await stores.agenda.due('9999', 1);
          const wait = next === undefined ? between(now, end) : Math.max(SECOND, between(now, next.at));
          now = plus(now, Math.min(wait, between(now, end)));
        }
      }
    },
    count: (status: string) =>
      Number(database.prepare('SELECT count(*) AS n FROM deliveries WHERE status = ?').get(status)?.n),
    close: () => database.close(),
  };
}

/** The most arrivals within any window of this length. */
export function mostWithin(arrivals: readonly Arrival[], window: Duration): number {
  const times = arrivals.map(({ at }) => toMillis(at)).sort((a, b) => a - b);
  let most = 0;
  for (let start = 0, end = 0; end < times.length; end++) {
    while ((times[end] ?? 0) - (times[start] ?? 0) > window) start += 1;
    most = Math.max(most, end - start + 1);
  }
  return most;
}
