/** Finds the time zone of a source: the one in the config, else the one its polls found, else UTC. */

import { OWN_SOURCE } from '../core/model/event.ts';
import type { SnapshotStore } from '../core/ports/snapshot-store.ts';
import { storedZone } from '../core/source/account/time-zone.ts';
import { SOURCE_RESOURCE } from '../core/source/health.ts';
import type { SourceConfig } from './config/config.ts';

/** For times of delivery, while the zone of a source is unknown. Records are not staged by it. */
const DEFAULT_TIME_ZONE = 'UTC';

type Sources = readonly Pick<SourceConfig, 'name' | 'timeZone'>[];

/** Undefined while the zone of a source is unknown. */
export function createKnownZoneLookup(
  sources: Sources,
  snapshots: Pick<SnapshotStore, 'get'>,
): (source: string) => Promise<string | undefined> {
  return async (name) => {
    // Events about Tidings itself use the zone of the first source.
    const source = name === OWN_SOURCE || name === 'tidings' ? (sources[0]?.name ?? name) : name;
    const configured = sources.find((one) => one.name === source)?.timeZone;
    if (configured !== undefined) return configured;
    const health = await snapshots.get({ source, resource: SOURCE_RESOURCE, id: source });
    return storedZone(health?.record).timeZone ?? undefined;
  };
}

export function createZoneLookup(
  sources: Sources,
  snapshots: Pick<SnapshotStore, 'get'>,
): (source: string) => Promise<string> {
  const knownZoneOf = createKnownZoneLookup(sources, snapshots);
  return async (name) => (await knownZoneOf(name)) ?? DEFAULT_TIME_ZONE;
}
