/** The time zone of a source for times of delivery: UTC while it is unknown. */

import type { SnapshotStore } from '../core/ports/snapshot-store.ts';
import { createKnownZoneLookup, type SourceZone } from '../core/source/account/known-zone.ts';

/** For times of delivery, while the zone of a source is unknown. Records are not staged by it. */
const DEFAULT_TIME_ZONE = 'UTC';

export function createZoneLookup(
  sources: readonly SourceZone[],
  snapshots: Pick<SnapshotStore, 'get'>,
): (source: string) => Promise<string> {
  const knownZoneOf = createKnownZoneLookup(sources, snapshots);
  return async (name) => (await knownZoneOf(name)) ?? DEFAULT_TIME_ZONE;
}
