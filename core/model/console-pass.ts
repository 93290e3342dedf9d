/**
 * What opens the console: a log-in link, which works once, or the session it opens. Only the hash of its token is stored.
 * Pure: random bytes and times are arguments.
 */

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Scope } from './api-key.ts';
import { type Duration, HOUR, type Instant, MINUTE } from './time.ts';

export interface ConsolePass {
  /** SHA-256 of the token, as hex. */
  readonly hash: string;
  readonly kind: 'link' | 'session';
  /** Who may use it: the name of a person at the command line, or an ARN in AWS. */
  readonly person: string;
  /** `read`: sees everything and changes nothing; `admin`: may do everything. */
  readonly scope: Extract<Scope, 'read' | 'admin'>;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
}

export const LINK_LIFETIME: Duration = 10 * MINUTE;
export const SESSION_LIFETIME: Duration = 12 * HOUR;

/** Random bytes that a token takes. */
export const PASS_TOKEN_BYTES = 32;

/** A token from `PASS_TOKEN_BYTES` random bytes. */
export function makePassToken(random: Uint8Array): string {
  return Buffer.from(random).toString('base64url');
}

/** Each kind has hashes of its own: a link cannot be used as a session. */
export function hashPassToken(kind: ConsolePass['kind'], token: string): string {
  return createHash('sha256').update(`tidings console ${kind} ${token}`).digest('hex');
}

/** The token that every form of a session contains. It cannot be computed without the cookie. */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('tidings console form').digest('base64url');
}

/** Compares in constant time. */
export function isCsrfTokenOf(sessionToken: string, text: string): boolean {
  const [expected, actual] = [Buffer.from(csrfTokenOf(sessionToken)), Buffer.from(text)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
