/**
 * How bytes travel to a receiver: what the poster asks of a wire, and what all wires share of bounding an answer in time
 * and size. Knows no library that speaks HTTP, and judges neither status nor content.
 */

import type { LookupFunction } from 'node:net';
import type { AnswerHeaders } from './answer.ts';

/** Kept connections to many origins, HTTP/1.1 or HTTP/2 as each receiver likes. Follows no redirect, heeds no proxy. */
export interface Wire {
  /** Rejects when there was no answer: headers are one, whatever becomes of the body. */
  exchange(options: ExchangeOptions): Promise<Exchanged>;
  /** Takes no more requests, lets go of idle connections, and resolves once those in hand have ended. */
  close(): Promise<void>;
}

export type OpenWire = (options: WireOptions) => Wire;

export interface WireOptions {
  /** Milliseconds a connection may take to be made, where no request bounds it. */
  readonly timeout: number;
  /** Asked for the addresses of every name that is connected to. */
  readonly lookup: LookupFunction;
  /** Certificates to trust, in PEM, in place of Node's own. @default - Node's own */
  readonly ca?: string;
}

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
  readonly headers: AnswerHeaders;
  /** The first bytes of the body: all there were, when it broke off or did not end in time. */
  readonly start: Buffer;
}

/** Where a wire puts what comes back. Whatever comes after the end is passed over. */
export interface AnswerSink {
  /** An early hint is no answer yet, and is passed over as well. */
  head(status: number, headers: AnswerHeaders): void;
  data(chunk: Buffer): void;
  /** `error`: why there is no more, where that is known. It matters only when there was no head. */
  end(error?: unknown): void;
}

/** Ends a request at once, before its answer was read to the end. */
export type Cut = (reason: Error) => void;

/** `begin` starts the request, and tells how it is cut off: at the deadline, at the signal, or when the answer goes on and on. */
export function boundAnswer(options: ExchangeOptions, begin: (answer: AnswerSink) => Cut): Promise<Exchanged> {
  const { timeout, keep, read, signal } = options;
  return new Promise((resolve, reject) => {
    let head: Omit<Exchanged, 'start'> | undefined;
    let cut: Cut | undefined;
    const kept: Buffer[] = [];
    let size = 0;
    let isOver = false;

    const end = (error?: unknown) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (head === undefined) reject(error ?? new Error('the connection was closed without an answer'));
      else resolve({ ...head, start: Buffer.concat(kept) });
    };
    const stop = (reason: Error) => {
      end(reason);
      cut?.(reason);
    };
    const onAbort = () => stop(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
    const timer = setTimeout(() => stop(new Error(`no answer within ${timeout / 1000} s`)), timeout);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) return onAbort();

    cut = begin({
      head(status, headers) {
        if (status >= 200) head = { status, headers };
      },
      data(chunk) {
        if (size < keep) kept.push(chunk.subarray(0, keep - size));
        size += chunk.length;
        if (size >= read) stop(new Error('more than is read of an answer'));
      },
      end,
    });
  });
}
