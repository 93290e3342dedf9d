/** Shows the state of sources: health, quota, cadences, next scans and forecast. Brings scans forward. */

import * as z from 'zod';
import { SOURCE_RESOURCE } from '../../core/model/event.ts';
import { HOUR, SECOND } from '../../core/model/time.ts';
import { auditedChange } from '../../core/ports/audit-store.ts';
import { createKnownZoneLookup } from '../../core/source/account/known-zone.ts';
import type { UnusedSource } from '../../runtime/config/config.ts';
import { getSourceStatuses, type SourceStatus } from '../../runtime/inspect/status.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, seesRecords } from './http/caller.ts';
import { notFound, Problem } from './http/problem.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import { instantSchema, nameSchema, sourceSchema } from './http/schemas.ts';

/** A caller sees the resources whose records it may see, and numbers of these alone. Errors and the account are what events of the source say. */
export async function listSources(
  api: ApiPorts,
  caller: Caller,
): Promise<{ readonly data: readonly SourceStatus[]; readonly unused: readonly UnusedSource[] }> {
  const statuses = await getSourceStatuses(api, api.config, api.clock.now());
  const isSeen = seesRecords(caller, SOURCE_RESOURCE);
  const hidden = isSeen ? {} : { reason: null, account: null, baseUrl: null };
  const data = statuses.map((status) => {
    const seen = status.resources.filter(({ resource }) => seesRecords(caller, resource));
    const isAll = seen.length === status.resources.length;
    const requestsADay = isAll ? status.requestsADay : seen.reduce((sum, one) => sum + one.requestsADay, 0);
    const resources = isSeen ? seen : seen.map((one) => ({ ...one, lastError: null }));
    // What the other resources take of it is what happens to them.
    const quota = isAll ? status.quota : null;
    return { ...status, ...hidden, quota, requestsADay, resources };
  });
  return { data, unused: isSeen ? (api.config.unusedSources ?? []) : [] };
}

async function getSource(api: ApiPorts, caller: Caller, name: string): Promise<SourceStatus> {
  const status = (await listSources(api, caller)).data.find(({ source }) => source === name);
  if (status === undefined) throw notFound(`source '${name}'`);
  return status;
}

/** The time zone of each source, by name, as far as it is known. */
export async function sourceZones({
  config,
  snapshots,
}: Pick<ApiPorts, 'config' | 'snapshots'>): Promise<ReadonlyMap<string, string>> {
  const zoneOf = createKnownZoneLookup(config.sources, snapshots);
  const zones = await Promise.all(config.sources.map(async ({ name }) => [name, await zoneOf(name)] as const));
  return new Map(zones.flatMap(([name, zone]) => (zone === undefined ? [] : [[name, zone]])));
}

/** The poller looks for changes in its next cycle: within a second, in AWS within a minute. Returns when it was asked. */
export async function scanSource(api: ApiPorts, caller: Caller, name: string) {
  const { stretch } = await getSource(api, caller, name);
  // The quota is that of all: who sees only a part of the events may use what the regular scans leave of it.
  if (caller.events !== undefined && stretch > 1) throw noQuotaLeft(name);
  const requestedAt = api.clock.now();
  const entry = { action: 'source.scan_requested', target: `source/${name}` };
  await auditedChange(api, caller, entry, () => api.scanStates.requestScan(name, requestedAt));
  return { source: name, requestedAt };
}

function noQuotaLeft(name: string): Problem {
  const detail = `the daily quota of source '${name}' is needed for its regular scans: a key with event types cannot bring them forward now`;
  return new Problem(429, 'TIDINGS_API_QUOTA', { detail, headers: { 'retry-after': String(HOUR / SECOND) } });
}

const unusedSourceSchema = z
  .strictObject({ source: z.string(), baseUrl: z.string().nullable(), reason: z.string() })
  .meta({ id: 'UnusedSource', description: 'A source that was added but is not polled, with the reason.' });

const scanRequestSchema = z
  .strictObject({ source: z.string(), requestedAt: instantSchema })
  .meta({ id: 'ScanRequest' });

export const sourceRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/sources',
    operation: 'listSources',
    summary: 'List the sources with their health, quota and next scans',
    tag: 'sources',
    scopes: ['read'],
    responses: {
      200: {
        description: 'The sources.',
        schema: z.strictObject({ data: z.array(sourceSchema), unused: z.array(unusedSourceSchema) }),
        links: {
          getSource: { name: '$response.body#/data/0/source' },
          scanSource: { name: '$response.body#/data/0/source' },
        },
      },
    },
    run: async (api, { caller }) => ok(await listSources(api, caller)),
  }),
  defineRoute({
    method: 'get',
    path: '/sources/{name}',
    operation: 'getSource',
    summary: 'Get a source',
    tag: 'sources',
    scopes: ['read'],
    params: { name: nameSchema },
    responses: { 200: { description: 'The source.', schema: sourceSchema } },
    errors: [404],
    run: async (api, { caller, params: { name = '' } }) => ok(await getSource(api, caller, name)),
  }),
  defineRoute({
    method: 'post',
    path: '/sources/{name}/scan',
    operation: 'scanSource',
    summary: 'Scan for changes now',
    description:
      'All resources of the source are scanned in its next cycle, within the quota: in AWS within a minute. A key with event types is refused (429) while the daily quota is needed for the regular scans.',
    tag: 'sources',
    scopes: ['operate'],
    params: { name: nameSchema },
    responses: { 202: { description: 'It will be scanned.', schema: scanRequestSchema } },
    errors: [404],
    run: async (api, { caller, params: { name = '' } }) => ({ status: 202, body: await scanSource(api, caller, name) }),
  }),
];
