/** Reads the envelopes of the API: list, member, quota, error. Knows nothing of HTTP, or of what to do with a bad one. */

import { fromMillis, type Instant } from '../../core/model/time.ts';
import type { Quota, WireRow } from '../../core/ports/source-api.ts';

/** What the API answers instead of a record. */
export interface ServiceError {
  /** The HTTP status, as the body repeats it; null where it does not. */
  readonly status: number | null;
  /** The service's own code; null where it is no number. */
  readonly code: number | null;
  readonly message: string;
}

/** Undefined for everything that is not one JSON object. */
export function parseObject(text: string): WireRow | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is WireRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number from 0, sent as a number or as its digits; undefined for anything else. */
export function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined;
}

/** Ids stay text, whatever they are sent as; undefined for what cannot be one. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return /^\d+$/.test(value) ? value : undefined;
  const number = wholeNumber(value);
  return number === undefined ? undefined : String(number);
}

/** What is wrong with it as an answer to something that went well; undefined when nothing is. */
export function faultOf(envelope: WireRow): string | undefined {
  if (envelope.status !== 'OK') return 'its status is not OK';
  if (envelope.code === undefined) return undefined;
  const code = wholeNumber(envelope.code);
  return code !== undefined && code >= 200 && code < 300 ? undefined : 'its code is not that of a success';
}

/** The record of a member or of a write: an object under the resource's name, in some copies a list of one. */
export function memberOf(envelope: WireRow, resource: string): WireRow | undefined {
  const value = envelope[resource];
  const record: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(record) ? record : undefined;
}

/** Undefined when this is not the API speaking, but a proxy or something else on the way. */
export function serviceError(text: string): ServiceError | undefined {
  const envelope = parseObject(text);
  const error = envelope?.error;
  if (envelope === undefined || !isObject(error) || error.code === undefined) return undefined;
  return {
    status: wholeNumber(envelope.code) ?? null,
    code: wholeNumber(error.code) ?? null,
    message: typeof error.message === 'string' ? error.message : '',
  };
}

/** Older copies send numbers, and `business_day` in place of `next_reset`: then nobody knows when it ends. */
export function quotaOf(envelope: WireRow): Quota | undefined {
  const quota = memberOf(envelope, 'quota');
  const limit = wholeNumber(quota?.quota);
  const used = wholeNumber(quota?.used);
  if (quota === undefined || limit === undefined || used === undefined) return undefined;
  return { limit, used, resetsAt: utcInstant(quota.next_reset) };
}

/** `YYYY-MM-DD HH:MM:SS`, in GMT. */
function utcInstant(value: unknown): Instant | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value)) return null;
  const millis = Date.parse(`${value.replace(' ', 'T')}Z`);
  return Number.isNaN(millis) ? null : fromMillis(millis);
}
