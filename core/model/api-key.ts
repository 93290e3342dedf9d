/**
 * Keys of the management API. A token is shown once, when its key is made; only its hash is stored. Pure: the random bytes
 * are an argument.
 */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Rate } from './subscription.ts';
import type { Instant } from './time.ts';

/**
 * `read`: reads events, records, subscriptions and sources. `subscribe`: makes and manages its own subscriptions.
 * `operate`: includes both, for the subscriptions of all, and retries, replays and scans. `admin`: includes everything.
 */
export const SCOPES = ['read', 'subscribe', 'operate', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The scopes that a scope includes, itself among them. */
const INCLUDED: Readonly<Record<Scope, readonly Scope[]>> = {
  read: ['read'],
  subscribe: ['subscribe'],
  operate: ['read', 'subscribe', 'operate'],
  admin: SCOPES,
};

export function hasScope(scopes: readonly Scope[], wanted: Scope): boolean {
  return scopes.some((scope) => INCLUDED[scope].includes(wanted));
}

/** What a key may do. Event types confine every scope: an older `admin` key with event types only operates. */
export function effectiveScopes({ scopes, events }: Pick<ApiKey, 'scopes' | 'events'>): readonly Scope[] {
  return events === undefined ? scopes : scopes.map((scope) => (scope === 'admin' ? 'operate' : scope));
}

export interface ApiKey {
  /** 16 hex digits: the public part of the token. */
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the token, as hex. The token has 256 random bits, so that a slow hash would add nothing. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** The event types that it may see and subscribe to, `*` standing for any run of characters. @default - all */
  readonly events?: readonly string[];
  readonly createdAt: Instant;
  /** The id of the key, or the name of the person, that made it. */
  readonly createdBy: string;
  /** To within `LAST_USED_STEP`. @default - never used */
  readonly lastUsedAt?: Instant;
  /** From then on it is refused. @default - never */
  readonly expiresAt?: Instant;
  /** What it may use, where that differs from other keys. @default - those of `manage.api` */
  readonly quotas?: KeyQuotas;
}

/** Each: @default - that of `manage.api` */
export interface KeyQuotas {
  readonly subscriptions?: number;
  /** Of its subscriptions as JSON. */
  readonly bytes?: number;
  /** What the filters of its subscriptions compare an event with at most. */
  readonly comparisons?: number;
  readonly requests?: Rate;
  /** Requests that have an entry in the audit trail. */
  readonly changes?: Rate;
  readonly previews?: Rate;
  readonly replays?: Rate;
  /** Deliveries that its replays, retries and tests open or attempt again. */
  readonly deliveries?: Rate;
  /** Capacity units of DynamoDB that its requests consume: read units, and each write unit as 5. Only in AWS. */
  readonly units?: Rate;
}

/** How exact `lastUsedAt` is: each update costs a write. */
export const LAST_USED_STEP = 5 * 60_000;

const ID_BYTES = 8;
/** Random bytes that a token takes. */
export const TOKEN_BYTES = ID_BYTES + 32;

const TOKEN = /^tdk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/** Makes the id and the token of a key from `TOKEN_BYTES` random bytes. */
export function makeToken(random: Uint8Array): { readonly id: string; readonly token: string } {
  const bytes = Buffer.from(random);
  const id = bytes.subarray(0, ID_BYTES).toString('hex');
  return { id, token: `tdk_${id}_${bytes.subarray(ID_BYTES, TOKEN_BYTES).toString('base64url')}` };
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** The id in a token; undefined for text that is not a token. */
export function keyIdOf(token: string): string | undefined {
  return TOKEN.exec(token)?.[1];
}

/** Compares in constant time. */
export function isTokenOf(key: Pick<ApiKey, 'hash'>, token: string): boolean {
  const [expected, actual] = [Buffer.from(key.hash, 'hex'), Buffer.from(hashToken(token), 'hex')];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
