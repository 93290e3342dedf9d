/**
 * Compares the accounts that the sources of a config reach with those their stored records belong to. Makes one request for
 * each source with stored records, a few more if they differ.
 */

import { GiveUp, UsageError } from '../core/model/errors.ts';
import { type Clock, SECOND } from '../core/model/time.ts';
import type { SnapshotStore } from '../core/ports/snapshot-store.ts';
import type { SourceApi } from '../core/ports/source-api.ts';
import {
  checkAccount,
  isNewToken,
  normalizeBaseUrl,
  OTHER_ACCOUNT,
  readAccount,
  toAccount,
} from '../core/source/account/account.ts';
import { hasStoredRecords } from '../core/source/account/account-evidence.ts';
import { openAccount } from '../core/source/account/account-gate.ts';
import { fetchIdentity } from '../core/source/account/identity.ts';
import { wouldPoll } from '../core/source/check-due.ts';
import type { PollPorts } from '../core/source/poll-ports.ts';
import type { SourceConfig } from './config/config.ts';

type AccountSnapshots = Pick<SnapshotStore, 'get' | 'getMany' | 'list'>;

/** A start is not delayed for longer by an API that does not respond. */
const TIMEOUT_MS = 5 * SECOND;

/**
 * Throws UsageError if a source reaches another account. Remembers the tokens of the others, as the poller does. An API that
 * does not respond is left to the poller.
 */
export async function assertSameAccounts(
  sources: readonly Pick<SourceConfig, 'name' | 'baseUrl'>[],
  ports: { readonly snapshots: SnapshotStore; readonly clock: Clock },
  apiOf: (source: string) => SourceApi | undefined,
): Promise<void> {
  const checks = sources.map(async ({ name, baseUrl }) => {
    const api = apiOf(name);
    // Before the first poll there is nothing to compare, so no request is made.
    if (api === undefined || !(await isAccountKnown(ports.snapshots, name))) return;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const account = await openAccount({ ...ports, api }, { source: name, baseUrl, signal });
    await account.verify(await fetchIdentity(api, signal));
  });
  for (const check of await Promise.allSettled(checks)) {
    if (check.status === 'fulfilled') continue;
    const error: unknown = check.reason;
    if (error instanceof GiveUp && error.code === OTHER_ACCOUNT)
      throw new UsageError(error.code, error.message, { cause: error });
  }
}

async function isAccountKnown(snapshots: AccountSnapshots, source: string): Promise<boolean> {
  const { account } = await readAccount(snapshots, source);
  return account !== undefined || (await hasStoredRecords(snapshots, source));
}

/**
 * The sources that are about to be polled, or whose config has another address or token than the account was last verified
 * with: deliveries that wait would go to the receivers of this config.
 */
export async function findSourcesToCheck(
  sources: readonly SourceConfig[],
  ports: Pick<PollPorts, 'scanStates' | 'snapshots' | 'clock'>,
  apiOf: (source: string) => SourceApi | undefined,
  everything = false,
): Promise<readonly SourceConfig[]> {
  const isChecked = async ({ name, baseUrl, resources, quota }: SourceConfig) => {
    const memory = await readAccount(ports.snapshots, name);
    if (memory.account?.baseUrl !== normalizeBaseUrl(baseUrl) || isNewToken(memory, apiOf(name) ?? {})) return true;
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
  if (!(await isAccountKnown(snapshots, name))) return undefined;
  const memory = await readAccount(snapshots, name);
  const account = toAccount(baseUrl, await fetchIdentity(api, signal));
  const check = await checkAccount({ api, snapshots }, name, memory, account, signal);
  return check.verdict === 'other' ? check.error : undefined;
}
