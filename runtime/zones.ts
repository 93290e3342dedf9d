/** In which zone the days of each source are reckoned: the config's, else the one its polls found, else UTC. */

import type { SnapshotStore } from '../core/ports/snapshot-store.ts';
import { SOURCE } from '../core/source/health.ts';
import { DEFAULT_ZONE, rememberedZone } from '../core/source/reckoning.ts';
import type { SourceConfig } from './config/config.ts';

export function zonesOf(
  sources: readonly Pick<SourceConfig, 'name' | 'timeZone'>[],
  snapshots: Pick<SnapshotStore, 'get'>,
): (source: string) => Promise<string> {
  return async (source) => {
    const configured = sources.find(({ name }) => name === source)?.timeZone;
    const health = await snapshots.get({ source, resource: SOURCE, id: source });
    return configured ?? rememberedZone(health?.record) ?? DEFAULT_ZONE;
  };
}
