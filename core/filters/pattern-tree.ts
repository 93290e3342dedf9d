/**
 * Parses a pattern into a tree of sections and fields, and collects all problems.
 * Knows the grammar only; operators and matching are in other files.
 */

import { isJsonObject } from '../model/json.ts';
import { describeValue, formatPath, joinLimited } from './describe-value.ts';
import { countAlternatives, expandAlternatives, MAX_ALTERNATIVES } from './pattern-alternatives.ts';
import type { Excluded, Field, Section } from './pattern-node.ts';
import {
  isBareOperator,
  isNoNumber,
  isScalar,
  type PatternPath,
  parseTest,
  type Refuse,
  type Test,
} from './pattern-operators.ts';

/** A whole pattern. */
export interface PatternTree extends Section {
  /** The pattern without `$or`: it matches when one of these does. */
  readonly alternatives: readonly Section[];
}

export interface PatternProblem {
  /** `data.record.total[0].numeric`; empty for the pattern as a whole. */
  readonly path: string;
  readonly message: string;
}

export interface ParsedPattern {
  readonly tree: PatternTree;
  readonly problems: readonly PatternProblem[];
}

/** Deep enough for any event; keeps a hostile pattern from exhausting the stack. */
const MAX_LEVELS = 50;
/** Far more than a filter needs. They bound the time that a pattern takes to read, and to match an event. */
const MAX_FIELDS = 500;
const MAX_VALUES = 5000;
const MAX_OPERATORS = 200;
/** Fields of all alternatives together: each alternative repeats the fields beside its `$or`. */
const MAX_EXPANDED_FIELDS = 50_000;
/** Further problems are left out. */
const MAX_PROBLEMS = 20;

const FIELDS = 'expected fields, each with a list of alternatives';

export function parsePattern(pattern: unknown): ParsedPattern {
  const problems: PatternProblem[] = [];
  const refuse: Refuse = (path, message) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ path: formatPath(path), message });
    return undefined;
  };
  const size = measurePattern(pattern);
  const excess = size && describeExcess(size);
  if (excess !== undefined) {
    refuse([], excess);
    return { tree: { kind: 'section', path: [], children: [], branches: [], alternatives: [] }, problems };
  }
  const tree = parseSection(pattern, [], [], refuse);
  const count = countAlternatives(tree);
  const isSmall = count * (size?.fields ?? 0) <= MAX_EXPANDED_FIELDS;
  if (count <= MAX_ALTERNATIVES && isSmall)
    return { tree: { ...tree, alternatives: expandAlternatives(tree) }, problems };
  const limit = isSmall ? '' : ` with ${MAX_EXPANDED_FIELDS} fields together`;
  refuse([], `expected at most ${MAX_ALTERNATIVES} combinations of $or branches${limit}, got ${count}`);
  return { tree: { ...tree, alternatives: [] }, problems };
}

interface PatternSize {
  readonly fields: number;
  readonly values: number;
  readonly operators: number;
}

/** Counts what it can read; undefined for a pattern that is nested too deeply, which is refused while it is parsed. */
function measurePattern(pattern: unknown): PatternSize | undefined {
  const size = { fields: 0, values: 0, operators: 0 };
  let isTooDeep = false;
  const visit = (value: unknown, levels: number, key = ''): void => {
    if (levels > 2 * MAX_LEVELS) isTooDeep = true;
    if (isTooDeep || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value) && key !== '$or') {
      size.values += value.length;
      size.operators += value.filter(isJsonObject).length;
    } else if (!Array.isArray(value)) size.fields += Object.keys(value).length;
    for (const [name, item] of Object.entries(value)) visit(item, levels + 1, name);
  };
  visit(pattern, 0);
  return isTooDeep ? undefined : size;
}

function describeExcess({ fields, values, operators }: PatternSize): string | undefined {
  // The fields of an operator, such as `prefix`, are counted as fields too.
  const named = fields - operators;
  if (named > MAX_FIELDS) return `expected at most ${MAX_FIELDS} fields, got ${named}`;
  if (operators > MAX_OPERATORS) return `expected at most ${MAX_OPERATORS} operators, got ${operators}`;
  return values > MAX_VALUES ? `expected at most ${MAX_VALUES} values, got ${values}` : undefined;
}

/** `at` is the path in the pattern, `path` the path in the event: they differ inside `$or`. */
function parseSection(pattern: unknown, at: PatternPath, path: readonly string[], refuse: Refuse): Section {
  const children: (readonly [string, Field | Section])[] = [];
  const branches: Section[] = [];
  if (!isJsonObject(pattern) || Object.keys(pattern).length === 0) {
    refuse(at, `${FIELDS}, got ${describeValue(pattern)}`);
  } else if (at.length > MAX_LEVELS) {
    refuse(at, `expected at most ${MAX_LEVELS} levels, got more`);
  } else {
    for (const [key, asked] of Object.entries(pattern)) {
      // `$and` would be treated as a field that no event has, so the filter would silently never match.
      if (key.startsWith('$') && key !== '$or')
        refuse([...at, key], `expected a field or $or, got ${describeValue(key)}`);
      else if (key === '$or') branches.push(...parseBranches(asked, [...at, key], path, refuse));
      else children.push(parseNamed(key, asked, [...at, key], path, refuse));
    }
  }
  return { kind: 'section', path, children, branches };
}

/** `data.record.total` names the same field as the sections `data` and `record` around `total`. */
function parseNamed(
  key: string,
  asked: unknown,
  at: PatternPath,
  path: readonly string[],
  refuse: Refuse,
): readonly [key: string, Field | Section] {
  const names = key.split('.', MAX_LEVELS + 1);
  if (names.length > MAX_LEVELS) {
    refuse(at, `expected at most ${MAX_LEVELS} levels, got more`);
    return [key, parseField([], path, [])];
  }
  const child = parseChild(key, asked, at, [...path, ...names], refuse);
  return names.reduceRight<readonly [string, Field | Section]>(
    ([name, inner], outer, index) => {
      if (index === names.length - 1) return [outer, inner];
      const inside: Section = {
        kind: 'section',
        path: [...path, ...names.slice(0, index + 1)],
        children: [[name, inner]],
        branches: [],
      };
      return [outer, inside];
    },
    ['', child],
  );
}

function parseChild(
  key: string,
  asked: unknown,
  at: PatternPath,
  path: readonly string[],
  refuse: Refuse,
): Field | Section {
  if (isBareOperator(key, asked)) {
    refuse(at, `expected a list of alternatives such as [{ ${key}: … }], got the operator without the list around it`);
    return parseField([], path, []);
  }
  if (isJsonObject(asked)) return parseSection(asked, at, path, refuse);
  if (!Array.isArray(asked) || asked.length === 0) {
    refuse(at, `expected a list of alternatives, got ${describeValue(asked)}`);
    return parseField([], path, []);
  }
  const alternatives: readonly unknown[] = asked;
  const excluded = alternatives.flatMap((alternative, index) =>
    isExclusion(alternative) ? [parseExclusion(alternative['none-of'], [...at, index, 'none-of'], path, refuse)] : [],
  );
  const others = alternatives.map((alternative) => (isExclusion(alternative) ? null : alternative));
  const read = others.map((alternative, index) => parseAlternative(alternative, [...at, index], refuse));
  return parseField(
    alternatives,
    path,
    read.filter((test) => test !== undefined),
    excluded,
  );
}

function isExclusion(alternative: unknown): alternative is { readonly 'none-of': unknown } {
  return isJsonObject(alternative) && 'none-of' in alternative && Object.keys(alternative).length === 1;
}

/** The alternatives in `none-of`. Absence needs no mention: a field without a value has none of them. */
function parseExclusion(asked: unknown, at: PatternPath, path: readonly string[], refuse: Refuse): Excluded {
  if (!Array.isArray(asked) || asked.length === 0) {
    refuse(at, `expected a list of alternatives, got ${describeValue(asked)}`);
    return parseField([], path, []);
  }
  const alternatives: readonly unknown[] = asked;
  const tests = alternatives.map((alternative, index) => parseAlternative(alternative, [...at, index], refuse));
  for (const [index, alternative] of alternatives.entries()) {
    if (isAbsence(alternative)) refuse([...at, index], 'expected another operator than exists: false in none-of');
  }
  return parseField(
    alternatives,
    path,
    tests.filter((test) => test !== undefined),
  );
}

/** The test of an operator; undefined for a scalar, which is looked up instead, and for an invalid alternative. */
function parseAlternative(alternative: unknown, at: PatternPath, refuse: Refuse): Test | undefined {
  if (isNoNumber(alternative)) return refuse(at, `expected a number, got ${describeValue(alternative)}`);
  if (isScalar(alternative)) return undefined;
  if (isJsonObject(alternative)) return isAbsence(alternative) ? undefined : parseTest(alternative, at, refuse);
  return refuse(at, `expected a plain value or an operator, got ${describeValue(alternative)}`);
}

function isAbsence(alternative: unknown): boolean {
  return isJsonObject(alternative) && alternative.exists === false && Object.keys(alternative).length === 1;
}

function parseField(
  alternatives: readonly unknown[],
  path: readonly string[],
  tests: readonly Test[],
  excluded: readonly Excluded[] = [],
): Field {
  const values = new Set(alternatives.filter(isScalar));
  const absent = alternatives.some(isAbsence);
  const descriptions = [
    ...[...values].map(describeValue),
    ...tests.map(({ description }) => description),
    ...(absent ? ['no value'] : []),
    ...excluded.map(({ description }) => `none of ${description}`),
  ];
  return { kind: 'field', path, values, tests, absent, excluded, description: joinLimited(descriptions, ' or ') };
}

function parseBranches(asked: unknown, at: PatternPath, path: readonly string[], refuse: Refuse): Section[] {
  if (!Array.isArray(asked) || asked.length < 2) {
    refuse(at, `expected a list of at least two patterns, got ${describeValue(asked)}`);
    return [];
  }
  const patterns: readonly unknown[] = asked;
  return patterns.map((pattern, index) => parseSection(pattern, [...at, index], path, refuse));
}
