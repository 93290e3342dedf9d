/** Reads what the headers of an answer ask and tell. Judges no status, and takes no header at its word without a bound. */

import { HOUR, type Instant, toMillis } from '../../core/model/time.ts';

export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** No receiver can put us off for longer: by then the retries are nearly over. */
const LONGEST_WAIT = 24 * HOUR;

/**
 * What a receiver asks us to wait, in milliseconds: seconds, or a date, which counts from the answer's own date, for
 * clocks differ, else from `at`. Undefined when it asks for nothing that can be understood.
 */
export function retryAfter(headers: ResponseHeaders, at: Instant): number | undefined {
  const asked = first(headers['retry-after'])?.trim() ?? '';
  const wait = /^\d{1,15}$/.test(asked)
    ? Number(asked) * 1000
    : (httpDate(asked) ?? Number.NaN) - (httpDate(first(headers.date) ?? '') ?? toMillis(at));
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}

/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the two older forms that HTTP still has to understand. */
const DATES: readonly RegExp[] = [
  /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^\w{6,9}, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

function httpDate(text: string): number | undefined {
  if (!DATES.some((form) => form.test(text))) return undefined;
  // The oldest form names no zone, and means UTC.
  const millis = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(millis) ? undefined : millis;
}

/** Where receivers, and what stands before them, name a request; the most telling first. */
const REQUEST_IDS = [
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

const LONGEST_ID = 128;

/** The receiver's own name for the request. */
export function readRequestId(headers: ResponseHeaders): string | undefined {
  for (const name of REQUEST_IDS) {
    const id = first(headers[name])
      ?.replaceAll(/[^\x21-\x7e]+/g, ' ')
      .trim();
    if (id) return id.slice(0, LONGEST_ID);
  }
  return undefined;
}

/** Where a redirect leads: only the origin, for the rest of an address may hold a token. */
export function redirectOrigin(headers: ResponseHeaders, from: URL): string | undefined {
  const to = URL.parse(first(headers.location) ?? '', from.href);
  return to === null || to.origin === 'null' ? undefined : to.origin.slice(0, 300);
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
