/**
 * Signed tokens with which the reader of a mail unsubscribes without a login. Pure; the caller checks whether the
 * subscription still exists.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Health } from '../receivers/health-state.ts';

export interface Reader {
  readonly subscription: string;
  readonly address: string;
}

/** `https://tidings.example.com/unsubscribe/…` */
export function unsubscribeLink(url: string, reader: Reader, secret: string): string {
  return `${url.replace(/\/+$/, '')}/unsubscribe/${unsubscribeToken(reader, secret)}`;
}

export function unsubscribeToken({ subscription, address }: Reader, secret: string): string {
  const body = Buffer.from(JSON.stringify([subscription, address])).toString('base64url');
  return `${body}.${sign(body, secret).toString('base64url')}`;
}

const MAX_TOKEN_LENGTH = 2000;

/** Undefined for an invalid token. Compares signatures in constant time. */
export function readUnsubscribeToken(token: string, secret: string): Reader | undefined {
  const [, body, signature] = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/.exec(token.slice(0, MAX_TOKEN_LENGTH)) ?? [];
  if (body === undefined || signature === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(signature, 'base64url'), sign(body, secret))) return undefined;
  // The signature proves that unsubscribeToken wrote it.
  const [subscription, address] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, string];
  return { subscription, address };
}

/** The prefix prevents the reuse of a signature for another purpose of the same secret. */
function sign(body: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`tidings unsubscribe ${body}`).digest();
}

/** Whether this address has unsubscribed. Ignores case. */
export function isMuted(muted: readonly string[], address: string): boolean {
  return muted.some((one) => one.toLowerCase() === address.toLowerCase());
}

/** The same for many addresses. */
export function createMutedTest(muted: readonly string[]): (address: string) => boolean {
  const known = new Set(muted.map((address) => address.toLowerCase()));
  return (address) => known.has(address.toLowerCase());
}

/** The health after a reader unsubscribed, or subscribed again (`wanted`); the same object if nothing changed. */
export function mute(health: Health, address: string, wanted: boolean): Health {
  if (isMuted(health.muted, address) !== wanted) return health;
  const others = health.muted.filter((one) => !isMuted([one], address));
  return { ...health, muted: wanted ? others : [...others, address] };
}
