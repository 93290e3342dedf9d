/** Finds the time zone of a source: the one in the config, else the one its polls found. Reads one snapshot. */

import { OWN_SOURCE, SOURCE_RESOURCE } from '../../model/event.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import { storedZone } from './time-zone.ts';

/** A source as far as its time zone goes. */
export interface SourceZone {
  readonly name: string;
  /** The zone in the config. @default - the zone of the token's user */
  readonly timeZone?: string;
}

/** Undefined while the zone of a source is unknown. */
export function createKnownZoneLookup(
  sources: readonly SourceZone[],
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
