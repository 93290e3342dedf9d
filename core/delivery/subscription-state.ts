/** Reads and changes the health of a subscription, each change on the condition that nobody else came first. */

import type { Cause, Snapshot } from '../model/snapshot.ts';
import type { Clock } from '../model/time.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { fromRecord, type Health, healthKey, toRecord } from './health.ts';

export interface HealthPorts {
  readonly snapshots: SnapshotStore;
  readonly clock: Clock;
}

/** Others change it now and then, not all the time. */
const TRIES = 5;

export async function readHealth({ snapshots }: Pick<HealthPorts, 'snapshots'>, subscription: string): Promise<Health> {
  return fromRecord((await snapshots.get(healthKey(subscription)))?.record);
}

/** As it is at this very moment, also where another process has changed it since it was read last. */
export async function readFreshHealth(
  { snapshots }: Pick<HealthPorts, 'snapshots'>,
  subscription: string,
): Promise<Health> {
  const { source, resource, id } = healthKey(subscription);
  return fromRecord((await snapshots.getMany(source, resource, [id])).get(id)?.record);
}

/** Returns the health after the change. Nothing is written when the change leaves it as it was. */
export async function changeHealth(
  ports: HealthPorts,
  subscription: string,
  cause: Extract<Cause, 'delivery' | 'person'>,
  change: (before: Health) => Health,
): Promise<Health> {
  const { snapshots } = ports;
  for (let tries = 0; tries < TRIES; tries++) {
    const snapshot = await snapshots.get(healthKey(subscription));
    const before = fromRecord(snapshot?.record);
    const after = change(before);
    if (after === before) return before;
    const next = nextSnapshot(ports, subscription, snapshot, after, cause);
    const [outcome] = await snapshots.commit([{ snapshot: next, expected: snapshot?.version ?? 0 }]);
    if (outcome === 'committed') return after;
  }
  throw new Error(`the state of subscription '${subscription}' is changed by others all the time`);
}

function nextSnapshot(
  { clock }: HealthPorts,
  subscription: string,
  before: Snapshot | undefined,
  health: Health,
  cause: Cause,
): Snapshot {
  const now = clock.now();
  return {
    key: healthKey(subscription),
    version: (before?.version ?? 0) + 1,
    record: toRecord(subscription, health),
    stage: {},
    deletedAt: null,
    committedAt: now,
    cause,
    occurred: { after: before?.committedAt ?? null, before: now },
    nextMoment: null,
  };
}
