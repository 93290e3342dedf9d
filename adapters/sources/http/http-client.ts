/** The HTTP client of a source: connections, headers, pace, retries and counts. Knows no paths and reads no body. */

import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import type { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { type Duration, fromMillis, type Instant, SECOND } from '../../../core/model/time.ts';
import { createFloodGuard } from '../../http/flood-guard.ts';
import { compileGuard, createGuardedLookup, refusedAddressError } from '../../http/guard.ts';
import { USER_AGENT } from '../../http/user-agent.ts';
import type { SourceClientOptions } from '../definition.ts';
import { createExcerpt, type Excerpt } from './excerpt.ts';
import type { ApiCall, ApiResponse, Method } from './exchange.ts';
import { createRequestPacer, type Sleep } from './request-pacer.ts';
import { requestWithRetries } from './request-with-retries.ts';

interface HttpTimeouts {
  /** Milliseconds to connect. @default 10000 */
  readonly connect?: Duration;
  /** Milliseconds until the response headers: the API counts and sorts before it sends them. @default 30000 */
  readonly headers?: Duration;
  /** Milliseconds for the whole body. Raise it for large pages on a slow connection. @default 60000 */
  readonly body?: Duration;
}

export interface HttpClientOptions extends SourceClientOptions {
  /** @default - 10 s to connect, 30 s until the headers, 60 s for the body */
  readonly timeouts?: HttpTimeouts;
  /** Bytes of a decompressed response. Pages are usually 4 MB, so a larger one is an error. @default 67108864 */
  readonly maxBytes?: number;
}

/** How one API is spoken to. */
interface HttpDialect {
  /** The header that carries the token. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly readError: (call: ApiCall, response: ApiResponse, excerpt: Excerpt) => RetryLater | GiveUp;
  /** Requests in any 60 seconds, unless the options say otherwise. */
  readonly perMinute: number;
  /** Whether a request counts against the quota, by its path after the base URL. @default - all do */
  readonly counts?: (path: string) => boolean;
}

interface SendOptions {
  readonly signal?: AbortSignal;
  /** JSON. */
  readonly body?: string;
  /** Leaves the token out. @default false */
  readonly isAnonymous?: boolean;
}

export interface HttpClient {
  /** The path follows the base URL, without a slash at its start. */
  send(method: Method, path: string, options?: SendOptions): Promise<ApiResponse>;
  readonly excerpt: Excerpt;
  requests(): number;
  tokenDigest(): string;
  /** Closes all connections once the requests in flight have ended. */
  close(): Promise<void>;
}

const TIMEOUTS = { connect: 10 * SECOND, headers: 30 * SECOND, body: 60 * SECOND };
const MAX_BYTES = 64 * 1024 * 1024;
const RETRIES = 3;

const sleepWithTimer: Sleep = (duration, signal) =>
  setTimeout(duration, undefined, signal === undefined ? {} : { signal });

export function openHttpClient(options: HttpClientOptions, dialect: HttpDialect): HttpClient {
  const { baseUrl, token, maxBytes = MAX_BYTES, perMinute = dialect.perMinute, retries = RETRIES } = options;
  const { now = () => performance.now(), random = Math.random, sleep = sleepWithTimer } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/+$/, '');
  const excerpt = createExcerpt(token, Object.values(dialect.credentials).join(' '));
  const mayConnect = options.allow === undefined ? undefined : compileGuard(options.allow);
  const lookup = createGuardedLookup(mayConnect);
  const floodGuard = createFloodGuard({ timeout: timeouts.connect, lookup });
  // Node does not look up a literal address, so the guarded lookup would not see it.
  const literal = base.hostname.replace(/^\[|\]$/g, '');
  const isRefused = mayConnect !== undefined && isIP(literal) !== 0 && !mayConnect(literal);
  const dispatcher = new Pool(base.origin, {
    allowH2: false,
    connect: floodGuard.connectFor(),
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
  });
  // Too short to find the token by, long enough to tell two tokens apart.
  const tokenDigest = createHash('sha256').update(`${base.href}\n${token}`).digest('hex').slice(0, 16);
  let requests = 0;
  const requestOptions = {
    ...{ dispatcher, maxBytes, bodyTimeout: timeouts.body, now, excerpt, retries, sleep, random },
    onProgress: (bodyBytes?: number) => floodGuard.progress(undefined, base.origin, bodyBytes),
    pacer: createRequestPacer({ perMinute, now, sleep }),
    readError: (call: ApiCall, response: ApiResponse) => dialect.readError(call, response, excerpt),
    onSend: ({ path }: ApiCall) => {
      if (dialect.counts?.(path.slice(root.length + 1)) !== false) requests += 1;
    },
  };

  let inFlight = 0;
  return {
    async send(method, path, { signal, body, isAnonymous = false } = {}) {
      if (isRefused) throw refusedAddressError(literal);
      const accepted = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': USER_AGENT };
      const headers = isAnonymous ? accepted : { ...accepted, ...dialect.credentials };
      const call = { method, path: `${root}/${path}`, headers };
      const json = { ...headers, 'content-type': 'application/json' };
      inFlight += 1;
      try {
        return await requestWithRetries(
          requestOptions,
          body === undefined ? call : { ...call, headers: json, body },
          signal,
        );
      } finally {
        inFlight -= 1;
      }
    },
    excerpt,
    requests: () => requests,
    tokenDigest: () => tokenDigest,
    // `Pool.close` would also wait for connections that were still being opened for aborted requests.
    close: () => (inFlight === 0 ? dispatcher.destroy() : dispatcher.close()),
  };
}

interface ResponseTimes {
  readonly serverTime: Instant | null;
  readonly cachedFor: Duration;
}

/** The API's clock, null without a valid `Date` header, and how long a cache has kept the response. */
export function readResponseTimes({ headers }: Pick<ApiResponse, 'headers'>): ResponseTimes {
  const millis = typeof headers.date === 'string' ? Date.parse(headers.date) : Number.NaN;
  const age = typeof headers.age === 'string' && /^\d{1,9}$/.test(headers.age) ? Number(headers.age) : 0;
  return { serverTime: Number.isNaN(millis) ? null : fromMillis(millis), cachedFor: age * SECOND };
}
