/**
 * Whom the token belongs to and which role it has. What the API shows depends on both, so a change of either makes
 * records appear and disappear without being created or deleted.
 */

import { GiveUp, RetryLater } from '../../model/errors.ts';
import type { ScanState, TokenIdentity } from '../../model/scan.ts';
import { between, type Clock, HOUR, type Instant, MINUTE } from '../../model/time.ts';
import type { FoundIdentity, Page, SourceApi, SourceTraits } from '../../ports/source-api.ts';
import { OTHER_ACCOUNT } from './account.ts';

export interface IdentityTracker {
  /** Undefined when the API does not say. */
  current(): TokenIdentity | undefined;
  /** Requests it, at most once a minute. Throws TIDINGS_SOURCE_ROLE_CHANGED when it is not the current one. */
  confirm(): Promise<void>;
}

export interface IdentityPorts {
  readonly api: SourceApi;
  readonly clock: Clock;
  /** Throws when the identity belongs to another account. Undefined: the API does not say whose the token is. */
  readonly verify?: (identity: FoundIdentity | undefined) => Promise<void>;
}

export const ROLE_CHANGED = 'TIDINGS_SOURCE_ROLE_CHANGED';

/** How often the identity is requested. One request each. */
export const IDENTITY_EVERY = HOUR;

/** A response younger than this is used again. */
const FRESH = MINUTE;

/**
 * @param lastIdentity the identity of the last cycle
 * @param stretch see Plan; 0 verifies the account now, even if the API does not say whose the token is
 */
export async function trackIdentity(
  { api, clock, verify }: IdentityPorts,
  lastIdentity: TokenIdentity | undefined,
  stretch: number,
  signal?: AbortSignal,
): Promise<IdentityTracker> {
  let current = lastIdentity;
  const request = async (): Promise<boolean> => {
    const identity = await fetchIdentity(api, signal);
    await verify?.(identity);
    const isChanged = identity !== undefined && current !== undefined && !isSameIdentity(current, identity);
    // A response without a role says nothing about the role.
    if (identity !== undefined) {
      const role = identity.role ?? (isChanged ? null : (current?.role ?? null));
      current = { ...identity, role, checkedAt: clock.now() };
    }
    return isChanged;
  };
  const age = lastIdentity === undefined ? Number.POSITIVE_INFINITY : between(lastIdentity.checkedAt, clock.now());
  if (age < 0 || age >= IDENTITY_EVERY * stretch) {
    await request().catch(async (error: unknown) => {
      if (error instanceof GiveUp && error.code === OTHER_ACCOUNT) throw error;
      // If the request fails, the scans that follow fail as well and report it.
      if (stretch === 0) await verify?.(undefined);
    });
  }
  return {
    current: () => current,
    async confirm() {
      if (!(await request())) return;
      throw new RetryLater(ROLE_CHANGED, "the token's person or role has changed");
    },
  };
}

/** The identity of the last scan of any resource. */
export function latestIdentity(states: readonly ScanState[]): TokenIdentity | undefined {
  return states
    .flatMap(({ identity }) => identity ?? [])
    .reduce<TokenIdentity | undefined>(
      (latest, one) => (latest === undefined || one.checkedAt > latest.checkedAt ? one : latest),
      undefined,
    );
}

/**
 * The same API for requests about the token's person: a list that was read less than a minute ago is not requested again. The
 * identity and the time zone of a cycle are found in the same one.
 */
export function shareLists(api: SourceApi, clock: Clock): SourceApi {
  const shared = new Map<string, { readonly at: Instant; readonly page: Page }>();
  return {
    ...api,
    async list(resource, query, signal) {
      const at = clock.now();
      const last = shared.get(resource);
      if (last !== undefined && between(last.at, at) < FRESH) return last.page;
      const page = await api.list(resource, query, signal);
      shared.set(resource, { at, page });
      return page;
    },
  };
}

function isSameIdentity(a: Pick<TokenIdentity, 'person' | 'role'>, b: Pick<TokenIdentity, 'person' | 'role'>) {
  const isComparable = a.role !== null && b.role !== null && isRoleName(a.role) === isRoleName(b.role);
  return a.person === b.person && (!isComparable || a.role === b.role);
}

/** Whether both are shown the same records: then what appears or disappears between them is news. */
export function hasSameSight(
  { seesEverything }: Pick<SourceTraits, 'seesEverything'>,
  a: TokenIdentity,
  b: TokenIdentity,
): boolean {
  return isSameIdentity(a, b) || (seesEverything(a) && seesEverything(b));
}

/** Whether this is the name of a role and not only the id of its group. */
function isRoleName(role: string): boolean {
  return !/^\d+$/.test(role);
}

/** The same API, which confirms the identity when a list names another person: every response says whose the token is. */
export function watchPerson(api: SourceApi, { current, confirm }: IdentityTracker): SourceApi {
  return {
    ...api,
    async list(resource, query, signal) {
      const page = await api.list(resource, query, signal);
      const currentPerson = current()?.person;
      const person = currentPerson === undefined ? currentPerson : (page.personId?.() ?? currentPerson);
      if (person !== currentPerson) await confirm();
      return page;
    },
  };
}

/** Undefined when the API does not say. Throws RetryLater when it does not answer. */
export async function fetchIdentity(
  api: Pick<SourceApi, 'list' | 'get' | 'traits'>,
  signal?: AbortSignal,
): Promise<FoundIdentity | undefined> {
  try {
    return await api.traits.identify(api, signal);
  } catch (error) {
    if (error instanceof GiveUp) return undefined;
    throw error;
  }
}
