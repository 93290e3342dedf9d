/** A route of the management API: one object from which the app, the authorisation and the OpenAPI document are made. */

import type * as z from 'zod';
import type { Scope } from '../../../core/model/api-key.ts';
import { hasScope } from '../../../core/model/api-key.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Caller } from './caller.ts';
import { Problem } from './problem.ts';
import type { RateQuota } from './quotas.ts';

type RouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** A validated request. */
export interface Call<Query = unknown, Body = unknown> {
  readonly caller: Caller;
  /** The values in the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  /** The header `If-Match`. */
  readonly ifMatch?: string;
  /** Identifies a request with an `Idempotency-Key`: hex digits that are the same whenever it is repeated. @default - no key */
  readonly request?: string;
}

export interface RouteResult {
  readonly status: number;
  /** @default - no body */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ResponseDefinition {
  readonly description: string;
  /** @default - no body */
  readonly schema?: z.ZodType;
  /** Whether it has an ETag. @default false */
  readonly etag?: boolean;
  /** Operations that go on from this response: where each parameter is in it, as an OpenAPI expression. @default - none */
  readonly links?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface RouteDefinition<Query = unknown, Body = unknown> {
  readonly method: RouteMethod;
  /** `/subscriptions/{name}` */
  readonly path: string;
  /** The name of the operation in the OpenAPI document and its clients. */
  readonly operation: string;
  readonly summary: string;
  /** Further sentences. @default - none */
  readonly description?: string;
  readonly tag: string;
  /** Any of these scopes is enough. */
  readonly scopes: readonly Scope[];
  /** Counted in a bucket of its own, beside that of all requests. @default - only in that one */
  readonly quota?: RateQuota;
  /** Schemas of values in the path that are not plain text. @default - any text */
  readonly params?: Readonly<Record<string, z.ZodType<string>>>;
  /** @default - no query parameters */
  readonly query?: z.ZodType<Query>;
  /** @default - no body */
  readonly body?: z.ZodType<Body>;
  /** `may be missing`: an empty body stands for {}. `checked by run`: the route validates it itself. @default - required */
  readonly bodyIs?: 'may be missing' | 'checked by run';
  /** Bodies that are accepted, by what they show. @default - none */
  readonly examples?: Readonly<Record<string, unknown>>;
  /** Whether a POST changes nothing: its response is not kept for an `Idempotency-Key`. @default false */
  readonly readsOnly?: boolean;
  /** Whether `If-Match` is supported. @default false */
  readonly ifMatch?: boolean;
  /** The successful responses. */
  readonly responses: Readonly<Record<number, ResponseDefinition>>;
  /** The errors besides those that any route has. @default - none */
  readonly errors?: readonly number[];
  run(api: ApiPorts, call: Call<Query, Body>): Promise<RouteResult>;
}

/** A route whose types of query and body are known only to itself. */
export type Route = RouteDefinition<never, never>;

export function defineRoute<Query, Body>(route: RouteDefinition<Query, Body>): Route {
  return route as unknown as Route;
}

export const ok = (body: unknown): RouteResult => ({ status: 200, body });

/** Throws 403 that names the scopes of a route. Which items the caller sees is decided later. */
export function assertAllowed(route: Pick<Route, 'scopes'>, caller: Caller): void {
  if (route.scopes.some((scope) => hasScope(caller.scopes, scope))) return;
  const has = caller.scopes.length === 0 ? 'none' : caller.scopes.join(', ');
  throw new Problem(403, 'TIDINGS_API_SCOPE', {
    detail: `expected a key with the scope ${route.scopes.join(' or ')}, got one with ${has}`,
  });
}
