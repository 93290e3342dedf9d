/** Reads and validates the parts of a request: path, query and body. */

import type { Context } from 'hono';
import type * as z from 'zod';
import { type Instant, parseDuration, parseInstant, plus } from '../../../core/model/time.ts';
import { pathText } from '../../../runtime/config/problems.ts';
import { type FieldError, invalid, notFound, Problem, toPointer } from './problem.ts';
import type { Route, RouteResult } from './route.ts';

/** No valid request is nested this deeply, or has this many values and keys. */
const MAX_NESTING = 64;
const MAX_VALUES = 10_000;

/** A value that does not fit its schema names nothing that exists. */
export function readParams(context: Context, { path, params = {}, method }: Route): Readonly<Record<string, string>> {
  const values = context.req.param() as Readonly<Record<string, string>>;
  for (const [key, schema] of Object.entries(params)) {
    const parsed = schema.safeParse(values[key]);
    if (parsed.success) continue;
    const [issue] = parsed.error.issues;
    if (method === 'put') throw invalid([{ pointer: `/${key}`, detail: issue?.message ?? 'expected another value' }]);
    throw notFound(path.split('/')[1] ?? 'it');
  }
  return values;
}

/** Unknown parameters are refused: a misspelled filter would return everything. */
export function readQueryParameters(context: Context, { query }: Route): unknown {
  const given = Object.entries(context.req.queries());
  const repeated = given.filter(([, values]) => values.length > 1);
  if (repeated.length > 0) {
    throw badQuery(repeated.map(([key]) => ({ pointer: key, detail: 'expected this parameter once' })));
  }
  const values = Object.fromEntries(given.map(([key, [text = '']]) => [key, text]));
  if (query === undefined) {
    const unknown = Object.keys(values);
    if (unknown.length === 0) return {};
    throw badQuery(unknown.map((key) => ({ pointer: key, detail: 'expected no query parameters' })));
  }
  const parsed = query.safeParse(
    Object.fromEntries(Object.entries(values).map(([key, text]) => [key, NUMBERS.has(key) ? readNumber(text) : text])),
  );
  if (parsed.success) return parsed.data;
  throw badQuery(
    fieldErrors(parsed.error.issues).map(({ pointer, detail }) => ({ pointer: pointer.slice(1), detail })),
  );
}

/** The parameters that are numbers. */
const NUMBERS: ReadonlySet<string> = new Set(['limit', 'hours']);

const readNumber = (text: string) => (/^-?\d{1,9}$/.test(text) ? Number(text) : text);

function badQuery(errors: readonly FieldError[]): Problem {
  const [first] = errors;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  return new Problem(400, 'TIDINGS_API_QUERY', { detail: `${first?.pointer}: ${first?.detail}${more}`, errors });
}

/** The text is returned too: it identifies a repeated request. */
export async function readBody(
  context: Context,
  route: Route,
): Promise<{ readonly text: string; readonly body: unknown }> {
  const { body: schema, bodyIs } = route;
  if (schema === undefined) return { text: '', body: undefined };
  const text = await context.req.text();
  if (text === '' && bodyIs === 'may be missing') return { text, body: {} };
  const type = context.req.header('content-type') ?? '';
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Problem(415, 'TIDINGS_API_MEDIA_TYPE', {
      detail: `expected Content-Type: application/json, got ${type === '' ? 'none' : `'${type.slice(0, 80)}'`}`,
    });
  }
  const body = parseJson(text);
  if (bodyIs === 'checked by run') return { text, body };
  return { text, body: readValue(schema, body) };
}

/** The value as its schema reads it. Throws a problem with a pointer for each wrong field. */
export function readValue<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(fieldErrors(parsed.error.issues));
}

function parseJson(text: string): unknown {
  const fail = (detail: string) => new Problem(400, 'TIDINGS_API_JSON', { detail });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The message of the parser quotes the text, which may contain a secret.
    throw fail('expected a JSON body, got text that does not parse');
  }
  if (isDeeper(value, MAX_NESTING)) throw fail(`expected at most ${MAX_NESTING} levels of nesting`);
  const count = countValues(value);
  if (count > MAX_VALUES) throw fail(`expected at most ${MAX_VALUES} values, got ${count}`);
  // Libraries drop it, or take it for something else.
  if (hasPrototypeKey(value)) throw fail("expected no key '__proto__'");
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function hasPrototypeKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasPrototypeKey);
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + countValues(item), 1);
}

function fieldErrors(issues: readonly z.core.$ZodIssue[]): readonly FieldError[] {
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ pointer: toPointer(pathText([...issue.path, key])), detail: 'unknown key' }))
      : [{ pointer: toPointer(pathText(issue.path)), detail: describe(issue) }],
  );
}

/** Messages of our own schemas, and those of zod in the same words. */
function describe({ message: text, path }: z.core.$ZodIssue): string {
  const message = text.replace(/^Invalid (?:input|option): expected/, 'expected').replace(', received ', ', got ');
  return message.startsWith('expected') || path.length > 0 ? message : `expected an object: ${message}`;
}

/** The start of a period: a timestamp, or how long ago. Undefined for anything else, and for a start before the year 1. */
export function parsePeriodStart(text: string, now: Instant): Instant | undefined {
  const ago = parseDuration(text);
  if (ago === undefined) return parseInstant(text);
  return Number.isNaN(new Date(Date.parse(now) - ago).getTime()) ? undefined : plus(now, -ago);
}

/** Replaces the `next` of a page by a cursor as callers see it: opaque, and valid for the list that returned it. */
export function encodeCursor({ operation }: Pick<Route, 'operation'>, result: RouteResult): RouteResult {
  const { body } = result;
  if (typeof body !== 'object' || body === null || !('next' in body) || typeof body.next !== 'string') return result;
  const next = Buffer.from(`${operation} ${body.next}`).toString('base64url');
  return { ...result, body: { ...body, next } };
}

/** Replaces `after` of a query. Throws 400 for any text that is not a cursor of this list. */
export function decodeCursor({ operation }: Pick<Route, 'operation'>, query: unknown): unknown {
  if (typeof query !== 'object' || query === null || !('after' in query)) return query;
  const text = Buffer.from(String(query.after), 'base64url').toString();
  const cursor = text.slice(operation.length + 1);
  // Positions, names, and instants with the ids of batches.
  if (text.startsWith(`${operation} `) && /^<?[\w .,:#+-]+$/.test(cursor)) return { ...query, after: cursor };
  const detail = 'expected the next of an earlier page of this list';
  throw new Problem(400, 'TIDINGS_API_QUERY', { detail: `after: ${detail}`, errors: [{ pointer: 'after', detail }] });
}
