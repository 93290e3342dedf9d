/** Reads and updates the health of a subscription, with optimistic locking. */

import { type Cause, offsetFrom, type Snapshot } from '../../model/snapshot.ts';
import type { Clock } from '../../model/time.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import { digestOwnChange } from '../../snapshot/digest-change.ts';
import { fromRecord, healthKey, toRecord } from './health.ts';
import type { Health } from './health-state.ts';

export interface HealthPorts {
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
}

/**
 * Of concurrent changes one succeeds at a time. Each of the attempts in flight may make one, of which a subscription has 64, and a caller of
 * the API may pause and resume many times at once.
 */
const MAX_TRIES = 500;

export async function readHealth(
  { snapshots }: { readonly snapshots: Pick<SnapshotStore, 'get'> },
  subscription: string,
): Promise<Health> {
  return fromRecord((await snapshots.get(healthKey(subscription)))?.record);
}

/** Bypasses the read cache, to see what another process has just written. */
export async function readFreshHealth(
  { snapshots }: Pick<HealthPorts, 'snapshots'>,
  subscription: string,
): Promise<Health> {
  const { source, resource, id } = healthKey(subscription);
  return fromRecord((await snapshots.getMany(source, resource, [id])).get(id)?.record);
}

/** Returns the health after the change. Writes nothing if the change returns the same object. */
export async function changeHealth(
  ports: HealthPorts,
  subscription: string,
  cause: Extract<Cause, 'delivery' | 'person' | 'baseline'>,
  change: (before: Health) => Health,
): Promise<Health> {
  const { snapshots } = ports;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const snapshot = await snapshots.get(healthKey(subscription));
    const before = fromRecord(snapshot?.record);
    const after = change(before);
    if (after === before) return before;
    const next = nextSnapshot(ports, subscription, snapshot, after, cause);
    const [outcome] = await snapshots.commit([{ snapshot: next, expected: snapshot?.version ?? 0 }]);
    if (outcome === 'committed') return after;
  }
  throw new Error(`subscription '${subscription}': health update conflicted ${MAX_TRIES} times`);
}

function nextSnapshot(
  { clock }: HealthPorts,
  subscription: string,
  before: Snapshot | undefined,
  health: Health,
  cause: Cause,
): Snapshot {
  const now = clock.now();
  const record = toRecord(subscription, health);
  return {
    key: healthKey(subscription),
    version: (before?.version ?? 0) + 1,
    ...offsetFrom(before),
    record,
    digest: digestOwnChange(before?.record, record),
    stage: {},
    deletedAt: null,
    committedAt: now,
    cause,
    occurred: { after: before?.committedAt ?? null, before: now },
    ...(health.keptUntil === undefined ? {} : { expiresAt: health.keptUntil }),
    nextMoment: null,
  };
}
