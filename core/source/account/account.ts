/**
 * The account that the records of a source belong to. It is remembered at the first contact; later, records of another
 * account would look like thousands of changes, so a source that reaches another account is refused.
 */

import { GiveUp } from '../../model/errors.ts';
import type { Fields, RecordKey } from '../../model/record.ts';
import type { TokenIdentity } from '../../model/scan.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Clock, Instant } from '../../model/time.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import type { SourceApi } from '../../ports/source-api.ts';
import { fullName } from '../../resources/full-name.ts';
import { type AccountEvidence, type EvidencePorts, gatherEvidence } from './account-evidence.ts';

/** Resource name of the remembered accounts. Their snapshots are baselines, so they cause no events. */
export const ACCOUNT_RESOURCE = 'account';

export const OTHER_ACCOUNT = 'TIDINGS_SOURCE_OTHER_ACCOUNT';

/** What an account is known by. The API names the token's person in every response, but not the account. */
export interface SourceAccount {
  readonly baseUrl: string;
  /** null when the API does not say. */
  readonly person: string | null;
  /** The name of the person; null when the API does not say. */
  readonly name: string | null;
}

export interface AccountMemory {
  /** Undefined before the first contact, and after `tidings sources forget` or `adopt`. */
  readonly account?: SourceAccount;
  /** A person confirmed that the next account found is the one of the stored records. @default false */
  readonly isAdopted?: boolean;
  /** The highest version among records that were forgotten: new records continue after it, so no event id repeats. */
  readonly forgottenVersion: number;
  /** How far restored backups raised `forgottenVersion`. @default 0 */
  readonly versionOffset?: number;
  /** When a backup was last restored. @default - never */
  readonly restoredAt?: Instant;
  /** The digest of the token that the account was last verified with. @default - unknown */
  readonly tokenDigest?: string;
  /** When it was remembered without proof that it is the one before. @default - no account, or an earlier version remembered it */
  readonly knownSince?: Instant;
  /** The stored snapshot; undefined if there is none. */
  readonly snapshot?: Snapshot;
}

/**
 * Names the account of a source: another one has another mark, also at the same address, or of a source that got the name of a
 * removed one. Undefined while no account is known.
 */
export const accountMark = ({ account, knownSince }: Pick<AccountMemory, 'account' | 'knownSince'>) =>
  account === undefined ? undefined : (knownSince ?? '');

export type AccountCheck =
  /** The remembered account. */
  | { readonly verdict: 'same' }
  /**
   * The first contact, or the remembered account with another address, person or token: remember it. `isContinued`: nothing but the
   * remembered account can be meant, so what was proven of it holds.
   */
  | { readonly verdict: 'adopt'; readonly isContinued: boolean }
  | { readonly verdict: 'other'; readonly error: GiveUp };

export interface AccountPorts extends EvidencePorts {
  readonly api: Pick<SourceApi, 'list' | 'tokenDigest' | 'traits'>;
  readonly snapshots: Pick<SnapshotStore, 'get' | 'getMany' | 'list'>;
}

const accountKey = (source: string): RecordKey => ({ source, resource: ACCOUNT_RESOURCE, id: source });

export async function readAccount(snapshots: Pick<SnapshotStore, 'get'>, source: string): Promise<AccountMemory> {
  const snapshot = await snapshots.get(accountKey(source));
  const { baseUrl, person, name, forgottenVersion, versionOffset, restoredAt, tokenDigest, knownSince, adopted } =
    snapshot?.record ?? {};
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    account: typeof baseUrl === 'string' ? { baseUrl, person: text(person), name: text(name) } : undefined,
    isAdopted: adopted === true,
    forgottenVersion: typeof forgottenVersion === 'number' ? forgottenVersion : 0,
    versionOffset: typeof versionOffset === 'number' ? versionOffset : 0,
    ...(typeof restoredAt === 'string' ? { restoredAt } : {}),
    ...(typeof tokenDigest === 'string' ? { tokenDigest } : {}),
    ...(typeof knownSince === 'string' ? { knownSince } : {}),
    snapshot,
  };
}

/** The snapshot of a source whose account is not known yet. */
export function emptyAccount(source: string, now: Instant): Snapshot {
  return {
    key: accountKey(source),
    version: 1,
    record: { id: source },
    committedAt: now,
    occurred: { after: null, before: now },
    stage: {},
    deletedAt: null,
    cause: 'baseline',
    nextMoment: null,
  };
}

/** Replaces what is remembered. Without the account of before it is another one. A conflict means that another process has just done the same. */
export async function rememberAccount(
  { snapshots, clock }: { readonly snapshots: Pick<SnapshotStore, 'commit'>; readonly clock: Clock },
  source: string,
  memory: AccountMemory,
  account: SourceAccount | undefined,
): Promise<void> {
  const { snapshot, forgottenVersion, versionOffset = 0, restoredAt, tokenDigest, isAdopted = false } = memory;
  const now = clock.now();
  const knownSince = memory.account === undefined ? now : memory.knownSince;
  const version = (snapshot?.version ?? 0) + 1;
  const record: Fields = {
    id: source,
    ...account,
    ...(account === undefined && isAdopted ? { adopted: true } : {}),
    ...(forgottenVersion > 0 ? { forgottenVersion } : {}),
    ...(versionOffset > 0 ? { versionOffset } : {}),
    ...(restoredAt === undefined ? {} : { restoredAt }),
    ...(tokenDigest === undefined ? {} : { tokenDigest }),
    ...(account === undefined || knownSince === undefined ? {} : { knownSince }),
  };
  await snapshots.commit([{ expected: version - 1, snapshot: { ...emptyAccount(source, now), version, record } }]);
}

export function toAccount(
  baseUrl: string,
  identity: Pick<TokenIdentity, 'person' | 'name'> | undefined,
): SourceAccount {
  return { baseUrl: normalizeBaseUrl(baseUrl), person: identity?.person ?? null, name: identity?.name ?? null };
}

/** Without what does not change the address: a trailing slash, capital letters of the host, the default port. */
export function normalizeBaseUrl(baseUrl: string): string {
  return (URL.parse(baseUrl)?.href ?? baseUrl).replace(/\/+$/, '');
}

/** Whether both are the same account without doubt: the stored records need not be compared. */
function isSameAccount(stored: SourceAccount, current: SourceAccount): boolean {
  const isSame = (a: string | null, b: string | null) => a === null || b === null || a === b;
  return (
    stored.baseUrl === current.baseUrl && isSame(stored.person, current.person) && isSame(stored.name, current.name)
  );
}

/** Whether the token is not the one that the account was last verified with. */
export function isNewToken(
  { tokenDigest: verified }: Pick<AccountMemory, 'tokenDigest'>,
  api: Pick<SourceApi, 'tokenDigest'>,
): boolean {
  const current = api.tokenDigest?.();
  return current !== undefined && current !== verified;
}

/**
 * Compares the account that the API shows with the remembered one. If they differ, or if an earlier version remembered
 * none, the stored records decide: they must be those of the account. That takes up to four requests.
 */
export async function checkAccount(
  ports: AccountPorts,
  source: string,
  memory: Pick<AccountMemory, 'account' | 'isAdopted' | 'tokenDigest'>,
  current: SourceAccount,
  signal?: AbortSignal,
): Promise<AccountCheck> {
  const { account: stored, isAdopted = false, tokenDigest } = memory;
  const adopt = (isContinued: boolean): AccountCheck => ({ verdict: 'adopt', isContinued });
  const isNew = isNewToken(memory, ports.api);
  // The API does not say whose the new token is: only the records show it.
  const isUnidentified = isNew && tokenDigest !== undefined && current.person === null;
  if (stored !== undefined && !isUnidentified && isSameAccount(stored, current)) {
    const isMoreKnown =
      isNew || (['person', 'name'] as const).some((key) => stored[key] === null && current[key] !== null);
    return isMoreKnown ? adopt(true) : { verdict: 'same' };
  }
  if (isAdopted) return adopt(false);
  if (stored?.baseUrl === current.baseUrl && (await isStoredPerson(ports, source, current))) return adopt(true);
  const evidence = await gatherEvidence(ports, source, signal);
  // Without a record that is the same, the account may be another one.
  if (isPlausible(evidence, stored, current)) return adopt(evidence.confirmed > 0);
  return { verdict: 'other', error: otherAccountError(source, stored, current) };
}

/** Whether the token's person is one of the people of the remembered account. */
async function isStoredPerson(
  { snapshots }: AccountPorts,
  source: string,
  { person, name }: SourceAccount,
): Promise<boolean> {
  if (person === null || name === null) return false;
  const stored = await snapshots.get({ source, resource: 'person', id: person });
  return stored !== undefined && fullName(stored.record) === name;
}

function isPlausible(
  { hasRecords, confirmed, contradicted }: AccountEvidence,
  stored: SourceAccount | undefined,
  current: SourceAccount,
): boolean {
  if (confirmed > 0 || contradicted > 0) return confirmed > contradicted;
  // Nothing is stored that could be mixed up.
  if (!hasRecords) return true;
  // The API shows none of the stored records: the address and the person decide.
  const isKnownPerson = stored?.person === undefined || stored.person === null || stored.person === current.person;
  return isKnownPerson && (stored === undefined || stored.baseUrl === current.baseUrl);
}

function otherAccountError(source: string, stored: SourceAccount | undefined, current: SourceAccount): GiveUp {
  const from = stored === undefined ? 'stored by an earlier version' : `stored from ${describeAccount(stored)}`;
  return new GiveUp(
    OTHER_ACCOUNT,
    `source '${source}' now reaches another account: its records were ${from}, found ${describeAccount(current)}. ` +
      'Nothing was polled. Use other data (--data DIR; in AWS another stack), give the source another name in the config, ' +
      `or delete its stored records with: tidings sources forget ${source}. ` +
      `If it is the same account, confirm that with: tidings sources adopt ${source}`,
  );
}

/** `https://work.example.com/api (person 1, Ann Vogt)` */
export function describeAccount({ baseUrl, person, name }: SourceAccount): string {
  const owner = [person === null ? null : `person ${person}`, name].filter((part) => part !== null).join(', ');
  return owner === '' ? baseUrl : `${baseUrl} (${owner})`;
}
