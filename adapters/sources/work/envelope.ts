/** Reads the API's envelopes: list, member, quota, error. Knows nothing of HTTP, or of how to handle an invalid one. */

import { isJsonObject } from '../../../core/model/json.ts';
import { fromMillis, type Instant } from '../../../core/model/time.ts';
import type { Quota, WireRow } from '../../../core/ports/source-api.ts';

/** The API's error envelope. */
export interface ServiceError {
  /** The HTTP status as repeated in the body. null if missing. */
  readonly status: number | null;
  /** The API's own error code. null if it is not a number. */
  readonly code: number | null;
  readonly message: string;
}

/** Undefined unless the text is one JSON object. */
export function parseObject(text: string): WireRow | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A non-negative integer, sent as a number or as digits. Undefined for anything else. */
export function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined;
}

/** Ids are kept as text, also when sent as numbers. Undefined for an invalid id. */
export function idText(value: unknown): string | undefined {
  if (typeof value === 'string') return /^\d+$/.test(value) ? value : undefined;
  const number = wholeNumber(value);
  return number === undefined ? undefined : String(number);
}

/** The reason why an envelope is not a success. Undefined when it is one. */
export function findEnvelopeProblem(envelope: WireRow): string | undefined {
  if (envelope.status !== 'OK') return 'its status is not OK';
  if (envelope.code === undefined) return undefined;
  const code = wholeNumber(envelope.code);
  return code !== undefined && code >= 200 && code < 300 ? undefined : 'its code is not a success code';
}

/** The record in the response to a get or a write: an object under the resource's name, in some versions a list of one. */
export function readMember(envelope: WireRow, resource: string): WireRow | undefined {
  const value = envelope[resource];
  const record: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isJsonObject(record) ? record : undefined;
}

/** Characters. The API's errors take a few hundred. */
const MAX_ERROR_LENGTH = 64 * 1024;

/** Undefined when the response is not the API's own but, for example, a proxy's. */
export function readServiceError(text: string): ServiceError | undefined {
  if (text.length > MAX_ERROR_LENGTH) return undefined;
  const envelope = parseObject(text);
  const error = envelope?.error;
  if (envelope === undefined || !isJsonObject(error) || error.code === undefined) return undefined;
  return {
    status: wholeNumber(envelope.code) ?? null,
    code: wholeNumber(error.code) ?? null,
    message: typeof error.message === 'string' ? error.message : '',
  };
}

/** Older versions send numbers, and `business_day` instead of `next_reset`: then the reset time is unknown. */
export function readQuota(envelope: WireRow): Quota | undefined {
  const quota = readMember(envelope, 'quota');
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
