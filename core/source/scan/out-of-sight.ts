/**
 * Commits that the token no longer shows some records: without events, because they may exist. Which records these are
 * is decided in missing.ts and sight.ts.
 */

import type { ScanState } from '../../model/scan.ts';
import { OUT_OF_SIGHT_CAUSE, rowInstant, type Snapshot } from '../../model/snapshot.ts';
import { between, DAY, type Instant } from '../../model/time.ts';
import type { SnapshotWrite } from '../../ports/snapshot-store.ts';
import { commitWrites, scopesOf } from './commit-rows.ts';
import type { ScanContext } from './scan-context.ts';
import type { ScanPorts } from './scan-list.ts';

/** Records that went out of sight are reported for this long after the last one, so that later ones are reported again. */
const OUT_OF_SIGHT_FOR = DAY;

/** Records that went out of sight lately and may have been deleted. */
export function countHidden({ outOfSight = null }: ScanState, now: Instant): number {
  return outOfSight !== null && between(outOfSight.at, now) < OUT_OF_SIGHT_FOR ? outOfSight.count : 0;
}

/** After a change of the token's person or role, missing records are out of sight and not deleted. */
export async function loseSight(ports: ScanPorts, context: ScanContext, ids: readonly string[]): Promise<void> {
  const { source, resource } = context;
  for (let at = 0; at < ids.length; at += LOSE_BATCH_SIZE) {
    const batch = ids.slice(at, at + LOSE_BATCH_SIZE);
    const snapshots = await ports.snapshots.getMany(source, resource.name, batch);
    const live = [...snapshots.values()].filter(({ deletedAt }) => deletedAt === null);
    await context.assertLeaseHeld();
    await commitOutOfSight(ports, context, live);
    await clearDirty(ports, context, batch);
  }
}

/** Commits, without events, that the token no longer shows these records. Returns the ids that were committed. */
export async function commitOutOfSight(
  ports: ScanPorts,
  context: ScanContext,
  snapshots: readonly Snapshot[],
): Promise<readonly string[]> {
  const now = ports.clock.now();
  const writes = snapshots.map<SnapshotWrite>((snapshot) => ({
    expected: snapshot.version,
    snapshot: {
      ...snapshot,
      version: snapshot.version + 1,
      deletedAt: now,
      committedAt: now,
      // No row showed this.
      rowAt: rowInstant(snapshot),
      cause: OUT_OF_SIGHT_CAUSE,
      nextMoment: null,
    },
  }));
  const { conflicts } = await commitWrites(ports, context, writes);
  return snapshots.map(({ key }) => key.id).filter((id) => !conflicts.includes(id));
}

/** Large enough for one batch of a store. */
const LOSE_BATCH_SIZE = 100;

export async function clearDirty(
  { manifests }: ScanPorts,
  { source, resource }: ScanContext,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  for (const scope of scopesOf(resource)) await manifests.clearDirty({ source, resource: resource.name, scope }, ids);
}
