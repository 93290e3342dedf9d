/**
 * Lets a poller read a source only while the API shows the account that its records belong to. Remembers the account at the
 * first contact. The comparison itself is in account.ts.
 */

import type { TokenIdentity } from '../../model/scan.ts';
import type { Clock, Instant } from '../../model/time.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import type { FoundIdentity, SourceApi } from '../../ports/source-api.ts';
import { checkAccount, isNewToken, normalizeBaseUrl, readAccount, rememberAccount, toAccount } from './account.ts';
import { type IdentityTracker, trackIdentity } from './identity.ts';

export interface AccountGate {
  /**
   * Whether the account is remembered with the address of the config and the present token: only a change of the person is
   * to be noticed.
   */
  readonly isVerified: boolean;
  /** The highest version of forgotten records. */
  readonly forgottenVersion: number;
  /** How far restored backups raised it. */
  readonly versionOffset?: number;
  /** When a backup was last restored. */
  readonly restoredAt?: Instant;
  /** Throws TIDINGS_SOURCE_OTHER_ACCOUNT when this person belongs to another account. */
  verify(identity: FoundIdentity | undefined): Promise<void>;
}

export interface AccountGatePorts {
  readonly api: SourceApi;
  readonly snapshots: Pick<SnapshotStore, 'get' | 'getMany' | 'list' | 'commit'>;
  readonly clock: Clock;
}

export interface AccountGateOptions {
  readonly source: string;
  readonly baseUrl: string;
  readonly signal?: AbortSignal;
}

export async function openAccount(
  ports: AccountGatePorts,
  { source, baseUrl, signal }: AccountGateOptions,
): Promise<AccountGate> {
  let memory = await readAccount(ports.snapshots, source);
  return {
    isVerified: memory.account?.baseUrl === normalizeBaseUrl(baseUrl) && !isNewToken(memory, ports.api),
    forgottenVersion: memory.forgottenVersion,
    versionOffset: memory.versionOffset,
    restoredAt: memory.restoredAt,
    async verify(identity) {
      const account = toAccount(baseUrl, identity);
      const check = await checkAccount(ports, source, memory, account, signal);
      if (check.verdict === 'other') throw check.error;
      if (check.verdict === 'same') return;
      const verified = {
        ...memory,
        account: check.isContinued ? memory.account : undefined,
        tokenDigest: ports.api.tokenDigest?.() ?? memory.tokenDigest,
      };
      // An API that does not say whose the token is leaves the person as it was.
      const { person = null, name = null } = (identity === undefined ? memory.account : account) ?? {};
      await rememberAccount(ports, source, verified, { ...account, person, name });
      memory = await readAccount(ports.snapshots, source);
    },
  };
}

/**
 * The token's identity, verified to be of the source's account. A refusal is the reason why it is not: then the last known
 * identity stays, and no request may be made.
 */
export async function identifyToken(
  { account, api, clock }: Pick<AccountGatePorts, 'api' | 'clock'> & { readonly account: AccountGate },
  lastIdentity: TokenIdentity | undefined,
  stretch: number,
  signal?: AbortSignal,
): Promise<{ readonly identity: IdentityTracker; readonly refusal?: unknown }> {
  try {
    return {
      identity: await trackIdentity(
        { api, clock, verify: account.verify },
        lastIdentity,
        account.isVerified ? stretch : 0,
        signal,
      ),
    };
  } catch (refusal) {
    return { identity: { current: () => lastIdentity, confirm: async () => {} }, refusal };
  }
}

/** The same API, which makes no request for records: each fails with this error. */
export function refuseRequests(api: SourceApi, error: unknown): SourceApi {
  const refuse = async (): Promise<never> => {
    throw error;
  };
  return { ...api, list: refuse, get: refuse };
}
