/**
 * Sessions of the console: a cookie that scripts cannot read and other sites cannot send, whose hash is stored. Every change
 * must come from a form of the same session and the same site.
 */

import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import {
  type ConsolePass,
  csrfTokenOf,
  hashPassToken,
  isCsrfTokenOf,
  makePassToken,
  PASS_TOKEN_BYTES,
  SESSION_LIFETIME,
} from '../core/model/console-pass.ts';
import { plus, SECOND } from '../core/model/time.ts';
import { recordChange } from '../core/ports/audit-store.ts';
import type { ApiPorts } from '../manage/api/http/api-ports.ts';
import type { Caller } from '../manage/api/http/caller.ts';
import { Problem } from '../manage/api/http/problem.ts';

export interface Session {
  /** Who acts, for the management API and the audit trail. */
  readonly caller: Caller;
  /** Whether the person may change anything. */
  readonly isReadOnly: boolean;
  readonly expiresAt: string;
  /** The token that every form contains. */
  readonly csrf: string;
}

const SESSION_NAME_LENGTH = 16;

export type SessionPorts = Pick<ApiPorts, 'consolePasses' | 'audit' | 'clock' | 'randomBytes'>;

/** The name of the hidden field in every form. */
export const CSRF_FIELD = 'csrf';

/** Undefined if the link is unknown, used or expired. Does not use it up. */
export async function findLink(
  { consolePasses, clock }: Pick<SessionPorts, 'consolePasses' | 'clock'>,
  token: string,
): Promise<ConsolePass | undefined> {
  const link = await consolePasses.get(hashPassToken('link', token));
  return link !== undefined && link.expiresAt > clock.now() ? link : undefined;
}

/**
 * Uses up the link and opens a session with a new token: one that the browser had before is never adopted. Returns false if
 * the link is unknown, used or expired.
 */
export async function openSession(ports: SessionPorts, context: Context, linkToken: string): Promise<boolean> {
  const link = await findLink(ports, linkToken);
  if (link === undefined) return false;
  const now = ports.clock.now();
  const token = makePassToken(ports.randomBytes(PASS_TOKEN_BYTES));
  const { person, scope } = link;
  const hash = hashPassToken('session', token);
  // Before the link is used up: an operator who ends all links and sessions at this moment ends one of the two.
  await ports.consolePasses.save({
    hash,
    kind: 'session',
    person,
    scope,
    createdAt: now,
    expiresAt: plus(now, SESSION_LIFETIME),
  });
  if ((await ports.consolePasses.take(link.hash)) === undefined) {
    await ports.consolePasses.take(hash);
    return false;
  }
  await endSession(ports, context);
  await recordChange(ports, callerOf(link), { action: 'console.logged_in', target: 'console', details: { scope } });
  setCookie(context, cookieName(context), token, { ...cookieOptions(context), maxAge: SESSION_LIFETIME / SECOND });
  return true;
}

/** Undefined without a valid session. */
export async function readSession(
  { consolePasses, clock }: Pick<SessionPorts, 'consolePasses' | 'clock'>,
  context: Context,
): Promise<Session | undefined> {
  const token = getCookie(context, cookieName(context));
  if (token === undefined || token === '') return undefined;
  const find = async () => {
    const found = await consolePasses.get(hashPassToken('session', token));
    return found !== undefined && found.kind === 'session' && found.expiresAt > clock.now() ? found : undefined;
  };
  const pass = await find();
  if (pass === undefined) return undefined;
  const assertValid = async () => {
    if ((await find()) === undefined) throw forbidden('this session has ended: log in again');
  };
  return {
    caller: { ...callerOf(pass), session: pass.hash.slice(0, SESSION_NAME_LENGTH), assertValid },
    isReadOnly: pass.scope === 'read',
    expiresAt: pass.expiresAt,
    csrf: csrfTokenOf(token),
  };
}

export async function endSession(
  { consolePasses }: Pick<SessionPorts, 'consolePasses'>,
  context: Context,
): Promise<void> {
  const token = getCookie(context, cookieName(context));
  if (token === undefined) return;
  await consolePasses.take(hashPassToken('session', token));
  deleteCookie(context, cookieName(context), cookieOptions(context));
}

function callerOf({ person, scope }: ConsolePass): Caller {
  return { kind: 'console', id: person, scopes: [scope] };
}

/**
 * Throws 403 unless the request comes from a page of this site. Browsers send one of the two headers with every form. The site is the
 * host of the request or that of `manage.url`: behind CloudFront or a proxy the request has the host of the server.
 */
export function assertSameSite({ config }: Pick<ApiPorts, 'config'>, context: Context): void {
  const site = context.req.header('sec-fetch-site');
  const origin = context.req.header('origin');
  const isSameOrigin =
    origin === undefined ||
    URL.parse(origin)?.host === new URL(context.req.url).host ||
    origin === URL.parse(config.manage?.url ?? '')?.origin;
  if ((site === undefined || site === 'same-origin') && isSameOrigin) return;
  throw forbidden('this form was sent from another site');
}

/** Throws 403 unless the form belongs to this session and the session may change something. */
export function assertMayPost(
  ports: Pick<ApiPorts, 'config'>,
  context: Context,
  session: Session,
  form: ReadonlyMap<string, string>,
): void {
  assertSameSite(ports, context);
  const token = getCookie(context, cookieName(context)) ?? '';
  if (!isCsrfTokenOf(token, form.get(CSRF_FIELD) ?? '')) {
    throw forbidden('this form belongs to another session: go back, reload the page, and send it again');
  }
  if (session.isReadOnly) throw forbidden('this session is read-only: log in with a link from tidings console');
}

function forbidden(detail: string): Problem {
  return new Problem(403, 'TIDINGS_CONSOLE_FORBIDDEN', { detail });
}

/** A proxy or API Gateway may end TLS before the request comes here. */
function isHttps(context: Context): boolean {
  return new URL(context.req.url).protocol === 'https:' || context.req.header('x-forwarded-proto') === 'https';
}

/** Cookies are shared by all ports of a host, so the name contains the port: two servers on one machine do not end each other's sessions. */
function cookieName(context: Context): string {
  const { port } = new URL(context.req.url);
  return isHttps(context) ? '__Host-tidings-console' : `tidings-console${port === '' ? '' : `-${port}`}`;
}

function cookieOptions(context: Context) {
  return { httpOnly: true, sameSite: 'Strict', secure: isHttps(context), path: '/' } as const;
}
