/** Reads response headers, each within a limit: Retry-After, request id, redirect target. Interprets no status. */

import { HOUR, type Instant, toMillis } from '../../core/model/time.ts';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A receiver cannot delay us for longer: by then the retry schedule is nearly over. */
const MAX_RETRY_AFTER = 24 * HOUR;

/**
 * The `Retry-After` header in milliseconds. It holds seconds or a date. A date is relative to the response's `Date`, because
 * clocks differ, or else to `at`. Undefined without a valid header.
 */
export function readRetryAfter(headers: ResponseHeaders, at: Instant): number | undefined {
  const value = first(headers['retry-after'])?.trim() ?? '';
  const wait = /^\d{1,15}$/.test(value)
    ? Number(value) * 1000
    : (parseHttpDate(value) ?? Number.NaN) - (parseHttpDate(first(headers.date) ?? '') ?? toMillis(at));
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), MAX_RETRY_AFTER);
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete formats that RFC 9110 requires recipients to accept. */
const DATES: readonly RegExp[] = [
  /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^\w{6,9}, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

function parseHttpDate(text: string): number | undefined {
  if (!DATES.some((form) => form.test(text))) return undefined;
  // The asctime format has no zone and means UTC.
  const millis = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(millis) ? undefined : millis;
}

/** Headers in which receivers and their gateways put a request id, the most specific first. */
const REQUEST_ID_HEADERS = [
  'x-request-id',
  'request-id',
  'x-correlation-id',
  'x-amzn-requestid',
  'x-amz-request-id',
  'apigw-requestid',
  'x-ms-request-id',
  'x-vercel-id',
  'fly-request-id',
  'x-github-request-id',
  'x-slack-req-id',
  'cf-ray',
  'x-amz-cf-id',
  'x-cloud-trace-context',
  'x-trace-id',
  'traceparent',
] as const;

const MAX_ID_LENGTH = 128;

/** The receiver's id for the request. */
export function readRequestId(headers: ResponseHeaders): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const id = first(headers[name])
      ?.replaceAll(/[^\x21-\x7e]+/g, ' ')
      .trim();
    if (id) return id.slice(0, MAX_ID_LENGTH);
  }
  return undefined;
}

/** The origin of a redirect's target. The rest of the URL may contain a token. */
export function readRedirectOrigin(headers: ResponseHeaders, from: URL): string | undefined {
  const to = URL.parse(first(headers.location) ?? '', from.href);
  return to === null || to.origin === 'null' ? undefined : to.origin.slice(0, 300);
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
