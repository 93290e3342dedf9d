/** In which zone the days of each source are reckoned: the config's, else the one its polls found, else UTC. */

import { OWN_SOURCE } from '../core/model/event.ts';
import type { SnapshotStore } from '../core/ports/snapshot-store.ts';
import { SOURCE_RESOURCE } from '../core/source/health.ts';
import { DEFAULT_TIME_ZONE, storedTimeZone } from '../core/source/stage-rules.ts';
import type { SourceConfig } from './config/config.ts';

export function createZoneLookup(
  sources: readonly Pick<SourceConfig, 'name' | 'timeZone'>[],
  snapshots: Pick<SnapshotStore, 'get'>,
): (source: string) => Promise<string> {
  return async (asked) => {
    // What tells of Tidings itself goes by the clocks of the first source.
    const source = asked === OWN_SOURCE || asked === 'tidings' ? (sources[0]?.name ?? asked) : asked;
    const configured = sources.find(({ name }) => name === source)?.timeZone;
    if (configured !== undefined) return configured;
    const health = await snapshots.get({ source, resource: SOURCE_RESOURCE, id: source });
    return storedTimeZone(health?.record) ?? DEFAULT_TIME_ZONE;
  };
}
