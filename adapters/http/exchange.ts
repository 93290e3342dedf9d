/**
 * One request and the start of its answer, read straight from the dispatcher: without the stream that undici's
 * `request` builds for each body, which costs as much as a third of a POST. Judges neither status nor content.
 */

import type { Dispatcher } from 'undici';

export interface ExchangeOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds for all of it: connecting, sending, headers and body. */
  readonly timeout: number;
  /** How many bytes of the answer are kept. */
  readonly keep: number;
  /** How many are read, so that the connection can be used again; an answer that goes on is cut off. */
  readonly read: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Exchanged {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first bytes of the body: all there were, when it broke off or did not end in time. */
  readonly start: Buffer;
}

/** Rejects when there was no answer: headers are one, whatever becomes of the body. */
export function exchange(dispatcher: Dispatcher, options: ExchangeOptions): Promise<Exchanged> {
  const { url, headers, body, timeout, keep, read, signal } = options;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answer: Omit<Exchanged, 'start'> | undefined;
    let stopped: Error | undefined;
    const kept: Buffer[] = [];
    let size = 0;

    const end = (error?: unknown) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (answer === undefined) reject(error);
      else resolve({ ...answer, start: Buffer.concat(kept) });
    };
    const stop = (reason: Error) => {
      stopped = reason;
      end(reason);
      controller?.abort(reason);
    };
    const onAbort = () => stop(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    const timer = setTimeout(() => stop(new Error(`no answer within ${timeout / 1000} s`)), timeout);
    signal?.addEventListener('abort', onAbort, { once: true });

    const request = { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body } as const;
    if (signal?.aborted === true) return onAbort();
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        // Given up while it still waited for a connection.
        if (stopped !== undefined) started.abort(stopped);
      },
      onResponseStart(_, status, headers) {
        if (status >= 200) answer = { status, headers };
      },
      onResponseData(_, chunk) {
        if (size < keep) kept.push(chunk.subarray(0, keep - size));
        size += chunk.length;
        if (size >= read) stop(new Error('more than is read of an answer'));
      },
      onResponseEnd: () => end(),
      onResponseError: (_, error) => end(error),
    });
  });
}
