/** The client of the work API: lists, single records, quota and writes. Returns a response only after validating it. */

import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { buildConnector, Pool } from 'undici';
import { GiveUp } from '../../core/model/errors.ts';
import { type Duration, fromMillis, SECOND } from '../../core/model/time.ts';
import type { SourceApi, WireRow } from '../../core/ports/source-api.ts';
import { createFloodGuard } from '../http/flood-guard.ts';
import { USER_AGENT } from '../http/user-agent.ts';
import { findEnvelopeProblem, idText, parseObject, readMember, readQuota } from './envelope.ts';
import { createExcerpt, type Excerpt } from './excerpt.ts';
import type { ApiCall, ApiResponse, Method } from './exchange.ts';
import { buildPage, invalidResponse, type PageSource } from './page.ts';
import { createRequestPacer, type Sleep } from './request-pacer.ts';
import { requestWithRetries } from './request-with-retries.ts';
import { assertWritable, encodeFields, toUncertainCreation, type WriteFields, type WriteVerb } from './write.ts';

interface WorkApiTimeouts {
  /** Milliseconds to connect. @default 10000 */
  readonly connect?: Duration;
  /** Milliseconds until the response headers: the API counts and sorts before it sends them. @default 30000 */
  readonly headers?: Duration;
  /** Milliseconds for the whole body. Raise it for large pages on a slow connection. @default 60000 */
  readonly body?: Duration;
}

export interface WorkApiOptions {
  /** With or without a path: `https://work.example.com/api`. */
  readonly baseUrl: string;
  /** The API token: sent as the user name of HTTP Basic, never shown. */
  readonly token: string;
  /** @default - 10 s to connect, 30 s until the headers, 60 s for the body */
  readonly timeouts?: WorkApiTimeouts;
  /** Bytes of a decompressed response. Pages are usually 4 MB, so a larger one is an error. @default 67108864 */
  readonly maxBytes?: number;
  /** Requests in any 60 seconds; more wait. The API allows 100 per IP address. Infinity turns it off. @default 90 */
  readonly perMinute?: number;
  /** Retries of a read after 5xx, timeouts, resets and truncated bodies. Each counts against the quota. @default 3 */
  readonly retries?: number;
  /** Milliseconds on a monotonic clock, for rate limit and durations. @default - `performance.now` */
  readonly now?: () => number;
  /** In [0, 1): jitter of retries. @default - `Math.random` */
  readonly random?: () => number;
  /** Waits for the rate limit and between retries. Rejects at once on abort. @default - `setTimeout` of `node:timers/promises` */
  readonly sleep?: Sleep;
}

export interface WorkApi extends SourceApi {
  /** Returns the stored record. Throws GiveUp `TIDINGS_SOURCE_WRITE_UNCERTAIN` when it may or may not exist. */
  create(resource: string, fields: WriteFields, signal?: AbortSignal): Promise<WireRow>;
  update(resource: string, id: string, fields: WriteFields, signal?: AbortSignal): Promise<WireRow>;
  remove(resource: string, id: string, signal?: AbortSignal): Promise<void>;
  /** Closes all connections once the requests in flight have ended. */
  close(): Promise<void>;
}

const TIMEOUTS = { connect: 10 * SECOND, headers: 30 * SECOND, body: 60 * SECOND };
const MAX_BYTES = 64 * 1024 * 1024;
const PER_MINUTE = 90;
const RETRIES = 3;

const sleepWithTimer: Sleep = (duration, signal) =>
  setTimeout(duration, undefined, signal === undefined ? {} : { signal });

export function workApi(options: WorkApiOptions): WorkApi {
  const { baseUrl, token, maxBytes = MAX_BYTES, perMinute = PER_MINUTE, retries = RETRIES } = options;
  const { now = () => performance.now(), random = Math.random, sleep = sleepWithTimer } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/+$/, '');
  // The API ignores the password, but requires one.
  const authorization = `Basic ${Buffer.from(`${token}:x`).toString('base64')}`;
  const excerpt = createExcerpt(token, authorization);
  // Requests go one after the other, so HTTP/2 would bring nothing.
  const allowH2 = false;
  const floodGuard = createFloodGuard(buildConnector({ allowH2, timeout: timeouts.connect }));
  const dispatcher = new Pool(base.origin, {
    allowH2,
    connect: floodGuard.connect,
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
  });
  // Too short to find the token by, long enough to tell two tokens apart.
  const tokenDigest = createHash('sha256').update(`${base.href}\n${token}`).digest('hex').slice(0, 16);
  let requests = 0;
  const requestOptions = {
    ...{ dispatcher, maxBytes, bodyTimeout: timeouts.body, now, excerpt, retries, sleep, random },
    onProgress: () => floodGuard.progress(base.origin),
    pacer: createRequestPacer({ perMinute, now, sleep }),
    onSend: ({ path }: ApiCall) => {
      if (path !== `${root}/quota/`) requests += 1;
    },
  };

  let inFlight = 0;
  const send = async (method: Method, path: string, signal?: AbortSignal, body?: string): Promise<ApiResponse> => {
    const headers = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': USER_AGENT, authorization };
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
  };

  const write = async (
    verb: WriteVerb,
    resource: string,
    id: string | undefined,
    fields?: WriteFields,
    signal?: AbortSignal,
  ) => {
    assertWritable(verb, resource);
    const path = id === undefined ? collection(resource) : member(resource, id);
    const body = fields === undefined ? undefined : JSON.stringify(encodeFields(resource, fields));
    return send(METHODS[verb], path, signal, body);
  };

  return {
    async list(resource, query, signal) {
      const { offset, limit, filters } = query;
      const search = new URLSearchParams({ ...filters, offset: String(offset), limit: String(limit) });
      // The API's description asks for %20 instead of + as a space.
      const response = await send('GET', `${collection(resource)}?${search.toString().replaceAll('+', '%20')}`, signal);
      return buildPage({ ...response, resource, query, ...readTimes(response), excerpt });
    },
    async get(resource, id, signal) {
      try {
        return readRecord(resource, await send('GET', member(resource, id), signal), excerpt, id);
      } catch (error) {
        if (error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_NOT_FOUND') return undefined;
        throw error;
      }
    },
    async quota(signal) {
      return readEnvelope('quota', await send('GET', collection('quota'), signal), excerpt, readQuota);
    },
    async create(resource, fields, signal) {
      try {
        return readRecord(resource, await write('create', resource, undefined, fields, signal), excerpt);
      } catch (error) {
        throw toUncertainCreation(error);
      }
    },
    async update(resource, id, fields, signal) {
      return readRecord(resource, await write('update', resource, id, fields, signal), excerpt, id);
    },
    async remove(resource, id, signal) {
      await write('remove', resource, id, undefined, signal);
    },
    requests: () => requests,
    tokenDigest: () => tokenDigest,
    // `Pool.close` would also wait for connections that were still being opened for aborted requests.
    close: () => (inFlight === 0 ? dispatcher.destroy() : dispatcher.close()),
  };
}

const METHODS = { create: 'POST', update: 'PUT', remove: 'DELETE' } as const;

function collection(resource: string): string {
  return `${encodeURIComponent(resource)}/`;
}

/** Only digits: other characters could change the path. */
function member(resource: string, id: string): string {
  if (/^\d+$/.test(id)) return `${collection(resource)}${id}/`;
  throw new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', `${resource}: expected an id of digits, got '${id}'`);
}

/** The API's clock, null without a valid `Date` header, and how long a cache has kept the response. */
function readTimes({ headers }: ApiResponse): Pick<PageSource, 'serverTime' | 'cachedFor'> {
  const millis = typeof headers.date === 'string' ? Date.parse(headers.date) : Number.NaN;
  const age = typeof headers.age === 'string' && /^\d{1,9}$/.test(headers.age) ? Number(headers.age) : 0;
  return { serverTime: Number.isNaN(millis) ? null : fromMillis(millis), cachedFor: age * SECOND };
}

/** A record with another id than requested is an invalid response. */
function readRecord(resource: string, response: ApiResponse, excerpt: Excerpt, id?: string): WireRow {
  return readEnvelope(resource, response, excerpt, (envelope) => {
    const record = readMember(envelope, resource);
    const recordId = idText(record?.id);
    return recordId !== undefined && (id === undefined || recordId === id) ? record : undefined;
  });
}

function readEnvelope<T>(
  resource: string,
  response: ApiResponse,
  excerpt: Excerpt,
  read: (envelope: WireRow) => T | undefined,
): T {
  const envelope = parseObject(response.body.toString('utf8'));
  const problem = envelope === undefined ? 'it is not a JSON object' : findEnvelopeProblem(envelope);
  const content = envelope === undefined || problem !== undefined ? undefined : read(envelope);
  if (content !== undefined) return content;
  throw invalidResponse({ resource, body: response.body, excerpt }, problem ?? `it has no such ${resource}`);
}
