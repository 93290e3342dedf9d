/**
 * Whom the token belongs to and which role it has. What the API shows depends on both, so a change of either makes
 * records appear and disappear without being created or deleted.
 */

import { GiveUp, RetryLater } from '../model/errors.ts';
import type { TokenIdentity } from '../model/scan.ts';
import { between, type Clock, HOUR, type Instant, MINUTE } from '../model/time.ts';
import type { Page, SourceApi } from '../ports/source-api.ts';
import { cleanValue } from '../resources/clean.ts';

export interface IdentityTracker {
  /** Undefined when the API does not say. */
  current(): TokenIdentity | undefined;
  /** Requests it, at most once a minute. Throws TIDINGS_SOURCE_ROLE_CHANGED when it is not the current one. */
  confirm(): Promise<void>;
}

export const ROLE_CHANGED = 'TIDINGS_SOURCE_ROLE_CHANGED';

/** How often the identity is requested. One request each. */
export const IDENTITY_EVERY = HOUR;

/** A response younger than this is used again. */
const FRESH = MINUTE;

/**
 * @param known the identity of the last cycle
 * @param stretch see Plan
 */
export async function trackIdentity(
  { api, clock }: { readonly api: SourceApi; readonly clock: Clock },
  known: TokenIdentity | undefined,
  stretch: number,
  signal?: AbortSignal,
): Promise<IdentityTracker> {
  let current = known;
  const request = async (): Promise<boolean> => {
    const found = await fetchIdentity(api, signal);
    const isChanged = found !== undefined && current !== undefined && !isSameIdentity(current, found);
    // A response without a role says nothing about the role.
    if (found !== undefined) {
      const role = found.role ?? (isChanged ? null : (current?.role ?? null));
      current = { ...found, role, checkedAt: clock.now() };
    }
    return isChanged;
  };
  const age = known === undefined ? Number.POSITIVE_INFINITY : between(known.checkedAt, clock.now());
  // If the request fails, the scans that follow fail as well and report it.
  if (age < 0 || age >= IDENTITY_EVERY * stretch) await request().catch(() => {});
  return {
    current: () => current,
    async confirm() {
      if (!(await request())) return;
      throw new RetryLater(ROLE_CHANGED, "the token's person or role has changed");
    },
  };
}

/** The same API, which makes one request for the token's person where several follow each other within a minute. */
export function shareMe(api: SourceApi, clock: Clock): SourceApi {
  let shared: { readonly at: Instant; readonly page: Page } | undefined;
  return {
    ...api,
    async list(resource, query, signal) {
      if (resource !== 'me') return api.list(resource, query, signal);
      const at = clock.now();
      if (shared === undefined || between(shared.at, at) >= FRESH) {
        shared = { at, page: await api.list(resource, query, signal) };
      }
      return shared.page;
    },
  };
}

export function isSameIdentity(a: Pick<TokenIdentity, 'person' | 'role'>, b: Pick<TokenIdentity, 'person' | 'role'>) {
  return a.person === b.person && (a.role === null || b.role === null || a.role === b.role);
}

async function fetchIdentity(
  api: SourceApi,
  signal?: AbortSignal,
): Promise<Omit<TokenIdentity, 'checkedAt'> | undefined> {
  try {
    const page = await api.list('me', { offset: 0, limit: 1, filters: {} }, signal);
    const { rows, personId } = page.content();
    const person = personId ?? rows[0]?.id;
    if (person === undefined) return undefined;
    const { group, groupid, restricttasks } = rows[0]?.parse() ?? {};
    const role = [group, groupid].find((value) => typeof value === 'string' && value !== '');
    const restricted = cleanValue(restricttasks ?? null, 'boolean');
    return {
      person,
      role: typeof role === 'string' ? role : null,
      ...(typeof restricted === 'boolean' ? { restricted } : {}),
    };
  } catch (error) {
    if (error instanceof GiveUp) return undefined;
    throw error;
  }
}
