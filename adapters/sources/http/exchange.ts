/** Sends one request and reads its response, bounded in time and size. Interprets no status and retries nothing. */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { type Duration, SECOND } from '../../../core/model/time.ts';
import { MAX_INFORMATIONAL_RESPONSES } from '../../http/flood-guard.ts';
import type { Excerpt } from './excerpt.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface ApiCall {
  readonly method: Method;
  /** Absolute path with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Decompressed. */
  readonly body: Buffer;
  /** From the start of the request to the last byte. */
  readonly took: Duration;
}

export interface ApiExchangeOptions {
  readonly dispatcher: Dispatcher;
  /** Limit for the body, both compressed and decompressed. */
  readonly maxBytes: number;
  /** For the whole body: a limit between two chunks never ends a body that trickles in. */
  readonly bodyTimeout: Duration;
  readonly now: () => number;
  readonly excerpt: Excerpt;
  /** Called when the response starts, and with the size of each part of its body. */
  readonly onProgress?: (bodyBytes?: number) => void;
}

/** Throws RetryLater for network errors, and the signal's reason as soon as it aborts. */
export async function exchange(options: ApiExchangeOptions, call: ApiCall, signal?: AbortSignal): Promise<ApiResponse> {
  const { now } = options;
  const start = now();
  const { status, headers, bytes } = await receive(options, call, signal);
  const body = await decode(options, call, bytes, headers['content-encoding']);
  signal?.throwIfAborted();
  return { status, headers, body, took: now() - start };
}

interface Received extends Pick<ApiResponse, 'status' | 'headers'> {
  readonly bytes: Buffer;
}

/**
 * Uses `dispatch` instead of `request`: it needs no stream per body, and an abort takes effect while the connection is
 * still being opened.
 */
function receive(options: ApiExchangeOptions, call: ApiCall, signal?: AbortSignal): Promise<Received> {
  const { dispatcher, maxBytes, bodyTimeout, onProgress } = options;
  signal?.throwIfAborted();
  return new Promise<Received>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Pick<ApiResponse, 'status' | 'headers'> | undefined;
    let headAt = 0;
    let informational = 0;
    let size = 0;
    const chunks: Buffer[] = [];

    const fail = (error: unknown) => {
      signal?.removeEventListener('abort', abort);
      reject(error);
      if (controller !== undefined && !controller.aborted) controller.abort(new Error('aborted'));
    };
    const abort = () => fail(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });

    dispatcher.dispatch(
      { method: call.method, path: call.path, headers: call.headers, body: call.body ?? null },
      {
        onRequestStart(started) {
          controller = started;
          if (signal?.aborted === true) abort();
        },
        onResponseStart(_, status, headers) {
          // 1xx responses are informational: the final one follows.
          if (status < 200) {
            informational += 1;
            if (informational > MAX_INFORMATIONAL_RESPONSES)
              fail(unreachable(options, call, `more than ${MAX_INFORMATIONAL_RESPONSES} 1xx responses`));
            return;
          }
          onProgress?.();
          head = { status, headers };
          headAt = performance.now();
        },
        onResponseData(_, chunk) {
          onProgress?.(chunk.length);
          size += chunk.length;
          if (size > maxBytes) return fail(tooLarge(call, maxBytes));
          // On the real clock, like undici's own timeouts, because `now` may be simulated.
          if (performance.now() - headAt > bodyTimeout)
            return fail(cutOff(options, call, `incomplete after ${bodyTimeout} ms`));
          chunks.push(chunk);
        },
        onResponseEnd() {
          signal?.removeEventListener('abort', abort);
          if (head === undefined) return fail(unreachable(options, call, 'no status'));
          resolve({ ...head, bytes: Buffer.concat(chunks, size) });
        },
        onResponseError(_, error) {
          // The guard refuses the address.
          if (error instanceof GiveUp) return fail(error);
          fail(head === undefined ? unreachable(options, call, error) : cutOff(options, call, error, head.status));
        },
      },
    );
  });
}

const unzip = promisify(gunzip);

async function decode(options: ApiExchangeOptions, call: ApiCall, bytes: Buffer, encoding: unknown): Promise<Buffer> {
  if (bytes.length === 0 || encoding === undefined || encoding === 'identity') return bytes;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    throw new RetryLater(
      'TIDINGS_SOURCE_ANSWER_INVALID',
      `${describeCall(call)}: expected gzip encoding, got ${String(encoding)}`,
    );
  }
  try {
    // The limit also applies while decompressing: a small body may expand to gigabytes.
    return await unzip(bytes, { maxOutputLength: options.maxBytes, chunkSize: 256 * 1024 });
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(call, options.maxBytes);
    throw cutOff(options, call, error);
  }
}

function tooLarge(call: ApiCall, maxBytes: number): RetryLater {
  const message = `${describeCall(call)}: the response is larger than maxBytes (${maxBytes} bytes): read smaller pages or raise the limit`;
  return new RetryLater('TIDINGS_SOURCE_ANSWER_TOO_LARGE', message);
}

function unreachable({ excerpt }: ApiExchangeOptions, call: ApiCall, error: unknown): RetryLater {
  return new RetryLater(
    'TIDINGS_SOURCE_UNREACHABLE',
    `the API did not answer ${describeCall(call)}: ${describeReason(error, excerpt)}`,
  );
}

function cutOff({ excerpt }: ApiExchangeOptions, call: ApiCall, error: unknown, status?: number): RetryLater {
  const evidence = status === undefined ? {} : { status };
  const message = `${describeCall(call)}: the response was cut off: ${describeReason(error, excerpt)}`;
  return new RetryLater('TIDINGS_SOURCE_CUT_OFF', message, { evidence });
}

/** Method and path, without the query, because filters may contain personal names. */
export function describeCall({ method, path }: ApiCall): string {
  return `${method} ${path.replace(/\?.*/, '')}`;
}

/** A `Retry-After` in seconds. A date is left to the caller's own schedule. */
export function parseRetryAfter(header: string | string[] | undefined): Duration | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * SECOND : undefined;
}

/** Only the text: a network error may carry parts of the request and the response, so it is not kept as the cause. */
function describeReason(error: unknown, excerpt: Excerpt): string {
  if (!(error instanceof Error)) return excerpt.ofText(String(error));
  const code = codeOf(error);
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER') return 'the server does not speak https at this address';
  return excerpt.ofText([error.message, code === undefined ? '' : `(${code})`].filter((part) => part !== '').join(' '));
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
