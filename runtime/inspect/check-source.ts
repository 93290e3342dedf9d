/** Checks a source: the token, what it may read, and how many requests polling will need. check-endpoint.ts checks receivers. */

import { errorMessage, GiveUp, TidingsError } from '../../core/model/errors.ts';
import { initialScanState } from '../../core/model/scan.ts';
import type { Quota, SourceApi, WireRow } from '../../core/ports/source-api.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import { cleanRow } from '../../core/resources/clean.ts';
import { forecastRequests, type PlannedResource } from '../../core/source/plan.ts';
import type { SourceConfig } from '../config/config.ts';

export interface ResourceCheck {
  readonly resource: string;
  /** null when it could not be counted. */
  readonly count: number | null;
  /** Why it could not be counted; null when it could. */
  readonly problem: string | null;
}

export interface SourceCheck {
  readonly source: string;
  readonly baseUrl: string;
  /** Why the API cannot be reached; null when it can. */
  readonly problem: string | null;
  readonly person: {
    readonly id: string;
    readonly name: string | null;
    readonly role: string | null;
    readonly timeZone: string | null;
  } | null;
  /** The zone in the config; null: that of the person. */
  readonly timeZone: string | null;
  readonly quota: Quota | null;
  readonly resources: readonly ResourceCheck[];
  /** Requests a day at the configured cadences. */
  readonly requestsADay: number;
}

export async function checkSource(api: SourceApi, config: SourceConfig): Promise<SourceCheck> {
  const { name: source, baseUrl } = config;
  const unreachable = {
    source,
    baseUrl,
    timeZone: config.timeZone ?? null,
    person: null,
    quota: null,
    resources: [],
    requestsADay: 0,
  };
  let quota: Quota;
  try {
    quota = await api.quota();
  } catch (error) {
    return { ...unreachable, problem: errorMessage(error) };
  }
  const person = await findTokenUser(api);
  const resources: ResourceCheck[] = [];
  for (const { resource } of config.resources) resources.push(await countRecords(api, resource.name));
  return { ...unreachable, problem: null, person, quota, resources, requestsADay: forecast(config, resources) };
}

async function findTokenUser(api: SourceApi): Promise<SourceCheck['person']> {
  try {
    const page = await api.list('me', { offset: 0, limit: 1, filters: {} });
    const { rows, personId } = page.content();
    const id = personId ?? rows[0]?.id ?? null;
    if (id === null) return null;
    // The fields of /me/ are undocumented. The person's record is documented, but not every role may read it.
    const own = await api.get('person', id).catch(() => undefined);
    return describePerson(id, { ...rows[0]?.parse(), ...own });
  } catch {
    return null;
  }
}

function describePerson(id: string, row: WireRow): SourceCheck['person'] {
  const { fields } = cleanRow(resourceOf('person'), { ...row, id });
  const text = (field: string) => (typeof fields[field] === 'string' ? fields[field] : null);
  const name = [text('firstname'), text('lastname')].filter((part) => part !== null).join(' ');
  return { id, name: name === '' ? null : name, role: text('group'), timeZone: text('timezone') };
}

async function countRecords(api: SourceApi, resource: string): Promise<ResourceCheck> {
  try {
    const page = await api.list(resource, { offset: 0, limit: 1, filters: {} });
    return { resource, count: page.content().listCount, problem: null };
  } catch (error) {
    const forbidden = error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_FORBIDDEN';
    const code = error instanceof TidingsError ? error.code : 'TIDINGS_UNEXPECTED';
    return {
      resource,
      count: null,
      problem: forbidden ? "the token's role may not read it" : `${errorMessage(error)} (${code})`,
    };
  }
}

function forecast(config: SourceConfig, checks: readonly ResourceCheck[]): number {
  const counts = new Map(checks.map(({ resource, count }) => [resource, count]));
  const planned: PlannedResource[] = config.resources
    .filter(({ resource }) => counts.get(resource.name) !== null)
    .map((one) => ({
      ...one,
      state: { ...initialScanState(config.name, one.resource.name), count: counts.get(one.resource.name) ?? 0 },
    }));
  return forecastRequests(planned);
}
