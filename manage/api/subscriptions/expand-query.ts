/** Replaces the `query` of a request by the keys that it stands for. The language itself is part of core. */

import { QueryError } from '../../../core/filters/query.ts';
import { subscriptionFromQuery } from '../../../core/filters/query-compile.ts';
import type { FieldError } from '../http/problem.ts';

/** The keys that a query stands for: beside it they are refused. */
export const QUERY_KEYS = ['event', 'events', 'where', 'digest', 'quiet'] as const;

type Section = Readonly<Record<string, unknown>>;

/** @param types the event types that the caller may see, also as suggestions for a misspelled one */
export function expandQuery(body: Section, types: readonly string[], errors: FieldError[]): Section {
  const { query, ...rest } = body;
  if (query === undefined) return body;
  for (const key of QUERY_KEYS.filter((one) => rest[one] !== undefined)) {
    errors.push({ pointer: `/${key}`, detail: `expected either query or ${key}` });
  }
  return { ...withoutQueryKeys(rest), ...compile(query, types, errors) };
}

function withoutQueryKeys(section: Section): Section {
  return Object.fromEntries(Object.entries(section).filter(([key]) => !QUERY_KEYS.some((one) => one === key)));
}

/** After an error a valid placeholder, so that the rest of the request is checked too. */
const ANY = { events: ['*'] };

function compile(query: unknown, types: readonly string[], errors: FieldError[]): Section {
  if (typeof query !== 'string') {
    errors.push({ pointer: '/query', detail: "expected words such as 'task.overdue daily 08:30'" });
    return ANY;
  }
  try {
    return { ...subscriptionFromQuery(query, types) };
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    for (const { word, at, message } of error.problems) {
      errors.push({ pointer: '/query', detail: message, position: at, ...(word === '' ? {} : { word }) });
    }
    return ANY;
  }
}
