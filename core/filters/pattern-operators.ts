/**
 * The operators of a pattern: their operands, the values they accept and their description.
 * An operator tests one scalar; fields, lists and absence are handled by the tree.
 */

import { type Day, isDay } from '../model/calendar.ts';
import { isJsonObject } from '../model/json.ts';
import { describeValue, joinLimited } from './describe-value.ts';
import { endsWithIgnoreCase, equalsIgnoreCase, startsWithIgnoreCase } from './ignore-case.ts';
import { suggestWord } from './nearest-word.ts';
import { compilePieces, wildcardPieces, wildcardProblem } from './wildcard.ts';

/** A value at the end of a path. */
export type Scalar = string | number | boolean | null;

export type PatternPath = readonly (string | number)[];

/** Records a problem during parsing. */
export type Refuse = (path: PatternPath, message: string) => undefined;

/** An alternative of a field that is an operator. */
export interface Test {
  /** `text beginning with 'eu-'`. */
  readonly description: string;
  readonly accepts: (value: Scalar) => boolean;
  /** The only type that it accepts. @default - several */
  readonly needs?: 'string' | 'number';
  /** The values that it excludes. @default - none in particular */
  readonly excludes?: readonly Scalar[];
}

/** Parses the operand of an operator. Undefined when it is invalid. */
type Operator = (operand: unknown, path: PatternPath, refuse: Refuse) => Test | undefined;

type TextTest = (text: string) => boolean;

export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** YAML has infinity and NaN; JSON and events do not. */
export function isNoNumber(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

const beginsWith =
  (start: string): TextTest =>
  (text) =>
    text.startsWith(start);
const endsWith =
  (end: string): TextTest =>
  (text) =>
    text.endsWith(end);

const isLike = (wildcard: string) => compilePieces(wildcardPieces(wildcard));

function onText(description: string, accepts: TextTest): Test {
  return { description, needs: 'string', accepts: (value) => typeof value === 'string' && accepts(value) };
}

/** `prefix` and `suffix`: text, optionally case-insensitive. */
function affix(says: string, make: (text: string) => TextTest, makeAnyCase: (text: string) => TextTest): Operator {
  return (operand, path, refuse) => {
    if (typeof operand === 'string') return onText(`text ${says} ${describeValue(operand)}`, make(operand));
    const keys = isJsonObject(operand) ? Object.keys(operand) : [];
    const text = isJsonObject(operand) ? operand['equals-ignore-case'] : undefined;
    if (keys.length === 1 && typeof text === 'string') {
      return onText(`text ${says} ${describeValue(text)} in any case`, makeAnyCase(text));
    }
    return refuse(path, `expected a text or { equals-ignore-case: text }, got ${describeValue(operand)}`);
  };
}

const ignoreCase: Operator = (operand, path, refuse) =>
  typeof operand === 'string'
    ? onText(`${describeValue(operand)} in any case`, equalsIgnoreCase(operand))
    : refuse(path, `expected a text, got ${describeValue(operand)}`);

const wildcard: Operator = (operand, path, refuse) => {
  if (typeof operand !== 'string') return refuse(path, `expected a text with *, got ${describeValue(operand)}`);
  const problem = wildcardProblem(operand);
  if (problem !== undefined) return refuse(path, `expected ${problem}, got ${describeValue(operand)}`);
  return onText(`text like ${describeValue(operand)}`, isLike(operand));
};

type Bound = number | Day;

const COMPARISONS: Readonly<Record<string, (value: Bound, bound: Bound) => boolean>> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

/** The values that an operator compares. */
interface Comparable {
  /** `a number` */
  readonly kind: string;
  readonly type: 'string' | 'number';
  /** Two operands, as an example. */
  readonly example: string;
  readonly isBound: (value: unknown) => value is Bound;
  /** Undefined for a value that cannot be compared. */
  readonly comparedValue: (value: Scalar) => Bound | undefined;
}

const NUMBERS: Comparable = {
  kind: 'a number',
  type: 'number',
  example: "['>=', 500] or ['>', 0, '<=', 5]",
  isBound: (value): value is number => typeof value === 'number' && Number.isFinite(value),
  comparedValue: (value) => (typeof value === 'number' ? value : undefined),
};

/** The day of a time is that of UTC, as the API writes it. */
const DATES: Comparable = {
  kind: 'a date',
  type: 'string',
  example: "['<', '2026-12-01'] or ['>=', '2026-12-01', '<', '2027-01-01']",
  isBound: (value): value is Day => typeof value === 'string' && isDay(value),
  comparedValue: (value) => {
    const day = typeof value === 'string' ? value.slice(0, 10) : null;
    return isDay(day) ? day : undefined;
  },
};

/** `numeric` and `date`: one or two bounds. */
function comparison({ kind, type, example, isBound, comparedValue }: Comparable): Operator {
  return (operand, path, refuse) => {
    if (!Array.isArray(operand) || ![2, 4].includes(operand.length)) {
      const expected = `expected a comparison and ${kind}, or two of them, such as ${example}`;
      return refuse(path, `${expected}, got ${describeValue(operand)}`);
    }
    const items: readonly unknown[] = operand;
    const bounds = [0, 2].filter((at) => at < items.length).map((at) => [items[at], items[at + 1]] as const);
    const good: (readonly [string, Bound])[] = [];
    for (const [index, [sign, bound]] of bounds.entries()) {
      const isSign = typeof sign === 'string' && Object.hasOwn(COMPARISONS, sign);
      if (!isSign) refuse([...path, index * 2], `expected one of =, <, <=, >, >=, got ${describeValue(sign)}`);
      if (!isBound(bound)) refuse([...path, index * 2 + 1], `expected ${kind}, got ${describeValue(bound)}`);
      else if (isSign) good.push([sign, bound]);
    }
    if (good.length < bounds.length) return undefined;
    const limits = good.map(([sign, bound]) => `${sign} ${bound}`).join(' and ');
    if (!isRange(good)) return refuse(path, `expected a range with a lower end and a higher one, got ${limits}`);
    const tests = good.map(([sign, bound]) => ({ compare: COMPARISONS[sign], bound }));
    return {
      description: `${kind} ${limits}`,
      needs: type,
      accepts: (scalar) => {
        const value = comparedValue(scalar);
        return value !== undefined && tests.every(({ compare, bound }) => compare?.(value, bound));
      },
    };
  };
}

/** Whether a lower and an upper bound form a non-empty range. Anything else is a mistake that matches nothing. */
function isRange(bounds: readonly (readonly [string, Bound])[]): boolean {
  if (bounds.length === 1) return true;
  const [low] = bounds.filter(([sign]) => sign.startsWith('>'));
  const [high] = bounds.filter(([sign]) => sign.startsWith('<'));
  if (low === undefined || high === undefined) return false;
  return low[1] < high[1] || (low[1] === high[1] && low[0] === '>=' && high[0] === '<=');
}

/** Operators that `anything-but` can negate; each takes a text or a list of texts. */
const REVERSIBLE: Readonly<Record<string, Operator>> = {
  prefix: affix('beginning with', beginsWith, startsWithIgnoreCase),
  suffix: affix('ending with', endsWith, endsWithIgnoreCase),
  'equals-ignore-case': ignoreCase,
  wildcard,
};

const anythingBut: Operator = (operand, path, refuse) => {
  if (isJsonObject(operand)) return anythingButLike(operand, path, refuse);
  const values: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const refused = new Set<Scalar>();
  for (const [index, value] of values.entries()) {
    if (isScalar(value) && !isNoNumber(value)) refused.add(value);
    else
      refuse(Array.isArray(operand) ? [...path, index] : path, `expected a plain value, got ${describeValue(value)}`);
  }
  if (values.length === 0) return refuse(path, 'expected at least one value, got an empty list');
  if (refused.size === 0) return undefined;
  return {
    description: `anything but ${joinLimited([...refused].map(describeValue), ', ')}`,
    accepts: (value) => !refused.has(value),
    excludes: [...refused],
  };
};

const anythingButLike = (operand: Readonly<Record<string, unknown>>, path: PatternPath, refuse: Refuse) => {
  const read = readOperator(operand, path, refuse, REVERSIBLE);
  if (read === undefined) return undefined;
  const { operator, name, value } = read;
  const at = [...path, name];
  const isList = Array.isArray(value);
  const operands: readonly unknown[] = isList ? value : [value];
  if (operands.length === 0) return refuse(at, 'expected at least one text, got an empty list');
  const tests = operands.map((operand, index) => {
    const operandPath = isList ? [...at, index] : at;
    // Every text begins and ends with the empty text, so the negation matches nothing.
    return operand === '' && name.endsWith('fix')
      ? refuse(operandPath, "expected a text of at least one character, got ''")
      : operator(operand, operandPath, refuse);
  });
  const good = tests.filter((test) => test !== undefined);
  if (good.length < tests.length) return undefined;
  return {
    description: `anything but ${joinLimited(
      good.map(({ description }) => description),
      ', ',
    )}`,
    accepts: (value: Scalar) => !good.some(({ accepts }) => accepts(value)),
  };
};

/** A field-level operator, which the tree reads. Here only so that its name is known. */
const noneOf: Operator = (operand, path, refuse) =>
  refuse(path, `expected none-of in the list of a field, got ${describeValue(operand)}`);

/** `exists: true`. `exists: false` concerns the whole field, so parseField handles it. */
const exists: Operator = (operand, path, refuse) =>
  typeof operand === 'boolean'
    ? { description: 'any value', accepts: () => true }
    : refuse(path, `expected true or false, got ${describeValue(operand)}`);

const cidr: Operator = (_, path, refuse) =>
  refuse(path, 'expected another operator, got cidr, which is left out: events carry no addresses of machines');

const OPERATORS: Readonly<Record<string, Operator>> = {
  ...REVERSIBLE,
  'anything-but': anythingBut,
  numeric: comparison(NUMBERS),
  date: comparison(DATES),
  exists,
  'none-of': noneOf,
  cidr,
};

/** Parses `{ prefix: 'eu-' }`, an alternative of a field. */
export function parseTest(alternative: Readonly<Record<string, unknown>>, path: PatternPath, refuse: Refuse) {
  const read = readOperator(alternative, path, refuse, OPERATORS);
  return read?.operator(read.value, [...path, read.name], refuse);
}

/** Whether this looks like an operator without the list around it: `total: { numeric: ['>', 5] }`. */
export function isBareOperator(field: string, asked: unknown): boolean {
  const operator = Object.hasOwn(OPERATORS, field) ? OPERATORS[field] : undefined;
  return operator?.(asked, [], () => undefined) !== undefined;
}

function readOperator(
  section: Readonly<Record<string, unknown>>,
  path: PatternPath,
  refuse: Refuse,
  operators: Readonly<Record<string, Operator>>,
): { operator: Operator; name: string; value: unknown } | undefined {
  const names = Object.keys(section);
  const [name] = names;
  const choice = Object.keys(operators).filter((name) => name !== 'cidr');
  if (name === undefined || names.length > 1) {
    return refuse(path, `expected one operator (${choice.join(', ')}), got ${describeValue(section)}`);
  }
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator !== undefined) return { operator, name, value: section[name] };
  return refuse(path, `unknown operator '${name}', ${suggestWord(name, choice)}`);
}
