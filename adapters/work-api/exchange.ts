/** One request and its answer, bounded in time and size. Does not judge the answer, and does not try again. */

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { RetryLater } from '../../core/model/errors.ts';
import type { Duration } from '../../core/model/time.ts';
import type { Excerpt } from './excerpt.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface ApiCall {
  readonly method: Method;
  /** With the query, from the root of the host. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Decompressed. */
  readonly body: Buffer;
  /** From the request to the last byte. */
  readonly took: Duration;
}

export interface ApiExchangeOptions {
  readonly dispatcher: Dispatcher;
  /** Bytes of a body, compressed or not. */
  readonly maxBytes: number;
  /** For the whole body: one that drips would never meet a limit between two drops. */
  readonly bodyTimeout: Duration;
  readonly now: () => number;
  readonly excerpt: Excerpt;
}

/** Throws RetryLater for what the network does, and the signal's reason when it aborts, whatever is under way. */
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
 * Straight on the dispatcher: no stream between socket and Buffer, and an abort is heard while still connecting, where
 * undici's own request would wait for the connection.
 */
function receive(options: ApiExchangeOptions, call: ApiCall, signal?: AbortSignal): Promise<Received> {
  const { dispatcher, maxBytes, bodyTimeout } = options;
  signal?.throwIfAborted();
  return new Promise<Received>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Pick<ApiResponse, 'status' | 'headers'> | undefined;
    let headAt = 0;
    let size = 0;
    const chunks: Buffer[] = [];

    const fail = (error: unknown) => {
      signal?.removeEventListener('abort', abort);
      reject(error);
      if (controller !== undefined && !controller.aborted) controller.abort(new Error('no longer wanted'));
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
          // Below 200 are announcements; the answer follows.
          if (status < 200) return;
          head = { status, headers };
          headAt = performance.now();
        },
        onResponseData(_, chunk) {
          size += chunk.length;
          if (size > maxBytes) return fail(tooLarge(call, maxBytes));
          // On the real clock, like undici's own timeouts, whatever clock the pace goes by.
          if (performance.now() - headAt > bodyTimeout)
            return fail(cutOff(options, call, `not complete after ${bodyTimeout} ms`));
          chunks.push(chunk);
        },
        onResponseEnd() {
          signal?.removeEventListener('abort', abort);
          if (head === undefined) return fail(unreachable(options, call, 'no status'));
          resolve({ ...head, bytes: Buffer.concat(chunks, size) });
        },
        onResponseError(_, error) {
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
    throw new RetryLater('TIDINGS_SOURCE_ANSWER_INVALID', `${told(call)}: asked for gzip, got ${String(encoding)}`);
  }
  try {
    // The bound is kept while unpacking: a small body may hold gigabytes.
    return await unzip(bytes, { maxOutputLength: options.maxBytes, chunkSize: 256 * 1024 });
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(call, options.maxBytes);
    throw cutOff(options, call, error);
  }
}

function tooLarge(call: ApiCall, maxBytes: number): RetryLater {
  const message = `${told(call)}: the answer is larger than maxBytes (${maxBytes} bytes): read smaller pages, or raise it`;
  return new RetryLater('TIDINGS_SOURCE_ANSWER_TOO_LARGE', message);
}

function unreachable({ excerpt }: ApiExchangeOptions, call: ApiCall, error: unknown): RetryLater {
  return new RetryLater(
    'TIDINGS_SOURCE_UNREACHABLE',
    `the API did not answer ${told(call)}: ${reasonOf(error, excerpt)}`,
  );
}

function cutOff({ excerpt }: ApiExchangeOptions, call: ApiCall, error: unknown, status?: number): RetryLater {
  const evidence = status === undefined ? {} : { status };
  const message = `${told(call)}: the answer broke off: ${reasonOf(error, excerpt)}`;
  return new RetryLater('TIDINGS_SOURCE_CUT_OFF', message, { evidence });
}

/** Method and path, without the query: filters may hold names of people. */
export function told({ method, path }: ApiCall): string {
  return `${method} ${path.replace(/\?.*/, '')}`;
}

/** In words only: an error of the network can carry pieces of the request and the answer, so it is no cause. */
function reasonOf(error: unknown, excerpt: Excerpt): string {
  if (!(error instanceof Error)) return excerpt.ofText(String(error));
  const code = codeOf(error);
  return excerpt.ofText([error.message, code === undefined ? '' : `(${code})`].filter((part) => part !== '').join(' '));
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
