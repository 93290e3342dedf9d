/**
 * Removes the health of subscriptions that are gone. It stays for the retention: until then an event of it is stored, whose id one of a new
 * subscription with the name could have, and readers who unsubscribed stay so if the subscription is made again.
 */

import { OWN_SOURCE } from '../../model/event.ts';
import { type Pace, UNPACED } from '../../model/pace.ts';
import { DAY, type Duration, type Instant, plus } from '../../model/time.ts';
import type { SubscriptionStore } from '../../ports/subscription-store.ts';
import { fromRecord, HEALTH_RESOURCE, healthKey } from './health.ts';
import type { Health } from './health-state.ts';
import { changeHealth, type HealthPorts } from './subscription-state.ts';

export interface SweepPorts extends HealthPorts {
  readonly subscriptions: Pick<SubscriptionStore, 'list'>;
  /** Called between two rows. @default - all are read in one go */
  readonly pace?: Pace;
}

/**
 * For the health of one that was never announced. If another with the name is added at the moment of the removal, its row is marked: a sweep,
 * once a day in AWS, ends that first. Without its row, one that is paused would send.
 */
const UNUSED_FOR: Duration = 2 * DAY;

/** Rows that are written at a time. The next run goes on. */
const MAX_WRITES = 1000;

/**
 * After a subscription was removed. A program may make and remove thousands: the sweep finds only those whose process ended in between, and
 * those of configs.
 */
export async function markGone(ports: HealthPorts, name: string, retention: Duration): Promise<void> {
  const stored = await ports.snapshots.get(healthKey(name));
  if (stored === undefined) return;
  const now = ports.clock.now();
  // Made paused, and removed: no event of it was announced, and nobody has unsubscribed.
  const isUnused = stored.version === 1 && stored.cause === 'baseline' && fromRecord(stored.record).muted.length === 0;
  await changeHealth(ports, name, 'baseline', (health) => mark(health, plus(now, isUnused ? UNUSED_FOR : retention)));
}

/**
 * Rows of subscriptions that are gone get the end of the retention, and those that have reached it are deleted. A subscription that is
 * made again ends that first, in the same row, so that it is not deleted then.
 */
export async function sweepHealth(ports: SweepPorts, retention: Duration): Promise<void> {
  const { snapshots, subscriptions, clock, pace = UNPACED } = ports;
  const now = clock.now();
  const rows: { readonly name: string; readonly isMarked: boolean }[] = [];
  for await (const { key, record } of snapshots.list(OWN_SOURCE, HEALTH_RESOURCE)) {
    rows.push({ name: key.id, isMarked: fromRecord(record).keptUntil !== undefined });
    await pace();
  }
  const names = new Set(rows.length === 0 ? [] : (await subscriptions.list(true)).map(({ name }) => name));
  const wrong = rows.filter(({ name, isMarked }) => names.has(name) === isMarked).slice(0, MAX_WRITES);
  for (const { name } of wrong) {
    await changeHealth(
      ports,
      name,
      'baseline',
      names.has(name) ? unmark : (health) => mark(health, plus(now, retention)),
    );
    await pace();
  }
  await snapshots.removeExpired(OWN_SOURCE, HEALTH_RESOURCE, now);
}

function mark(health: Health, keptUntil: Instant): Health {
  return health.keptUntil === undefined ? { ...health, keptUntil } : health;
}

function unmark(health: Health): Health {
  const { keptUntil, ...rest } = health;
  return keptUntil === undefined ? health : rest;
}
