/** A request of Slack to the app, and the answer of the app, whichever way they travel. Only types and their reading. */

import type { Json, JsonObject } from './json.ts';

/** The types of envelopes of Socket Mode; over HTTP each has a URL of its own. */
export type RequestKind = 'slash_commands' | 'interactive' | 'events_api';

export interface AppRequest {
  readonly kind: RequestKind;
  readonly payload: JsonObject;
  /** Whether the acknowledgement may carry an answer. */
  readonly acceptsResponse: boolean;
  /** @default - the first attempt */
  readonly retry?: { readonly attempt: number; readonly reason: string };
}

/** The names are those that Slack shows to the person who typed a command. */
type AppFailure = 'operation_timeout' | 'dispatch_failed' | 'http_client_error' | 'http_service_error';

export type AppAnswer =
  | {
      readonly ok: true;
      /** @default - an acknowledgement without content */
      readonly answer?: Json;
      /** The app wants no retries. */
      readonly noRetry?: boolean;
    }
  | { readonly ok: false; readonly failure: AppFailure; readonly noRetry?: boolean };

/** A way to the app. */
export interface Transport {
  send(request: AppRequest): Promise<AppAnswer>;
}
