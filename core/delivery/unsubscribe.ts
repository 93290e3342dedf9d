/**
 * Tokens by which a reader ends their part of a subscription without a password: who and what, signed. Pure; whether the
 * subscription is still there is for others to find out.
 */

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Health } from './health.ts';

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

/** More than any name and address need. */
const LONGEST = 2000;

/** Undefined for what we did not make. Takes the same time for every wrong signature. */
export function readUnsubscribeToken(token: string, secret: string): Reader | undefined {
  const [, body, signature] = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/.exec(token.slice(0, LONGEST)) ?? [];
  if (body === undefined || signature === undefined) return undefined;
  if (!timingSafeEqual(Buffer.from(signature, 'base64url'), sign(body, secret))) return undefined;
  // Signed by us, so it is what unsubscribeToken wrote.
  const [subscription, address] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [string, string];
  return { subscription, address };
}

/** The words in front keep a signature for this from being one for anything else the secret may sign. */
function sign(body: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(`tidings unsubscribe ${body}`).digest();
}

/** Whether mail to this address is wanted no more. Nobody tells addresses apart by their case. */
export function isMuted(muted: readonly string[], address: string): boolean {
  return muted.some((one) => one.toLowerCase() === address.toLowerCase());
}

/** The health after a reader left, or came back; the same object when that was so already. */
export function mute(health: Health, address: string, wanted: boolean): Health {
  if (isMuted(health.muted, address) !== wanted) return health;
  const others = health.muted.filter((one) => !isMuted([one], address));
  return { ...health, muted: wanted ? others : [...others, address] };
}
