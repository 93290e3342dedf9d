/** What a method of Slack's Web API is: its scope, its limit, what it may use and what it answers. */

import type { InstalledApp } from './app.ts';
import type { Json, JsonObject } from './json.ts';
import type { TemporaryTokens } from './temporary-tokens.ts';
import type { Views } from './views.ts';
import type { Workspace } from './workspace.ts';

export interface ApiParts {
  readonly workspace: Workspace;
  readonly app: InstalledApp;
  readonly views: Views;
  readonly tokens: TemporaryTokens;
  /** OAuth scopes of the bot. */
  readonly scopes: readonly string[];
  /** Whether the limits of requests a minute apply. */
  readonly hasTiers: boolean;
  /** Base URL of the stand-in. */
  readonly url: () => string;
}

/** A method answers with its result, or with an error. */
export type MethodResult = { readonly ok: true; readonly [field: string]: Json } | MethodError;

export interface MethodError {
  readonly ok: false;
  readonly error: string;
  /** Details, shown as Slack shows them. */
  readonly message?: string;
  /** Seconds to wait, for `ratelimited`. */
  readonly retryAfter?: number;
  readonly needed?: string;
}

export interface MethodDefinition {
  /** The scope it needs. @default - none */
  readonly scope?: string;
  /** Requests a minute. @default - no limit of its own */
  readonly perMinute?: number;
  /** Takes the app-level token. @default false */
  readonly isAppLevel?: boolean;
  /** Ignores arguments that are sent as JSON, as Slack's reading methods do. @default false */
  readonly isFormOnly?: boolean;
  readonly call: (args: JsonObject, parts: ApiParts) => MethodResult;
}

export const isError = (value: object): value is MethodError => 'ok' in value && value.ok === false;
