/**
 * Slack's Web API as a bot uses it: reads the arguments, checks token, scope and rate limit, and calls the method. As strict as
 * the real one. It knows the workspace, not the server.
 */

import type { IncomingMessage } from 'node:http';
import { APP_TOKEN } from './app.ts';
import { type Json, type JsonObject, parseObject } from './json.ts';
import type { ApiParts, MethodDefinition, MethodError, MethodResult } from './method.ts';
import { METHODS } from './methods.ts';

export interface SlackResponse {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Token of the bot. */
export const TOKEN = 'xoxb-standin';

export const json = (body: JsonObject, status = 200, headers: SlackResponse['headers'] = {}): SlackResponse => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
});

export interface ApiRequest {
  readonly method: string;
  readonly request: IncomingMessage;
  readonly query: URLSearchParams;
  readonly raw: string | undefined;
}

const WINDOW_MS = 60_000;

export class WebApi {
  readonly #parts: ApiParts;
  readonly #calls = new Map<string, number[]>();

  constructor(parts: ApiParts) {
    this.#parts = parts;
  }

  handle({ method, request, query, raw = '' }: ApiRequest): SlackResponse {
    const { scopes, app } = this.#parts;
    const definition = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
    if (definition === undefined) return toResponse({ ok: false, error: 'unknown_method' }, scopes);
    const type = String(request.headers['content-type'] ?? '');
    const args = readArguments(type, raw, query);
    const token = tokenIn(request, args);
    const refused =
      checkToken(token, definition) ??
      (app.isInstalled ? undefined : 'account_inactive') ??
      (args === undefined ? 'invalid_json' : undefined);
    if (refused !== undefined) return toResponse({ ok: false, error: refused }, scopes);
    const { scope } = definition;
    if (scope !== undefined && !scopes.includes(scope))
      return toResponse({ ok: false, error: 'missing_scope', needed: scope }, scopes);
    const seconds = this.#waitFor(method, definition);
    if (seconds > 0) return toResponse({ ok: false, error: 'ratelimited', retryAfter: seconds }, scopes);
    const isIgnored = definition.isFormOnly === true && type.startsWith('application/json');
    return toResponse(definition.call(isIgnored || args === undefined ? {} : args, this.#parts), scopes, scope);
  }

  /** Seconds until the method may be called again; 0 if it may now, which counts as a call. */
  #waitFor(method: string, { perMinute }: MethodDefinition): number {
    if (perMinute === undefined || !this.#parts.hasTiers) return 0;
    const now = this.#parts.workspace.now();
    const recent = (this.#calls.get(method) ?? []).filter((at) => now - at < WINDOW_MS);
    const isFull = recent.length >= perMinute;
    this.#calls.set(method, isFull ? recent : [...recent, now]);
    return isFull ? Math.max(1, Math.ceil(((recent[0] ?? now) + WINDOW_MS - now) / 1000)) : 0;
  }
}

function tokenIn(request: IncomingMessage, args: JsonObject | undefined): string | undefined {
  const bearer = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  return bearer ?? (typeof args?.token === 'string' ? args.token : undefined);
}

function checkToken(token: string | undefined, { isAppLevel = false }: MethodDefinition): string | undefined {
  if (token === undefined) return 'not_authed';
  if (token !== TOKEN && token !== APP_TOKEN) return 'invalid_auth';
  return (token === APP_TOKEN) === isAppLevel ? undefined : 'not_allowed_token_type';
}

/** Arguments from the query, a form or JSON. In forms, lists and objects are JSON. */
function readArguments(type: string, raw: string, query: URLSearchParams): JsonObject | undefined {
  if (type.startsWith('application/json')) return raw === '' ? {} : parseObject(raw);
  const form = new URLSearchParams(raw);
  return Object.fromEntries([...query, ...form].map(([name, value]) => [name, readValue(name, value)]));
}

const STRUCTURED = ['blocks', 'attachments', 'view', 'metadata'];

function readValue(name: string, value: string): Json {
  if (STRUCTURED.includes(name)) {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }
  return value === 'true' ? true : value === 'false' ? false : value;
}

function toResponse(result: MethodResult, scopes: readonly string[], accepted = ''): SlackResponse {
  const headers = { 'x-oauth-scopes': scopes.join(','), 'x-accepted-oauth-scopes': accepted };
  if (result.ok) return json(result, 200, headers);
  const { ok, error, message, retryAfter, needed } = result as MethodError;
  if (retryAfter !== undefined) return json({ ok, error }, 429, { ...headers, 'retry-after': String(retryAfter) });
  return json(
    {
      ok,
      error,
      ...(needed === undefined ? {} : { needed, provided: scopes.join(',') }),
      ...(message === undefined ? {} : { response_metadata: { messages: [`[ERROR] ${message}`] } }),
    },
    200,
    headers,
  );
}
