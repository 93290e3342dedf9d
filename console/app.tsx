/**
 * The console as a Hono app under `/console`: pages for people on top of the management API's functions. It never reads the
 * stores itself, except for sessions.
 */

import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Child } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { RetryLater } from '../core/model/errors.ts';
import { MINUTE, toMillis } from '../core/model/time.ts';
import type { BucketSize } from '../core/model/token-bucket.ts';
import { type ApiPorts, withCurrentConfig } from '../manage/api/http/api-ports.ts';
import { withinShare } from '../manage/api/http/open-requests.ts';
import { Problem } from '../manage/api/http/problem.ts';
import { assertRate, SESSION_REQUESTS } from '../manage/api/http/quotas.ts';
import { sourceZones } from '../manage/api/sources.ts';
import { ASSETS } from './assets.ts';
import { PAGE_HEADERS } from './headers.ts';
import { Document } from './layout.tsx';
import type { PageContext, ShownPage } from './page-context.ts';
import { ErrorPage } from './pages/error.tsx';
import { addLogIn } from './pages/log-in.tsx';
import { CONSOLE_PATH, pathTo } from './paths.ts';
import { readFields } from './read-fields.ts';
import { actions, type ConsoleAction, type ConsolePage, pages } from './routes.tsx';
import { assertMayPost, readSession, type Session } from './session.ts';

export interface ConsoleOptions {
  readonly api: ApiPorts;
  /** Receives unexpected errors. It may throw. @default - they are not reported */
  readonly report?: (error: unknown) => void;
  /** Requests of a session. @default - 600 a minute, 100 of them at once */
  readonly rate?: BucketSize;
}

const MAX_FORM_BYTES = 256 * 1024;
const MAX_LOG_IN_BYTES = 16 * 1024;

/** How long the time zones of the accounts are kept: they hardly ever change. */
const ZONES_KEPT = MINUTE;

export function consoleApp({ api, report = () => {}, rate = SESSION_REQUESTS }: ConsoleOptions): Hono {
  const app = new Hono();
  const readZones = cacheZones();

  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(PAGE_HEADERS)) {
      if (!context.res.headers.has(name)) context.res.headers.set(name, value);
    }
  });
  app.use(limitForm(MAX_FORM_BYTES));
  // Anyone can send it, and the time to parse a form grows faster than its length.
  app.use('/log-in', limitForm(MAX_LOG_IN_BYTES));

  for (const { path, type, text } of ASSETS) {
    app.get(path, (context) =>
      context.body(text, 200, { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }),
    );
  }
  addLogIn(app, api);

  const pageContext = async (context: Context, session: Session, ports = api): Promise<PageContext> => {
    const current = await withCurrentConfig(ports, true);
    const zones = await readZones(current);
    return {
      api: current,
      caller: session.caller,
      session,
      now: api.clock.now(),
      zones,
      zone: zones.values().next().value ?? 'UTC',
      url: new URL(context.req.url),
      isFragment: context.req.header('x-fragment') !== undefined,
      destination: context.req.header('sec-fetch-dest'),
    };
  };

  /** A session has limits of its own, as a key has. */
  const answer = ({ caller }: Session, respond: (ports: ApiPorts) => Promise<Response>): Promise<Response> =>
    withinShare(api, caller, async (ports) => {
      await assertRate(ports, caller, rate);
      return respond(ports);
    });

  for (const page of pages) {
    app.get(page.path, async (context) => {
      const session = await readSession(api, context);
      if (session === undefined) return askToLogIn(context);
      const params = context.req.param();
      return answer(session, async (ports) =>
        showPage(context, page, await pageContext(context, session, ports), params),
      );
    });
  }
  for (const action of actions) {
    app.post(action.path, async (context) => {
      const session = await readSession(api, context);
      if (session === undefined) return askToLogIn(context);
      return answer(session, async (ports) => {
        const form = await readForm(context);
        assertMayPost(api, context, session, form);
        return runAction(context, action, await pageContext(context, session, ports), form);
      });
    });
  }

  app.all('*', async (context) => {
    const { pathname, search } = new URL(context.req.url);
    if (context.req.method === 'GET' && pathname.endsWith('/')) {
      // The lookbehind tries each run of slashes once: linear time.
      return context.redirect(`${pathname.replace(/(?<!\/)\/+$/, '')}${search}`, 301);
    }
    const session = await readSession(api, context);
    if (session === undefined) return askToLogIn(context);
    throw new Problem(404, 'TIDINGS_API_NOT_FOUND', { detail: 'the console has no such page' });
  });

  app.onError(async (error, context) => {
    const problem = error instanceof Problem ? error : toProblem(error);
    if (!(error instanceof Problem)) report(error);
    const session = await readSession(api, context).catch(() => undefined);
    const page = session === undefined ? undefined : await pageContext(context, session).catch(() => undefined);
    for (const [name, value] of Object.entries(problem.headers)) context.header(name, value);
    return render(context, <ErrorPage problem={problem} page={page} />, problem.status as ContentfulStatusCode);
  });
  return app;
}

async function showPage(
  context: Context,
  page: ConsolePage,
  pageContext: PageContext,
  params: Readonly<Record<string, string>>,
): Promise<Response> {
  const shown = await page.show(pageContext, params);
  return shown instanceof Response ? shown : render(context, shown);
}

async function runAction(
  context: Context,
  action: ConsoleAction,
  pageContext: PageContext,
  form: ReadonlyMap<string, string>,
): Promise<Response> {
  const result = await action.run(pageContext, context.req.param(), form);
  // 303: the browser gets the next page, and reloading it repeats nothing.
  if (typeof result === 'string') return context.redirect(result, 303);
  return isShownPage(result)
    ? render(context, result.page, result.status as ContentfulStatusCode)
    : render(context, result);
}

function isShownPage(result: Child | ShownPage): result is ShownPage {
  return typeof result === 'object' && result !== null && 'status' in result && 'page' in result;
}

function render(context: Context, page: Child, status: ContentfulStatusCode = 200): Response | Promise<Response> {
  return context.html(`<!doctype html>${String(page)}`, status);
}

function limitForm(maxSize: number) {
  const onError = () => {
    throw new Problem(413, 'TIDINGS_API_TOO_LARGE', { detail: 'this form is too large' });
  };
  return bodyLimit({ maxSize, onError });
}

/** The values of each field, joined by line breaks. */
async function readForm(context: Context): Promise<ReadonlyMap<string, string>> {
  return new Map([...(await readFields(context))].map(([key, values]) => [key, values.join('\n')]));
}

/**
 * A link in a mail or chat opens a page without the cookie, because it is never sent with a request from another site. A page
 * that opens the same address again sends it.
 */
function askToLogIn(context: Context): Response {
  const url = new URL(context.req.url);
  const here = `${url.pathname}${url.search}`;
  if (context.req.method === 'GET' && context.req.header('sec-fetch-site') === 'cross-site') {
    const page = (
      <Document title="Opening…" refresh={{ to: here, seconds: 0 }}>
        <main class="alone">
          <p>
            <a href={here}>Continue to the console</a>
          </p>
        </main>
      </Document>
    );
    return context.html(`<!doctype html>${String(page)}`);
  }
  if (context.req.header('x-fragment') !== undefined) return context.body(null, 401);
  const next = context.req.method === 'GET' && here !== CONSOLE_PATH ? here : undefined;
  return context.redirect(pathTo('/log-in', { next }), 303);
}

/** A store that cannot be reached is a matter of time; anything else is a fault. Neither shows its cause. */
function toProblem(error: unknown): Problem {
  return error instanceof RetryLater
    ? new Problem(503, 'TIDINGS_API_UNAVAILABLE', { detail: 'the data cannot be read now: try again in a moment' })
    : new Problem(500, 'TIDINGS_API_FAILED', { detail: 'this page failed; the log of the server says why' });
}

interface CachedZones {
  readonly config: ApiPorts['config'];
  readonly zones: ReadonlyMap<string, string>;
  readonly at: number;
}

function cacheZones(): (api: ApiPorts) => Promise<ReadonlyMap<string, string>> {
  let cached: CachedZones | undefined;
  return async (api) => {
    const { config } = api;
    const at = toMillis(api.clock.now());
    if (cached?.config !== config || Math.abs(at - cached.at) > ZONES_KEPT)
      cached = { config, zones: await sourceZones(api), at };
    return cached.zones;
  };
}
