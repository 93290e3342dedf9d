/**
 * The management API as a Hono app, made from the table of routes: it finds the caller, limits its rate, checks its scopes,
 * validates the request, and turns results and errors into responses. What a route does is in its own function.
 */

import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import type { ContentfulStatusCode, StatusCode } from 'hono/utils/http-status';
import { RetryLater, UsageError } from '../../../core/model/errors.ts';
import type { BucketSize } from '../../../core/model/token-bucket.ts';
import { routes } from '../routes.ts';
import { resolveNames } from '../subscriptions/stored-name.ts';
import { type ApiPorts, withCurrentConfig } from './api-ports.ts';
import { authenticate } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { renderDocsPage } from './docs-page.ts';
import { processOnce } from './idempotency.ts';
import { withinShare } from './open-requests.ts';
import { openApiDocument } from './openapi.ts';
import { Problem, problemBody } from './problem.ts';
import { assertRate, chargeAllOrNone, countChanges, takeQuota } from './quotas.ts';
import { readBody, readParams, readQueryParameters } from './read-request.ts';
import type { Route, RouteResult } from './route.ts';
import { assertAllowed } from './route.ts';
import { openCursor, sealCursor } from './sealed-cursor.ts';
import { serveStatic } from './static-document.ts';
import { assertUnits, withinUnits } from './unit-quota.ts';
import { assertWorkLeft } from './work-budget.ts';

export interface ApiAppOptions {
  readonly api: ApiPorts;
  /** The caller, if it was authenticated before the request came here: by IAM. @default - by the key in the header */
  readonly identify?: (context: Context) => Caller | undefined;
  /** @default - the one of the config */
  readonly rate?: BucketSize;
  /** Origins of pages that may call the API. @default - none */
  readonly cors?: readonly string[];
  /** Receives unexpected errors. It may throw. @default - they are not reported */
  readonly report?: (error: unknown) => void;
  /** Checks each response against its schema, for tests. @default false */
  readonly checksResponses?: boolean;
}

const MAX_BODY_BYTES = 256 * 1024;

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const serveOpenApi = serveStatic(() => ({
  text: JSON.stringify(openApiDocument(routes)),
  contentType: 'application/json',
}));
const serveDocs = serveStatic(() => renderDocsPage(openApiDocument(routes)));

export function apiApp(options: ApiAppOptions): Hono {
  const { report = () => {}, cors: origins = [] } = options;
  const app = new Hono();
  if (origins.length > 0) {
    const exposeHeaders = ['ETag', 'Location', 'Retry-After', 'Idempotency-Replayed'];
    app.use(cors({ origin: [...origins], exposeHeaders, maxAge: 600 }));
  }
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) {
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    }
  });
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: () => {
        const detail = `expected a body of at most ${MAX_BODY_BYTES / 1024} KB`;
        // The rest of the body is not read, so the connection cannot carry another request.
        throw new Problem(413, 'TIDINGS_API_TOO_LARGE', { detail, headers: { connection: 'close' } });
      },
    }),
  );
  app.get('/openapi.json', serveOpenApi);
  app.get('/docs', serveDocs);
  // Paths without parameters first: /deliveries/retry is no delivery.
  const hasParameter = (path: string) => path.includes('{');
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const paths = [...byPath.keys()].sort((a, b) => Number(hasParameter(a)) - Number(hasParameter(b)));
  for (const path of paths) {
    const ofPath = byPath.get(path) ?? [];
    for (const route of ofPath) app.on(route.method, honoPath(path), (context) => serveRoute(context, route, options));
    app.all(honoPath(path), () => refuseMethod(ofPath.map(({ method }) => method.toUpperCase())));
  }
  for (const path of ['/openapi.json', '/docs']) app.all(path, () => refuseMethod(['GET']));
  // Not `notFound`, which only the outermost app has.
  app.all('*', () => {
    throw new Problem(404, 'TIDINGS_API_NOT_FOUND', { detail: 'no such route: GET /v1/docs lists them' });
  });
  app.onError((error, context) => {
    if (error instanceof Problem) return respond(context, error);
    report(error);
    return respond(context, toProblem(error));
  });
  return app;
}

const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

function refuseMethod(methods: readonly string[]): never {
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  throw new Problem(405, 'TIDINGS_API_METHOD', { detail: `expected one of ${allow}`, headers: { allow } });
}

async function serveRoute(context: Context, route: Route, options: ApiAppOptions): Promise<Response> {
  const caller = options.identify?.(context) ?? (await authenticate(options.api, context.req.header('authorization')));
  return withinShare(options.api, caller, (api) => serveCaller(context, route, { ...options, api }, caller));
}

async function serveCaller(context: Context, route: Route, options: ApiAppOptions, caller: Caller): Promise<Response> {
  const { checksResponses = false } = options;
  // A caller who adds a source reads it next.
  const api = await withCurrentConfig(options.api, route.tag === 'sources');
  await Promise.all([assertRate(options.api, caller, options.rate), assertUnits(api, caller)]);
  assertWorkLeft(api, caller);
  assertAllowed(route, caller);
  const isReading = route.method === 'get' || route.readsOnly === true;
  const result = await withinUnits(api, caller, isReading, (metered) =>
    chargeAllOrNone(caller, (charged) => runRoute(context, route, metered, charged)),
  );
  if (checksResponses) assertFits(route, result);
  return toResponse(context, result);
}

async function runRoute(context: Context, route: Route, api: ApiPorts, caller: Caller): Promise<RouteResult> {
  if (route.quota !== undefined) await takeQuota(api, caller, route.quota);
  const params = readParams(context, route);
  const query = await openCursor(api, caller, route, readQueryParameters(context, route));
  const { text, body } = await readBody(context, route);
  const isRepeatable = route.method === 'post' && route.readsOnly !== true;
  const key = isRepeatable ? context.req.header('idempotency-key') : undefined;
  const ifMatch = route.ifMatch === true ? context.req.header('if-match') : undefined;
  const run = async (request?: string) => {
    const call = {
      caller: countChanges(api, caller),
      params,
      query,
      body,
      ...(request === undefined ? {} : { request }),
      ifMatch,
    };
    const resolved = await resolveNames(api, route, call);
    return sealCursor(api, caller, route, await route.run(api, resolved as never));
  };
  const request = `${route.operation} ${JSON.stringify([params, query])}\n${text}`;
  return key === undefined ? run() : processOnce(api, caller, { key, request }, run);
}

function toResponse(context: Context, { status, body, headers = {} }: RouteResult): Response {
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return body === undefined
    ? context.body(null, status as StatusCode)
    : context.json(body, status as ContentfulStatusCode);
}

function respond(context: Context, problem: Problem): Response {
  const headers = { ...problem.headers, 'content-type': 'application/problem+json' };
  return context.body(JSON.stringify(problemBody(problem)), problem.status as ContentfulStatusCode, headers);
}

/** A store that cannot be reached is a matter of time; anything else is a fault. Neither shows its cause. */
function toProblem(error: unknown): Problem {
  if (error instanceof UsageError && error.code === 'TIDINGS_SUBSCRIPTION_TOO_LARGE')
    return new Problem(413, 'TIDINGS_API_TOO_LARGE', { detail: error.message });
  return error instanceof RetryLater
    ? new Problem(503, 'TIDINGS_API_UNAVAILABLE', { detail: 'try again in a moment', headers: { 'retry-after': '5' } })
    : new Problem(500, 'TIDINGS_API_FAILED', { detail: 'the request failed; the log of the server says why' });
}

function assertFits(route: Route, { status, body }: RouteResult): void {
  const described = route.responses[status];
  if (described === undefined) throw new Error(`${route.operation}: ${status} is not described`);
  if ((described.schema === undefined) !== (body === undefined))
    throw new Error(`${route.operation}: body of ${status}`);
  // As it is sent: keys with undefined values are left out.
  described.schema?.parse(JSON.parse(JSON.stringify(body)));
}
