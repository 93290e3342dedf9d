/** Checks a source: the token, what it may read, and how many requests polling will need. check-endpoint.ts checks receivers. */

import { isForbidden } from '../../core/model/error-codes.ts';
import { errorMessage, GiveUp, TidingsError } from '../../core/model/errors.ts';
import { initialScanState } from '../../core/model/scan.ts';
import type { ScanStateStore } from '../../core/ports/scan-state-store.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { Quota, SourceApi } from '../../core/ports/source-api.ts';
import { forecastRequests, type PlannedResource } from '../../core/source/plan.ts';
import type { SourceConfig } from '../config/config.ts';
import { findOtherAccount } from '../verify-accounts.ts';

interface ResourceCheck {
  readonly resource: string;
  /** null when it could not be counted. */
  readonly count: number | null;
  /** Why it could not be counted; null when it could. */
  readonly problem: string | null;
  readonly forbidden: boolean;
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
  /** Why the stored records do not belong to this account; null when they do, or when none are stored. */
  readonly otherAccount: string | null;
}

/** What earlier polls stored; empty before the first one. */
export interface StoredData {
  readonly snapshots: SnapshotStore;
  readonly scanStates: ScanStateStore;
}

export async function checkSource(
  api: SourceApi,
  config: SourceConfig,
  { snapshots, scanStates }: StoredData,
): Promise<SourceCheck> {
  const { name: source, baseUrl } = config;
  const unreachable = {
    source,
    baseUrl,
    timeZone: config.timeZone ?? null,
    person: null,
    quota: null,
    resources: [],
    requestsADay: 0,
    otherAccount: null,
  };
  let quota: Quota | null;
  try {
    quota = await api.quota();
  } catch (error) {
    return { ...unreachable, problem: errorMessage(error) };
  }
  const person = await findTokenUser(api);
  const other = await findOtherAccount({ api, snapshots }, config).catch(() => undefined);
  const resources: ResourceCheck[] = [];
  for (const { resource } of config.resources) resources.push(await countRecords(api, resource.name));
  return {
    ...unreachable,
    problem: null,
    person,
    quota,
    resources,
    requestsADay: await forecast(config, resources, scanStates),
    otherAccount: other?.message ?? null,
  };
}

async function findTokenUser(api: SourceApi): Promise<SourceCheck['person']> {
  try {
    const identity = await api.traits.identify(api);
    if (identity === undefined) return null;
    const { person: id, name = null, role } = identity;
    const timeZone = await api.traits.findTimeZone(api).catch(() => null);
    return { id, name, role, timeZone };
  } catch {
    return null;
  }
}

async function countRecords(api: SourceApi, resource: string): Promise<ResourceCheck> {
  try {
    const page = await api.list(resource, { offset: 0, limit: 1, filters: {} });
    return { resource, count: page.content().listCount, problem: null, forbidden: false };
  } catch (error) {
    const forbidden = error instanceof GiveUp && isForbidden(error.code);
    const code = error instanceof TidingsError ? error.code : 'TIDINGS_UNEXPECTED';
    return {
      resource,
      count: null,
      forbidden,
      problem: forbidden ? "the token's role may not read it" : `${errorMessage(error)} (${code})`,
    };
  }
}

/** The forecast of `status`: with the cost of the last scans where there were any. */
async function forecast(
  config: SourceConfig,
  checks: readonly ResourceCheck[],
  scanStates: ScanStateStore,
): Promise<number> {
  const checkOf = new Map(checks.map((check) => [check.resource, check]));
  const planned = await Promise.all(
    config.resources.map(async (one): Promise<PlannedResource> => {
      const { name } = one.resource;
      const stored = (await scanStates.get(config.name, name)) ?? initialScanState(config.name, name);
      const { count = null, forbidden = false } = checkOf.get(name) ?? {};
      const forbiddenAt = forbidden ? (stored.forbiddenAt ?? SOME_INSTANT) : null;
      return { ...one, state: { ...stored, count: count ?? stored.count, forbiddenAt } };
    }),
  );
  return forecastRequests(planned);
}

/** Only whether a resource is forbidden counts, not since when. */
const SOME_INSTANT = '1970-01-01T00:00:00.000Z';
