/** Shows the state of sources: health, quota, cadences, next scans and forecast. */

import { getSourceStatuses, type SourceStatus } from '../../runtime/inspect/status.ts';
import type { ApiPorts } from './api-ports.ts';
import { notFound } from './problem.ts';

export async function listSources(api: ApiPorts): Promise<{ readonly data: readonly SourceStatus[] }> {
  return { data: await getSourceStatuses(api, api.config, api.clock.now()) };
}

export async function getSource(api: ApiPorts, name: string): Promise<SourceStatus> {
  const found = (await listSources(api)).data.find(({ source }) => source === name);
  if (found === undefined) throw notFound(`source '${name}'`);
  return found;
}
