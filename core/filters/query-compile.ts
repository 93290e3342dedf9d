/** Makes the parts of a subscription from a query: exactly what was typed, and every problem with a suggestion. */

import { isDay } from '../model/calendar.ts';
import { sourceUri } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import { compileGlob } from './match.ts';
import { nearestWord } from './nearest-word.ts';
import { printQuery, type QueryCondition, QueryError, type QueryProblem, type QueryTest } from './query.ts';
import { fieldFor, type KeyField, keysOf, SOURCE_WORD } from './query-keys.ts';
import { parseQueryWords } from './query-parse.ts';

export type QuerySubscription = Pick<Subscription, 'events' | 'where' | 'digest' | 'quiet'>;

/**
 * Throws `QueryError` with all problems.
 * @param types all event types, including those that the config defines
 * @param suggested those that a message may name. @default - all
 */
export function subscriptionFromQuery(
  text: string,
  types: readonly string[],
  suggested: readonly string[] = types,
): QuerySubscription {
  const { query, wordOf } = parseQueryWords(text, (word) => suggestFor(word, suggested));
  const problems: QueryProblem[] = [];
  const refuse: Refuse = (part, message) => {
    const { typed = '', at = 0 } = wordOf.get(part) ?? {};
    problems.push({ word: typed, at, message });
  };
  const events = query.events.filter((glob) => isKnown(glob, { types, suggested }, refuse));
  if (query.events.length === 0) {
    problems.push({ word: '', at: 0, message: 'expected at least one event type, such as task.overdue or invoice.*' });
  }
  const resources = resourcesOf(events, types);
  const where = events.length === 0 ? undefined : compileWhere(query.conditions, resources, refuse);
  if (problems.length > 0) throw new QueryError(problems);
  const { digest, quiet } = query;
  return { events, ...(where && { where }), ...(digest && { digest }), ...(quiet && { quiet }) };
}

/** A condition that cannot be, and why. */
export interface ConditionProblem {
  readonly condition: QueryCondition;
  readonly message: string;
}

/**
 * The filter on the content that the conditions stand for. Undefined without conditions, and with problems.
 * @param events event types and patterns; unknown ones have no fields
 */
export function compileConditions(
  events: readonly string[],
  conditions: readonly QueryCondition[],
  types: readonly string[],
): { readonly where?: Pattern; readonly problems: readonly ConditionProblem[] } {
  const problems: ConditionProblem[] = [];
  const refuse: Refuse = (condition, message) => {
    if (typeof condition !== 'string') problems.push({ condition, message });
  };
  const where = compileWhere(conditions, resourcesOf(events, types), refuse);
  return { ...(where && { where }), problems };
}

/** Reports a problem of a part of the query. */
type Refuse = (part: string | QueryCondition, message: string) => void;

interface KnownTypes {
  readonly types: readonly string[];
  readonly suggested: readonly string[];
}

function isKnown(glob: string, { types, suggested }: KnownTypes, refuse: Refuse): boolean {
  if (types.some(compileGlob(glob))) return true;
  const all = [...new Set(suggested.map((type) => `${type.slice(0, type.indexOf('.'))}.*`))];
  const nearest = nearestWord(glob, [...suggested, ...all]);
  const hint = nearest === undefined ? "'tidings types' lists all of them" : `did you mean ${nearest}?`;
  refuse(glob, `no event type is called ${glob}: ${hint}`);
  return false;
}

/** For a word that is neither an event type nor a condition: `overdue` is the end of two types. */
function suggestFor(word: string, types: readonly string[]): string | undefined {
  const ending = types.filter((type) => type.endsWith(`.${word.toLowerCase()}`));
  if (ending.length > 0 && ending.length <= MAX_SUGGESTIONS) return ending.join(' or ');
  return nearestWord(word.toLowerCase(), [...types, 'daily', 'weekdays', 'weekly', 'quiet']);
}

const MAX_SUGGESTIONS = 4;

/** The resources of the event types that the globs match. */
function resourcesOf(globs: readonly string[], types: readonly string[]): readonly string[] {
  const wants = globs.map(compileGlob);
  const matching = types.filter((type) => wants.some((matches) => matches(type)));
  return [...new Set(matching.map((type) => type.slice(0, type.indexOf('.'))))];
}

/** A condition, and the field it is about in one resource. */
interface FieldCondition {
  readonly condition: QueryCondition;
  readonly field: KeyField;
}

type Pattern = Readonly<Record<string, unknown>>;

/** A condition concerns the resources that have its field: `total>=500` says nothing about tasks. The source is that of all. */
function compileWhere(
  conditions: readonly QueryCondition[],
  resources: readonly string[],
  refuse: Refuse,
): Pattern | undefined {
  const ofSource = conditions.filter(isOfSource);
  const isEachValid = (condition: QueryCondition) =>
    isOfSource(condition) ? isValidSource(condition, ofSource, refuse) : isValid(condition, resources, refuse);
  const invalid = conditions.filter((condition) => !isEachValid(condition));
  if (invalid.length > 0 || conditions.length === 0) return undefined;
  const source = compileSource(ofSource);
  const patterns = resources.map((resource) => {
    const fieldConditions = conditions.flatMap((condition) => {
      const field = fieldFor(resource, condition.key, condition.test.kind === 'compare');
      return field === undefined ? [] : [{ condition, field }];
    });
    return { resource, pattern: compileRecord(fieldConditions) };
  });
  const byPattern = Map.groupBy(patterns, ({ pattern }) => JSON.stringify(pattern));
  const groups = [...byPattern.values()];
  const [only] = groups;
  if (groups.length === 1) return { ...source, ...only?.[0]?.pattern };
  return {
    ...source,
    $or: groups.map((group) => ({
      type: group.map(({ resource }) => ({ prefix: `${resource}.` })),
      ...group[0]?.pattern,
    })),
  };
}

const isOfSource = ({ key }: QueryCondition) => key === SOURCE_WORD;

/** As the config allows them. */
const SOURCE_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;

function isValidSource(condition: QueryCondition, all: readonly QueryCondition[], refuse: Refuse): boolean {
  const { test, isExcluded } = condition;
  const word = printQuery({ events: [], conditions: [condition] });
  if (test.kind !== 'is' || !SOURCE_NAME.test(test.text)) {
    refuse(condition, `${word}: expected ':' and the name of a source`);
    return false;
  }
  if (all.every((one) => one.isExcluded === isExcluded)) return true;
  refuse(condition, `${word}: expected either sources or excluded ones`);
  return false;
}

/** A part of the envelope. All are asked for, or all are excluded. */
function compileSource(conditions: readonly QueryCondition[]): Pattern {
  const uris = [...new Set(conditions.flatMap(({ test }) => (test.kind === 'is' ? [sourceUri(test.text)] : [])))];
  if (uris.length === 0) return {};
  return { source: conditions[0]?.isExcluded === true ? [{ 'anything-but': uris }] : uris };
}

function isValid(condition: QueryCondition, resources: readonly string[], refuse: Refuse): boolean {
  const { key, test } = condition;
  const word = printQuery({ events: [], conditions: [condition] });
  const fields = resources.flatMap((resource) => fieldFor(resource, key, test.kind === 'compare') ?? []);
  if (fields.length === 0) {
    const keys = keysOf(resources);
    const nearest = nearestWord(key, keys);
    const hint =
      nearest === undefined
        ? `expected one of ${COMMON.filter((one) => keys.includes(one)).join(', ')}`
        : `did you mean '${nearest}'?`;
    refuse(condition, `${resources.join(' and ')} events have no '${key}': ${hint}`);
    return false;
  }
  for (const field of fields) {
    const message = problemWith(field, test);
    if (message !== undefined) {
      refuse(condition, `${word}: ${message}`);
      return false;
    }
  }
  return true;
}

/** Words for the list in a message. */
const COMMON = ['project', 'client', 'status', 'assignee', 'priority', 'title', 'due', 'total', 'balance', 'label'];

function problemWith({ spec: { type } }: KeyField, test: QueryTest): string | undefined {
  const isNumber = type === 'number' || type === 'decimal';
  const isDate = type === 'date' || type === 'datetime';
  if (test.kind === 'compare') {
    if (typeof test.bound === 'number')
      return isNumber
        ? undefined
        : `expected ${isDate ? 'a date such as 2026-12-01' : "':' and a text"}, because the field is no number`;
    return isDate ? undefined : 'expected a number, because the field is no date';
  }
  if (test.kind === 'like')
    return isNumber || isDate || type === 'boolean'
      ? "expected a value without '*', because the field is no text"
      : undefined;
  if (test.kind === 'none') return undefined;
  if (isNumber && !isNumeric(test.text)) return `expected a number, got '${test.text}'`;
  if (isDate && !isDay(test.text)) return `expected a date such as 2026-12-01, got '${test.text}'`;
  if (type === 'boolean' && !Object.hasOwn(BOOLEANS, test.text.toLowerCase()))
    return `expected yes or no, got '${test.text}'`;
  return undefined;
}

const BOOLEANS: Readonly<Record<string, boolean>> = { yes: true, true: true, no: false, false: false };

function isNumeric(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}

/** The same word twice is one field with alternatives; different words are fields that must all match. */
function compileRecord(conditions: readonly FieldCondition[]): Pattern {
  const record: Record<string, unknown> = {};
  // A field that is asked for and excluded is named in two ways: then both must match.
  const excludedToo: Record<string, unknown> = {};
  for (const [name, group] of Map.groupBy(conditions, ({ field }) => field.name)) {
    const asked = group.filter(({ condition }) => !condition.isExcluded);
    const refused = group.filter(({ condition }) => condition.isExcluded && condition.test.kind !== 'none');
    const mustExist = asked.length === 0 && group.length > refused.length;
    const alternatives = mustExist ? [{ 'anything-but': null }] : joinBounds(asked.flatMap(alternativesOf));
    const noneOf = [{ 'none-of': refused.flatMap(alternativesOf) }];
    record[name] = alternatives.length > 0 ? alternatives : noneOf;
    if (alternatives.length > 0 && refused.length > 0) excludedToo[`data.record.${name}`] = noneOf;
  }
  if (conditions.length === 0) return {};
  return { data: { record }, ...excludedToo };
}

function alternativesOf({ condition, field }: FieldCondition): readonly unknown[] {
  const { test } = condition;
  const { type } = field.spec;
  switch (test.kind) {
    case 'none':
      // An empty text is null; an empty list has no value at all.
      return [null, { exists: false }];
    case 'like':
      return [{ wildcard: test.pieces.map((piece) => piece.replace(/[\\*]/g, '\\$&')).join('*') }];
    case 'compare':
      return [
        typeof test.bound === 'number' ? { numeric: [test.sign, test.bound] } : { date: [test.sign, test.bound] },
      ];
    case 'is':
      if (type === 'number' || type === 'decimal') return [Number(test.text)];
      if (type === 'date' || type === 'datetime') return [{ date: ['=', test.text] }];
      if (type === 'boolean') return [BOOLEANS[test.text.toLowerCase()]];
      return type === 'id' || type === 'ids' ? [test.text] : [{ 'equals-ignore-case': test.text }];
  }
}

/** Two bounds that form a range are one alternative: `total>=500 total<1000`. */
function joinBounds(alternatives: readonly unknown[]): readonly unknown[] {
  const [first, second, ...more] = alternatives;
  if (second === undefined || more.length > 0) return alternatives;
  for (const operator of ['numeric', 'date']) {
    const [one, other] = [first, second].map((each) => boundsIn(each, operator));
    if (one === undefined || other === undefined) continue;
    const [low, high] = String(one[0]).startsWith('>') ? [one, other] : [other, one];
    const isRange = String(low[0]).startsWith('>') && String(high[0]).startsWith('<') && isBelow(low[1], high[1]);
    if (isRange) return [{ [operator]: [...low, ...high] }];
  }
  return alternatives;
}

function boundsIn(alternative: unknown, operator: string): readonly unknown[] | undefined {
  const operand: unknown =
    typeof alternative === 'object' && alternative !== null ? Reflect.get(alternative, operator) : undefined;
  return Array.isArray(operand) ? operand : undefined;
}

function isBelow(low: unknown, high: unknown): boolean {
  return typeof low === 'number' && typeof high === 'number' ? low < high : String(low) < String(high);
}
