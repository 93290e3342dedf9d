/** Sends one request through an undici dispatcher and reads the start of the response, bounded in time and size. */

import type { Dispatcher } from 'undici';
import { createPieceLimit } from '../../core/model/piece-limit.ts';
import { floodError } from './flood-error.ts';
import { MAX_INFORMATIONAL_HEADERS, MAX_INFORMATIONAL_RESPONSES } from './flood-guard.ts';
import type { ResponseHeaders } from './response-headers.ts';

export interface ReceiverRequest {
  readonly method: 'POST' | 'OPTIONS';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** @default - none */
  readonly body?: string;
}

export interface RequestBounds {
  /** Milliseconds for the whole request: DNS, connect, send, headers and body. */
  readonly timeout: number;
  /** Bytes of the response body to return. */
  readonly maxKeptBytes: number;
  /** Bytes to read so that the connection can be reused. A longer response is aborted. */
  readonly maxReadBytes: number;
  readonly signal?: AbortSignal;
  /** Called when the response starts, and with the size of each part of its body. */
  readonly onProgress?: (bodyBytes?: number) => void;
}

/** Packets and the chunks of servers are longer. The status counts in any case. */
const PIECES = { pieces: 256, averageBytes: 512 } as const;

export interface RawResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** First bytes of the body: fewer when it broke off or did not end in time. */
  readonly start: Buffer;
}

/**
 * Rejects when no headers arrived. Once they have, the response counts, even if its body breaks off or is late.
 *
 * Uses `dispatch` instead of `request`: the stream that `request` builds for each body costs up to a third of a POST.
 */
export function sendRequest(
  dispatcher: Dispatcher,
  request: ReceiverRequest,
  bounds: RequestBounds,
): Promise<RawResponse> {
  const { timeout, maxKeptBytes, maxReadBytes, signal, onProgress } = bounds;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let head: Omit<RawResponse, 'start'> | undefined;
    let abortReason: Error | undefined;
    let isSettled = false;
    const informational = { responses: 0, headers: 0 };
    const chunks: Buffer[] = [];
    let size = 0;
    const isTooMany = createPieceLimit(PIECES);

    const settle = (error?: Error) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (head === undefined) reject(error ?? new Error('the connection was closed without a response'));
      else resolve({ ...head, start: Buffer.concat(chunks) });
    };
    const abort = (reason: Error) => {
      abortReason = reason;
      settle(reason);
      controller?.abort(reason);
    };
    const onAbort = () => abort(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    const timer = setTimeout(() => abort(new Error(`no answer within ${timeout / 1000} s`)), timeout);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) return onAbort();

    const { method, url, headers, body } = request;
    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body },
      {
        onRequestStart(started) {
          controller = started;
          // The request was aborted while it waited for a connection.
          if (abortReason !== undefined) started.abort(abortReason);
        },
        onResponseStart(_, status, headers) {
          if (status >= 200) {
            head = { status, headers };
            onProgress?.();
            return;
          }
          // 1xx responses are informational: the final one follows. Parsing an endless series would starve other receivers.
          informational.responses += 1;
          informational.headers += Object.values(headers).flat().length;
          if (informational.responses > MAX_INFORMATIONAL_RESPONSES)
            abort(floodError(url.host, `${informational.responses} 1xx responses`));
          else if (informational.headers > MAX_INFORMATIONAL_HEADERS)
            abort(floodError(url.host, `1xx responses with ${informational.headers} headers`));
        },
        onResponseData(_, chunk) {
          if (size < maxKeptBytes) chunks.push(chunk.subarray(0, maxKeptBytes - size));
          size += chunk.length;
          onProgress?.(chunk.length);
          if (size >= maxReadBytes) abort(new Error(`the response is longer than ${maxReadBytes} bytes`));
          else if (isTooMany(chunk.length)) abort(new Error('the response comes in too many short pieces'));
        },
        onResponseEnd: () => settle(),
        onResponseError: (_, error) => settle(error),
      },
    );
  });
}
