/** The messages between the main thread, the one that listens, and the one that answers the management API and the console. Plain data. */

import type { Environment } from '../runtime/config/config.ts';

/** What the thread of the API opens. */
export interface ApiThreadData {
  /** As `packConfig` writes it. */
  readonly config: string;
  readonly environment: Environment;
  /** The data directory. */
  readonly data: string;
}

export interface ForwardedRequest {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** @default - none */
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** `ping` is answered with `pong`, unless the thread is busy with something else. */
export type ToApiThread =
  | { readonly kind: 'request'; readonly request: ForwardedRequest }
  | { readonly kind: 'ping' }
  | { readonly kind: 'close' };

export interface ForwardedResponse {
  readonly id: number;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array<ArrayBuffer>;
}

export type FromApiThread =
  | { readonly kind: 'pong' }
  /** It begins to load code, or has loaded it. That takes long on a busy machine. */
  | { readonly kind: 'loading' | 'loaded' }
  | { readonly kind: 'response'; readonly response: ForwardedResponse }
  /** It has written what the loops of the service wait for. */
  | { readonly kind: 'changed' | 'queued' }
  /** For the log. */
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'error'; readonly error: Error };

export interface HttpThreadData {
  /** 0 for any free one. */
  readonly port: number;
  /** Undefined for the loopback address. */
  readonly host: string | undefined;
  /** Requests at a time that wait for the main thread. */
  readonly maxInFlight: number;
  /** Bodies that are read at a time. */
  readonly maxReading: number;
}

/** A response, or the end of the service: then it sends the responses that it has, and ends. */
export type ToHttpThread = ForwardedResponse | { readonly kind: 'close' };

export type FromHttpThread =
  | { readonly kind: 'listening'; readonly url: string; readonly port: number }
  /** The thread ends after this. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'request'; readonly request: ForwardedRequest };
