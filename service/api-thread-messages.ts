/** The messages between the thread that delivers and the one that answers the management API and the console. Plain data. */

import type { Environment } from '../runtime/config/config.ts';

/** What the thread opens. */
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
