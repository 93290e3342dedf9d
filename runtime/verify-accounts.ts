/**
 * Compares the accounts that the sources of a config reach with those their stored records belong to. Makes one request for
 * each source with stored records, a few more if they differ. Stores nothing: the poller remembers accounts.
 */

import { type GiveUp, UsageError } from '../core/model/errors.ts';
import { SECOND } from '../core/model/time.ts';
import type { SnapshotStore } from '../core/ports/snapshot-store.ts';
import type { SourceApi } from '../core/ports/source-api.ts';
import { checkAccount, normalizeBaseUrl, readAccount, toAccount } from '../core/source/account/account.ts';
import { hasStoredRecords } from '../core/source/account/account-evidence.ts';
import { fetchIdentity } from '../core/source/account/identity.ts';
import { type PollPorts, wouldPoll } from '../core/source/poll.ts';
import type { SourceConfig } from './config/config.ts';

type AccountSnapshots = Pick<SnapshotStore, 'get' | 'getMany' | 'list'>;

/** A start is not delayed for longer by an API that does not respond. */
const TIMEOUT_MS = 5 * SECOND;

/** Throws UsageError if a source reaches another account. An API that does not respond is left to the poller. */
export async function assertSameAccounts(
  sources: readonly Pick<SourceConfig, 'name' | 'baseUrl'>[],
  snapshots: AccountSnapshots,
  apiOf: (source: string) => SourceApi | undefined,
): Promise<void> {
  const errors = await Promise.all(
    sources.map(async (source) => {
      const api = apiOf(source.name);
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      return api && findOtherAccount({ api, snapshots }, source, signal).catch(() => undefined);
    }),
  );
  const [error] = errors.filter((found) => found !== undefined);
  if (error !== undefined) throw new UsageError(error.code, error.message, { cause: error });
}

/** The sources that are about to be polled, or whose config names another address than the stored one. */
export async function findSourcesToCheck(
  sources: readonly SourceConfig[],
  ports: Pick<PollPorts, 'scanStates' | 'snapshots' | 'clock'>,
  everything = false,
): Promise<readonly SourceConfig[]> {
  const isChecked = async ({ name, baseUrl, resources, quota }: SourceConfig) => {
    const { account } = await readAccount(ports.snapshots, name);
    if (account === undefined || account.baseUrl !== normalizeBaseUrl(baseUrl)) return true;
    return wouldPoll(ports, { source: name, resources, reserve: quota.reserve, everything });
  };
  const checks = await Promise.all(sources.map(isChecked));
  return sources.filter((_, index) => checks[index]);
}

/** The error of a source that reaches another account. Throws RetryLater when the API does not respond. */
export async function findOtherAccount(
  { api, snapshots }: { readonly api: SourceApi; readonly snapshots: AccountSnapshots },
  { name, baseUrl }: Pick<SourceConfig, 'name' | 'baseUrl'>,
  signal?: AbortSignal,
): Promise<GiveUp | undefined> {
  const memory = await readAccount(snapshots, name);
  // Before the first poll there is nothing to compare, so no request is made.
  if (memory.account === undefined && !(await hasStoredRecords(snapshots, name))) return undefined;
  const account = toAccount(baseUrl, await fetchIdentity(api, signal));
  const check = await checkAccount({ api, snapshots }, name, memory, account, signal);
  return check.verdict === 'other' ? check.error : undefined;
}
