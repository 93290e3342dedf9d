/** The API over HTTP: lists, members, quota and writes. Returns an answer only when it is one. */

import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { GiveUp } from '../../core/model/errors.ts';
import { type Duration, fromMillis, type Instant, SECOND } from '../../core/model/time.ts';
import type { SourceApi, WireRow } from '../../core/ports/source-api.ts';
import { faultOf, idText, memberOf, parseObject, quotaOf } from './envelope.ts';
import { type Excerpt, excerptWithout } from './excerpt.ts';
import type { ApiCall, ApiResponse, Method } from './exchange.ts';
import { pace, type Sleep } from './pace.ts';
import { invalidAnswer, page } from './page.ts';
import { request } from './request.ts';
import { mustAllow, uncertainCreation, type Verb, type WriteFields, wireFields } from './write.ts';

export interface WorkApiTimeouts {
  /** Milliseconds until a connection stands. @default 10000 */
  readonly connect?: Duration;
  /** Milliseconds until the head of an answer: the API counts and sorts in it. @default 30000 */
  readonly headers?: Duration;
  /** Milliseconds for the whole body. Raise it with the page size on a slow line. @default 60000 */
  readonly body?: Duration;
}

export interface WorkApiOptions {
  /** With or without a path: `https://work.example.com/api`. */
  readonly baseUrl: string;
  /** The API token: sent as the user name of HTTP Basic, shown nowhere. */
  readonly token: string;
  /** @default - 10 s to connect, 30 s to the head, 60 s for the body */
  readonly timeouts?: WorkApiTimeouts;
  /** Bytes of an answer, unpacked. A page of 4 MB is usual, so more than this is a fault. @default 67108864 */
  readonly maxBytes?: number;
  /** Requests in any 60 seconds; more wait. The API allows 100 to an address. Infinity turns it off. @default 90 */
  readonly perMinute?: number;
  /** Repetitions of a read after 5xx, timeouts, resets and cut-off bodies. Each counts against the quota. @default 3 */
  readonly retries?: number;
  /** Milliseconds on a clock that never goes back, for pace and durations. @default - `performance.now` */
  readonly now?: () => number;
  /** In [0, 1): spreads repetitions. @default - `Math.random` */
  readonly random?: () => number;
  /** Waits for pace and repetitions, and rejects at once on abort. @default - `setTimeout` of `node:timers/promises` */
  readonly sleep?: Sleep;
}

export interface WorkApi extends SourceApi {
  /** The record as the API keeps it. GiveUp `TIDINGS_SOURCE_WRITE_UNCERTAIN` when nobody knows whether it exists. */
  create(resource: string, fields: WriteFields, signal?: AbortSignal): Promise<WireRow>;
  update(resource: string, id: string, fields: WriteFields, signal?: AbortSignal): Promise<WireRow>;
  remove(resource: string, id: string, signal?: AbortSignal): Promise<void>;
  /** Lets go of idle connections, once the answers under way are in. */
  close(): Promise<void>;
}

const TIMEOUTS = { connect: 10 * SECOND, headers: 30 * SECOND, body: 60 * SECOND };
const MAX_BYTES = 64 * 1024 * 1024;
const PER_MINUTE = 90;
const RETRIES = 3;

const sleepReally: Sleep = (duration, signal) =>
  setTimeout(duration, undefined, signal === undefined ? {} : { signal });

export function workApi(options: WorkApiOptions): WorkApi {
  const { baseUrl, token, maxBytes = MAX_BYTES, perMinute = PER_MINUTE, retries = RETRIES } = options;
  const { now = () => performance.now(), random = Math.random, sleep = sleepReally } = options;
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const base = new URL(baseUrl);
  const root = base.pathname.replace(/\/+$/, '');
  // The password may be anything but empty.
  const authorization = `Basic ${Buffer.from(`${token}:x`).toString('base64')}`;
  const excerpt = excerptWithout(token, authorization);
  const dispatcher = new Pool(base.origin, {
    // Requests go one after the other, so HTTP/2 would bring nothing.
    allowH2: false,
    connect: { timeout: timeouts.connect },
    headersTimeout: timeouts.headers,
    bodyTimeout: timeouts.body,
  });
  let requests = 0;
  const requesting = {
    ...{ dispatcher, maxBytes, bodyTimeout: timeouts.body, now, excerpt, retries, sleep, random },
    pace: pace({ perMinute, now, sleep }),
    sent: ({ path }: ApiCall) => {
      if (path !== `${root}/quota/`) requests += 1;
    },
  };

  /** Calls nobody has given up yet. */
  let underWay = 0;
  const send = async (method: Method, path: string, signal?: AbortSignal, body?: string): Promise<ApiResponse> => {
    const headers = { accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': 'Tidings', authorization };
    const call = { method, path: `${root}/${path}`, headers };
    const json = { ...headers, 'content-type': 'application/json' };
    underWay += 1;
    try {
      return await request(requesting, body === undefined ? call : { ...call, headers: json, body }, signal);
    } finally {
      underWay -= 1;
    }
  };

  const write = async (
    verb: Verb,
    resource: string,
    id: string | undefined,
    fields?: WriteFields,
    signal?: AbortSignal,
  ) => {
    mustAllow(verb, resource);
    const path = id === undefined ? collection(resource) : member(resource, id);
    const body = fields === undefined ? undefined : JSON.stringify(wireFields(resource, fields));
    return send(METHODS[verb], path, signal, body);
  };

  return {
    async list(resource, query, signal) {
      const { offset, limit, filters } = query;
      const search = new URLSearchParams({ ...filters, offset: String(offset), limit: String(limit) });
      // A space as %20, as the API's description wants it.
      const answer = await send('GET', `${collection(resource)}?${search.toString().replaceAll('+', '%20')}`, signal);
      return page({ ...answer, resource, query, serverTime: dateOf(answer), excerpt });
    },
    async get(resource, id, signal) {
      try {
        return readMember(resource, await send('GET', member(resource, id), signal), excerpt, id);
      } catch (error) {
        if (error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_NOT_FOUND') return undefined;
        throw error;
      }
    },
    async quota(signal) {
      return readEnvelope('quota', await send('GET', collection('quota'), signal), excerpt, quotaOf);
    },
    async create(resource, fields, signal) {
      try {
        return readMember(resource, await write('create', resource, undefined, fields, signal), excerpt);
      } catch (error) {
        throw uncertainCreation(error);
      }
    },
    async update(resource, id, fields, signal) {
      return readMember(resource, await write('update', resource, id, fields, signal), excerpt, id);
    },
    async remove(resource, id, signal) {
      await write('remove', resource, id, undefined, signal);
    },
    requests: () => requests,
    // A connection that does not stand yet, for a call that was aborted, would hold a close up until its timeout.
    close: () => (underWay === 0 ? dispatcher.destroy() : dispatcher.close()),
  };
}

const METHODS = { create: 'POST', update: 'PUT', remove: 'DELETE' } as const;

function collection(resource: string): string {
  return `${encodeURIComponent(resource)}/`;
}

/** Only digits: anything else in a path could make it another one. */
function member(resource: string, id: string): string {
  if (/^\d+$/.test(id)) return `${collection(resource)}${id}/`;
  throw new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', `${resource}: expected an id of digits, got '${id}'`);
}

/** What the API's own clock said; null where it did not, or where nobody can read it. */
function dateOf({ headers }: ApiResponse): Instant | null {
  const millis = typeof headers.date === 'string' ? Date.parse(headers.date) : Number.NaN;
  return Number.isNaN(millis) ? null : fromMillis(millis);
}

/** The record of an answer. Another one than was asked for is no answer. */
function readMember(resource: string, answer: ApiResponse, excerpt: Excerpt, id?: string): WireRow {
  return readEnvelope(resource, answer, excerpt, (envelope) => {
    const record = memberOf(envelope, resource);
    const found = idText(record?.id);
    return found !== undefined && (id === undefined || found === id) ? record : undefined;
  });
}

function readEnvelope<T>(
  resource: string,
  answer: ApiResponse,
  excerpt: Excerpt,
  read: (envelope: WireRow) => T | undefined,
): T {
  const envelope = parseObject(answer.body.toString('utf8'));
  const fault = envelope === undefined ? 'it is no JSON object' : faultOf(envelope);
  const found = envelope === undefined || fault !== undefined ? undefined : read(envelope);
  if (found !== undefined) return found;
  throw invalidAnswer({ resource, body: answer.body, excerpt }, fault ?? `it holds no such ${resource}`);
}
