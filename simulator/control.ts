/**
 * The control API, on its own port: tests set the clock, switch faults on and read the journal here.
 * Exempt from quota and faults, and not reachable through the API.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { Account } from './account/account.ts';
import type { Allowance } from './http/allowance.ts';
import type { Tokens } from './http/authenticate.ts';
import { requestUrl } from './http/server.ts';
import type { Life } from './people/life.ts';
import { RequestError } from './request-error.ts';
import { findResource, resourceNamed, type TableName } from './resources/catalogue.ts';
import { ROLES, type Role } from './resources/resource.ts';
import type { Faults, Quirks } from './switches.ts';

/** What can be controlled. */
export interface Controls {
  readonly account: Account;
  readonly life: Life;
  readonly tokens: Tokens;
  readonly allowance: Allowance;
  readonly quirks: Readonly<Quirks>;
  faults(): Readonly<Faults>;
  setFaults(sent: unknown): void;
  clearFaults(): void;
  setQuirks(sent: unknown): void;
}

interface ControlRequest {
  readonly controls: Controls;
  /** Segments of the path after the route's name. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

type Handler = (request: ControlRequest) => unknown;

/** Handlers by method and first path segment. */
const ROUTES: Readonly<Record<string, Handler>> = {
  'GET ': ({ controls }) => ({
    clock: clockOf(controls),
    life: lifeOf(controls),
    tokens: controls.tokens.list().slice(0, 10),
    routes: Object.keys(ROUTES),
  }),
  'GET clock': ({ controls }) => clockOf(controls),
  'PUT clock': ({ controls, body }) => {
    const { clock } = controls.account;
    controls.account.settle();
    if (body.speed !== undefined) clock.speed = number('speed', body.speed);
    if (body.now !== undefined) clock.set(String(body.now));
    if (body.advance !== undefined) clock.advance(number('advance', body.advance));
    return clockOf(controls);
  },
  'GET faults': ({ controls }) => controls.faults(),
  'PUT faults': ({ controls, body }) => {
    controls.setFaults(body);
    return controls.faults();
  },
  'DELETE faults': ({ controls }) => {
    controls.clearFaults();
    return controls.faults();
  },
  'GET quirks': ({ controls }) => controls.quirks,
  'PUT quirks': ({ controls, body }) => {
    controls.setQuirks(body);
    return controls.quirks;
  },
  'GET journal': ({ controls, query }) => {
    const { journal } = controls.account;
    const entries = journal.read({
      since: Number(query.get('since') ?? 0),
      resource: query.get('resource') ?? undefined,
      id: query.get('id') ?? undefined,
      limit: Number(query.get('limit') ?? 1000),
    });
    return { last: journal.last, entries };
  },
  'GET life': ({ controls }) => lifeOf(controls),
  'PUT life': ({ controls, body }) => {
    if (body.pace !== undefined) controls.life.pace = body.pace === null ? undefined : number('pace', body.pace);
    if (body.paused !== undefined) controls.life.paused = body.paused === true;
    return lifeOf(controls);
  },
  'POST life': ({ controls, body }) => {
    controls.account.live(body.steps === undefined ? 1 : number('steps', body.steps));
    return { last: controls.account.journal.last };
  },
  'GET tokens': ({ controls }) => controls.tokens.list(),
  'PUT tokens': ({ controls, rest, body }) => {
    const role = ROLES.find((candidate) => candidate === body.role);
    if (role === undefined && body.role !== null) {
      throw new RangeError(`role: expected one of ${ROLES.join(', ')} or null, got ${JSON.stringify(body.role)}`);
    }
    controls.tokens.setRole(rest[0] ?? '', role);
    return controls.tokens.list().filter(({ token }) => token === rest[0]);
  },
  'GET quota': ({ controls }) => quotaOf(controls),
  'PUT quota': ({ controls, body }) => {
    const { allowance } = controls;
    if (body.quota !== undefined)
      allowance.quota = body.quota === null ? Number.POSITIVE_INFINITY : number('quota', body.quota);
    if (body.perMinute !== undefined) {
      allowance.perMinute = body.perMinute === null ? undefined : number('perMinute', body.perMinute);
    }
    if (body.used !== undefined) allowance.reset(number('used', body.used));
    return quotaOf(controls);
  },
  'GET notifications': ({ controls }) => controls.account.notifications,
  'GET records': ({ controls, rest, query }) => {
    const name = tableName(rest[0]);
    const role = roleIn(query);
    if (rest[1] === undefined) return controls.account.list(name, Object.fromEntries(query), role);
    return controls.account.read(name, rest[1], role) ?? missing(name, rest[1]);
  },
  'POST records': ({ controls, rest, query, body }) => controls.account.create(tableName(rest[0]), body, writer(query)),
  'PUT records': ({ controls, rest, query, body }) =>
    controls.account.update(tableName(rest[0]), rest[1] ?? '', body, writer(query)),
  'DELETE records': ({ controls, rest, query }) => {
    controls.account.remove(tableName(rest[0]), rest[1] ?? '', writer(query));
    return {};
  },
  'POST pay': ({ controls, rest, query, body }) => {
    const amount = body.amount === undefined ? undefined : String(body.amount);
    return controls.account.pay(rest[0] ?? '', amount, writer(query));
  },
};

export function controlServer(controls: Controls): Server {
  return createServer((request, response) => {
    const reply = (status: number, value: unknown) => {
      response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
        .end(`${JSON.stringify(value)}\n`);
    };
    handle(controls, request).then(
      (value) => reply(200, value),
      (error: unknown) => {
        const status =
          error instanceof RequestError
            ? error.status
            : error instanceof RangeError || error instanceof SyntaxError
              ? 400
              : 500;
        reply(status, { error: error instanceof Error ? error.message : String(error) });
      },
    );
  });
}

async function handle(controls: Controls, request: IncomingMessage): Promise<unknown> {
  const url = requestUrl(request);
  const [root, route = '', ...rest] = url.pathname.split('/').filter((segment) => segment !== '');
  const handler = root === '_sim' ? ROUTES[`${request.method} ${route}`] : undefined;
  if (handler === undefined) {
    throw new RequestError(
      404,
      0,
      `${request.method} ${url.pathname}: expected one of ${Object.keys(ROUTES).join(', ')} under /_sim/`,
    );
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  const text = Buffer.concat(chunks).toString('utf8');
  const body: unknown = text.trim() === '' ? {} : JSON.parse(text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new RangeError('expected a JSON object');
  return handler({ controls, rest, query: url.searchParams, body: body as Record<string, unknown> });
}

function clockOf({ account }: Controls) {
  const now = new Date(account.clock.now()).toISOString();
  return { now, speed: account.clock.speed, timeZone: account.timeZone, today: account.today() };
}

function lifeOf({ life }: Controls) {
  return { pace: life.pace ?? null, paused: life.paused };
}

function quotaOf({ allowance }: Controls) {
  const state = allowance.state();
  return {
    ...state,
    quota: Number.isFinite(state.quota) ? state.quota : null,
    perMinute: allowance.perMinute ?? null,
  };
}

function tableName(name: string | undefined): TableName {
  if (name === undefined || findResource(name) === undefined) throw new RangeError(`there is no resource '${name}'`);
  return resourceNamed(name as TableName).name;
}

function writer(query: URLSearchParams) {
  const by = query.get('by');
  return by === null ? {} : { by };
}

/** Takes `role` out of a query of filters. */
function roleIn(query: URLSearchParams): Role {
  const role = ROLES.find((candidate) => candidate === query.get('role'));
  query.delete('role');
  return role ?? 'Administrator';
}

function missing(name: string, id: string): never {
  throw new RequestError(404, 14, `there is no ${name} with id ${id}`);
}

function number(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new RangeError(`${name}: expected a number, got ${JSON.stringify(value)}`);
  }
  return value;
}
