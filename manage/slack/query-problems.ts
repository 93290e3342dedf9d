/** What is wrong with a query that a person typed, and which event types they may choose from. */

import { eventTypeOf } from '../../core/events/catalogue.ts';
import { knownTypes } from '../../core/events/custom-events.ts';
import type { EventType } from '../../core/events/event-type.ts';
import { QueryError, type QueryProblem } from '../../core/filters/query.ts';
import { subscriptionFromQuery } from '../../core/filters/query-compile.ts';
import { isAdmin, isOffered } from './authority.ts';
import { code, isShownWhole } from './blocks.ts';
import { normalizeQuery } from './describe-subscription.ts';
import { compileChannelQuery } from './draft.ts';
import type { SlackPorts } from './slack-ports.ts';

/** The names of types that are not offered are for admins. Who knows one may ask for it. */
export function findQueryProblems(ports: SlackPorts, query: string, user: string): readonly QueryProblem[] {
  try {
    if (!isAdmin(ports, user)) {
      const suggested = offeredTypes(ports, user).map(({ type }) => type);
      subscriptionFromQuery(query, listNameable(ports, query, suggested), suggested);
    }
    compileChannelQuery(ports, query);
    // People decide about what they read.
    return isShownWhole(normalizeQuery(query)) ? [] : [{ word: '', at: 0, message: TOO_LONG }];
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return error.problems;
  }
}

/**
 * The types that a pattern may be about. A custom one that is not offered is none of them, unless the query has its whole name: patterns
 * would tell the name letter by letter.
 */
function listNameable({ config }: SlackPorts, query: string, offered: readonly string[]): readonly string[] {
  const words = query.toLowerCase().split(/[\s,]+/);
  return knownTypes(config)
    .map(({ type }) => type)
    .filter((type) => isDocumented(type) || offered.includes(type) || words.includes(type));
}

const TOO_LONG =
  'expected a shorter query: it has so many special characters that no message of Slack can show all of it';

/** More than anyone reads. */
const MAX_PROBLEMS = 20;

export function sayProblems(problems: readonly QueryProblem[]): string {
  const rows = problems.slice(0, MAX_PROBLEMS).map(({ message }) => `• ${code(message)}`);
  const left = problems.length - rows.length;
  return [...rows, ...(left > 0 ? [`and ${left} more`] : [])].join('\n');
}

/**
 * If none is offered, all types that a person may know of: each of them needs an admin. People who are no admins learn nothing of custom
 * types that are not offered.
 */
export function offeredTypes(ports: SlackPorts, user: string): readonly EventType[] {
  const types = knownTypes(ports.config);
  if (ports.config.slack.offer.length > 0) return types.filter(({ type }) => isOffered(ports, [type]));
  return isAdmin(ports, user) ? types : types.filter(({ type }) => isDocumented(type));
}

const isDocumented = (type: string) => eventTypeOf(type) !== undefined;
