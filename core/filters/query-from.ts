/**
 * Finds the query that a subscription could have been made with, so that people read and edit it as one line. A filter that
 * the query language cannot express has none: what is found is compiled again and compared.
 */

import { sourceName } from '../model/event.ts';
import { isJsonObject, isSameValue, type JsonObject } from '../model/json.ts';
import { compileGlob } from './match.ts';
import { printQuery, type Query, type QueryCondition, QueryError, type QueryTest, SIGNS } from './query.ts';
import { compileConditions, type QuerySubscription, subscriptionFromQuery } from './query-compile.ts';
import { fieldFor, keysOf, PREFERRED_WORDS, SOURCE_WORD } from './query-keys.ts';

/**
 * Undefined if no query says the same.
 * @param types all event types, including those that the config defines
 */
export function queryFromSubscription(subscription: QuerySubscription, types: readonly string[]): Query | undefined {
  const { events, where, digest, quiet } = subscription;
  const conditions = conditionsFromFilter({ events, where }, types);
  if (conditions === undefined) return undefined;
  const query: Query = { events, conditions, digest, quiet };
  try {
    const compiled = subscriptionFromQuery(printQuery(query), types);
    return isSameValue(compiled, { events, where, digest, quiet }) ? query : undefined;
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

/** The conditions that say what the filter says. Undefined if no conditions do. */
export function conditionsFromFilter(
  { events, where }: Pick<QuerySubscription, 'events' | 'where'>,
  types: readonly string[],
): readonly QueryCondition[] | undefined {
  if (where === undefined) return [];
  const globs = events.map(compileGlob);
  const matching = types.filter((type) => globs.some((matches) => matches(type)));
  const resources = [...new Set(matching.map((type) => type.slice(0, type.indexOf('.'))))];
  const conditions = readPattern(where, resources);
  if (conditions === undefined) return undefined;
  const compiled = compileConditions(events, conditions, types);
  return isSameValue(compiled.where, where) ? conditions : undefined;
}

/** The conditions of a pattern, or of all groups of an `$or`: each group has those that concern its resources. */
function readPattern(pattern: JsonObject, resources: readonly string[]): readonly QueryCondition[] | undefined {
  const groups = Array.isArray(pattern.$or) ? pattern.$or : [pattern];
  const ofSource = readSource(pattern.source);
  const textOf = (condition: QueryCondition) => printQuery({ events: [], conditions: [condition] });
  const byText = new Map(ofSource.map((condition) => [textOf(condition), condition]));
  for (const group of groups) {
    const conditions = isJsonObject(group) ? readGroup(group, resources) : undefined;
    if (conditions === undefined) return undefined;
    for (const condition of conditions) byText.set(textOf(condition), condition);
  }
  return [...byText.values()];
}

/** What is none is left out: the filter that is compiled again differs. */
function readSource(alternatives: unknown): readonly QueryCondition[] {
  const [first]: readonly unknown[] = Array.isArray(alternatives) ? alternatives : [];
  const excluded = operandOf(first, 'anything-but');
  const uris: readonly unknown[] = Array.isArray(excluded) ? excluded : Array.isArray(alternatives) ? alternatives : [];
  return uris.flatMap((uri): readonly QueryCondition[] => {
    if (typeof uri !== 'string') return [];
    const test = { kind: 'is', text: sourceName({ source: uri }) } as const;
    return [{ key: SOURCE_WORD, isExcluded: excluded !== undefined, test }];
  });
}

const EXCLUDED = 'data.record.';

function readGroup(group: JsonObject, resources: readonly string[]): readonly QueryCondition[] | undefined {
  const conditions: QueryCondition[] = [];
  const record = isJsonObject(group.data) ? group.data.record : undefined;
  const fields = isJsonObject(record) ? Object.entries(record) : [];
  const excluded = Object.entries(group).flatMap(([key, value]) =>
    key.startsWith(EXCLUDED) ? [[key.slice(EXCLUDED.length), value] as const] : [],
  );
  for (const [field, alternatives] of [...fields, ...excluded]) {
    const tests = Array.isArray(alternatives) ? readAlternatives(alternatives) : undefined;
    if (tests === undefined) return undefined;
    for (const { isExcluded, test } of tests) {
      const key = wordFor(field, resources, test.kind === 'compare');
      if (key === undefined) return undefined;
      conditions.push({ key, isExcluded, test });
    }
  }
  return conditions;
}

/** A word that means this field. */
function wordFor(field: string, resources: readonly string[], isCompared: boolean): string | undefined {
  const words = [...PREFERRED_WORDS, field, ...keysOf(resources)];
  return words.find((word) => resources.some((resource) => fieldFor(resource, word, isCompared)?.name === field));
}

interface FoundTest {
  readonly isExcluded: boolean;
  readonly test: QueryTest;
}

function readAlternatives(alternatives: readonly unknown[]): readonly FoundTest[] | undefined {
  const [first] = alternatives;
  const noneOf = operandOf(first, 'none-of');
  if (Array.isArray(noneOf)) return readTests(noneOf)?.map((test) => ({ isExcluded: true, test }));
  if (isOperator(first, 'anything-but') && operandOf(first, 'anything-but') === null) {
    return [{ isExcluded: true, test: { kind: 'none' } }];
  }
  return readTests(alternatives)?.map((test) => ({ isExcluded: false, test }));
}

function readTests(alternatives: readonly unknown[]): readonly QueryTest[] | undefined {
  const tests: QueryTest[] = [];
  for (const alternative of alternatives) {
    const parsed = readTest(alternative);
    if (parsed === undefined) return undefined;
    tests.push(...parsed);
  }
  return tests;
}

/** A range is two tests; `exists` belongs to the null beside it. */
function readTest(alternative: unknown): readonly QueryTest[] | undefined {
  if (alternative === null) return [{ kind: 'none' }];
  if (typeof alternative === 'boolean') return [{ kind: 'is', text: alternative ? 'yes' : 'no' }];
  if (typeof alternative === 'string' || typeof alternative === 'number')
    return [{ kind: 'is', text: `${alternative}` }];
  if (operandOf(alternative, 'exists') === false) return [];
  const text = operandOf(alternative, 'equals-ignore-case');
  if (typeof text === 'string') return [{ kind: 'is', text }];
  const wildcard = operandOf(alternative, 'wildcard');
  if (typeof wildcard === 'string') return [{ kind: 'like', pieces: piecesOf(wildcard) }];
  const bounds = operandOf(alternative, 'numeric') ?? operandOf(alternative, 'date');
  return Array.isArray(bounds) ? readBounds(bounds) : undefined;
}

function readBounds(bounds: readonly unknown[]): readonly QueryTest[] | undefined {
  const tests: QueryTest[] = [];
  for (let at = 0; at < bounds.length; at += 2) {
    const sign = SIGNS.find((one) => one === bounds[at]);
    const bound = bounds[at + 1];
    if (sign === undefined || (typeof bound !== 'number' && typeof bound !== 'string')) return undefined;
    tests.push({ kind: 'compare', sign, bound });
  }
  return tests;
}

/** The text between asterisks that are not escaped. */
function piecesOf(wildcard: string): readonly string[] {
  const pieces = [''];
  for (const [part] of wildcard.matchAll(/\\[\\*]|\*|[^\\*]+|\\/g)) {
    if (part === '*') pieces.push('');
    else pieces.push(`${pieces.pop() ?? ''}${part.length === 2 && part.startsWith('\\') ? part.slice(1) : part}`);
  }
  return pieces;
}

function isOperator(value: unknown, name: string): value is JsonObject {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}

function operandOf(value: unknown, name: string): unknown {
  return isOperator(value, name) ? value[name] : undefined;
}
