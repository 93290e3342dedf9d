/** Shows the state of sources: health, quota, cadences, next scans and forecast. Brings scans forward. */

import { auditedChange } from '../../core/ports/audit-store.ts';
import { getSourceStatuses, type SourceStatus } from '../../runtime/inspect/status.ts';
import { createZoneLookup } from '../../runtime/zones.ts';
import type { ApiPorts } from './http/api-ports.ts';
import type { Caller } from './http/caller.ts';
import { notFound } from './http/problem.ts';

export async function listSources(api: ApiPorts): Promise<{ readonly data: readonly SourceStatus[] }> {
  return { data: await getSourceStatuses(api, api.config, api.clock.now()) };
}

export async function getSource(api: ApiPorts, name: string): Promise<SourceStatus> {
  const found = (await listSources(api)).data.find(({ source }) => source === name);
  if (found === undefined) throw notFound(`source '${name}'`);
  return found;
}

/** The time zone of each source, by name. */
export async function sourceZones({ config, snapshots }: Pick<ApiPorts, 'config' | 'snapshots'>) {
  const zoneOf = createZoneLookup(config.sources, snapshots);
  return new Map(await Promise.all(config.sources.map(async ({ name }) => [name, await zoneOf(name)] as const)));
}

/** The poller looks for changes in its next cycle: within a second, in AWS within a minute. Returns when it was asked. */
export async function scanSource(api: ApiPorts, caller: Caller, name: string) {
  await getSource(api, name);
  const requestedAt = api.clock.now();
  const entry = { action: 'source.scan_requested', target: `source/${name}` };
  await auditedChange(api, caller, entry, () => api.scanStates.requestScan(name, requestedAt));
  return { source: name, requestedAt };
}
