/**
 * Checks a source before it is kept in the data, as `init` and `check` do for the config: its kind, whose token it is, what the
 * token may read, its time zone, and whether another source polls the same account. Bounded in time; stores nothing.
 */

import { openGuardedFetch } from '../../adapters/http/guarded-fetch.ts';
import { sourceDefinition } from '../../adapters/sources/registry.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import type { SourceApi } from '../../core/ports/source-api.ts';
import { normalizeBaseUrl, readAccount } from '../../core/source/account/account.ts';
import type { Config, SourceConfig } from '../config/config.ts';
import { checkSource, type SourceCheck, type StoredData } from './check-source.ts';
import { recognizeKind } from './recognize-kind.ts';

/** API Gateway ends a request after 30 s: the kind is found before, and the result is stored after. */
const MAX_CHECK_TIME: Duration = 18 * SECOND;
const MAX_RECOGNITION_TIME: Duration = 8 * SECOND;

/** The pace of the check, which makes about a dozen requests: at the pace of a poll a careful setting would take minutes. */
const MIN_PER_MINUTE = 600;

export interface NewSourceCheck extends SourceCheck {
  /** Why it cannot be polled, or must not: the path of the setting that is to blame, and a message. Empty if it can. */
  readonly refusals: readonly SourceFinding[];
  /** What a person should know. */
  readonly warnings: readonly string[];
}

interface SourceFinding {
  /** In the settings; empty for the source as a whole. */
  readonly path: string;
  readonly message: string;
}

export interface NewSourceOptions extends StoredData {
  /** The sources in effect, without the one that is checked. */
  readonly others: readonly Pick<SourceConfig, 'name' | 'baseUrl'>[];
  readonly random: () => number;
  /** @default 18 s */
  readonly timeout?: Duration;
}

/** Which system is at the address, and where exactly. Undefined if no kind recognizes it. */
export async function recognizeSource(
  baseUrl: string,
  { network }: Pick<Config, 'network'>,
  timeout: Duration = MAX_RECOGNITION_TIME,
): Promise<{ readonly kind: string; readonly baseUrl: string } | undefined> {
  if (URL.parse(baseUrl) === null) return undefined;
  const guarded = openGuardedFetch(network.allow);
  try {
    const found = await recognizeKind(baseUrl, guarded.fetch, AbortSignal.timeout(timeout));
    return found && { kind: found.definition.name, baseUrl: found.url };
  } finally {
    await guarded.close();
  }
}

/** @param token the token itself */
export async function checkNewSource(
  source: SourceConfig,
  token: string,
  { others, random, timeout = MAX_CHECK_TIME, ...stored }: NewSourceOptions,
): Promise<NewSourceCheck> {
  const { baseUrl, kind, quota, timeZone } = source;
  const signal = AbortSignal.timeout(timeout);
  const options = { baseUrl, token, perMinute: Math.max(quota.perMinute, MIN_PER_MINUTE), random, retries: 1 };
  const client = await sourceDefinition(kind).open({ ...options, allow: source.stored?.allow ?? [] });
  try {
    const check = await checkSource(withSignal(client, signal), source, stored);
    const refusals: SourceFinding[] = [
      ...(check.problem === null ? [] : [{ path: '', message: sayProblem(check.problem, signal, timeout) }]),
      ...(check.otherAccount === null ? [] : [{ path: 'baseUrl', message: check.otherAccount }]),
      ...(check.problem === null && check.resources.every(({ count }) => count === null)
        ? [{ path: 'token', message: sayNothingReadable(check) }]
        : []),
      ...(check.problem === null && timeZone === undefined && (check.person?.timeZone ?? null) === null
        ? [{ path: 'timeZone', message: "expected an IANA zone such as 'Europe/Berlin', because the API names none" }]
        : []),
    ];
    const same = check.problem === null ? await findSameAccount(source, check, others, stored) : [];
    return {
      ...check,
      refusals: [
        ...refusals,
        ...same.filter(({ isSure }) => isSure).map(({ message }) => ({ path: 'token', message })),
      ],
      warnings: same.filter(({ isSure }) => !isSure).map(({ message }) => message),
    };
  } finally {
    void client.close().catch(() => {});
  }
}

function withSignal(api: SourceApi, signal: AbortSignal): SourceApi {
  return {
    ...api,
    list: (resource, query) => api.list(resource, query, signal),
    get: (resource, id) => api.get(resource, id, signal),
    quota: () => api.quota(signal),
  };
}

function sayProblem(problem: string, signal: AbortSignal, timeout: Duration): string {
  return signal.aborted ? `the API did not answer within ${timeout / SECOND} s` : problem;
}

function sayNothingReadable({ resources }: SourceCheck): string {
  const reasons = [...new Set(resources.flatMap(({ problem }) => problem ?? []))];
  return `the token can read nothing that is polled: ${reasons.slice(0, 3).join('; ') || 'no resource is polled'}`;
}

/** The same person at the same address is the same account. Another person may see the same records. */
async function findSameAccount(
  { baseUrl, name }: SourceConfig,
  { person }: SourceCheck,
  others: NewSourceOptions['others'],
  { snapshots }: StoredData,
): Promise<readonly { readonly isSure: boolean; readonly message: string }[]> {
  const address = normalizeBaseUrl(baseUrl);
  const near = others.filter((one) => one.name !== name && normalizeBaseUrl(one.baseUrl) === address);
  return Promise.all(
    near.map(async (other) => {
      const { account } = await readAccount(snapshots, other.name);
      const isSure = person !== null && account?.person === person.id;
      return {
        isSure,
        message: isSure
          ? `source '${other.name}' polls the same account with a token of the same person: its events would come twice`
          : `source '${other.name}' has the same address: if it is the same account, events of what both tokens see come twice`,
      };
    }),
  );
}
