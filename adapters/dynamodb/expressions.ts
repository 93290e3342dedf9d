/** Builds DynamoDB expressions. All names and values are placeholders, so that reserved words are no problem. */

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { toAttribute } from './attribute-values.ts';

/** Attributes and their required values; undefined: the attribute must not exist; two numbers: it is between them, or equal to one. */
export type Condition = Readonly<Record<string, unknown>>;

export interface Update {
  /** Undefined values remove the attribute. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Texts to add to a string set. */
  readonly add?: Readonly<Record<string, readonly string[]>>;
  /** Numbers to add to numbers. */
  readonly increment?: Readonly<Record<string, number>>;
  /** Texts to remove from a string set. */
  readonly take?: Readonly<Record<string, readonly string[]>>;
}

export type Range =
  | { readonly name: string; readonly prefix: string }
  | { readonly name: string; readonly from: string; readonly upTo: string }
  | { readonly name: string; readonly upTo: string }
  | { readonly name: string; readonly after: string };

interface Placeholders {
  name(name: string): string;
  value(value: AttributeValue): string;
  all(): {
    ExpressionAttributeNames?: Record<string, string>;
    ExpressionAttributeValues?: Record<string, AttributeValue>;
  };
}

function createPlaceholders(): Placeholders {
  const names: Record<string, string> = {};
  const values: Record<string, AttributeValue> = {};
  return {
    name(name) {
      const existing = Object.keys(names).find((one) => names[one] === name);
      const placeholder = existing ?? `#n${Object.keys(names).length}`;
      names[placeholder] = name;
      return placeholder;
    },
    value(value) {
      const placeholder = `:v${Object.keys(values).length}`;
      values[placeholder] = value;
      return placeholder;
    },
    all: () => ({
      ...(Object.keys(names).length === 0 ? {} : { ExpressionAttributeNames: names }),
      ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
    }),
  };
}

function conditionText(condition: Condition, placeholders: Placeholders): string {
  return Object.entries(condition)
    .map(([name, value]) => {
      const attribute = placeholders.name(name);
      if (value === undefined) return `attribute_not_exists(${attribute})`;
      const values = [value].flat().map((one) => placeholders.value(toAttribute(one)));
      return values.length === 1 ? `${attribute} = ${values[0]}` : `${attribute} BETWEEN ${values.join(' AND ')}`;
    })
    .join(' AND ');
}

export function compileCondition(condition: Condition | undefined) {
  if (condition === undefined) return {};
  const placeholders = createPlaceholders();
  const ConditionExpression = conditionText(condition, placeholders);
  return { ConditionExpression, ...placeholders.all() };
}

export function compileUpdate({ set = {}, add = {}, increment = {}, take = {} }: Update, condition?: Condition) {
  const placeholders = createPlaceholders();
  const isSet = ([, value]: readonly [string, unknown]) => value !== undefined;
  const sets = Object.entries(set).filter(isSet);
  const removes = Object.entries(set).filter((one) => !isSet(one));
  const clause = (word: string, parts: readonly string[]) =>
    parts.length === 0 ? [] : [`${word} ${parts.join(', ')}`];
  const setOf = ([name, texts]: readonly [string, readonly string[]]) =>
    `${placeholders.name(name)} ${placeholders.value({ SS: [...texts] })}`;
  const UpdateExpression = [
    ...clause(
      'SET',
      sets.map(([name, value]) => `${placeholders.name(name)} = ${placeholders.value(toAttribute(value))}`),
    ),
    ...clause(
      'REMOVE',
      removes.map(([name]) => placeholders.name(name)),
    ),
    ...clause('ADD', [
      ...Object.entries(add).map(setOf),
      ...Object.entries(increment).map(
        ([name, by]) => `${placeholders.name(name)} ${placeholders.value(toAttribute(by))}`,
      ),
    ]),
    ...clause('DELETE', Object.entries(take).map(setOf)),
  ].join(' ');
  const ConditionExpression = condition === undefined ? undefined : conditionText(condition, placeholders);
  return { UpdateExpression, ConditionExpression, ...placeholders.all() };
}

export function compileQuery([name, value]: readonly [string, string], range: Range | undefined) {
  const placeholders = createPlaceholders();
  const partition = `${placeholders.name(name)} = ${placeholders.value({ S: value })}`;
  const parts = range === undefined ? [partition] : [partition, rangeText(range, placeholders)];
  return { KeyConditionExpression: parts.join(' AND '), ...placeholders.all() };
}

function rangeText(range: Range, placeholders: Placeholders): string {
  const name = placeholders.name(range.name);
  const text = (value: string) => placeholders.value({ S: boundOf(value) });
  if ('prefix' in range) return `begins_with(${name}, ${text(range.prefix)})`;
  if ('from' in range) return `${name} BETWEEN ${text(range.from)} AND ${text(range.upTo)}`;
  return 'upTo' in range ? `${name} <= ${text(range.upTo)}` : `${name} > ${text(range.after)}`;
}

/** Of DynamoDB, which rejects a request with a longer one. */
const MAX_SORT_KEY_BYTES = 1024;
const MAX_BYTES_PER_UNIT = 3;

/** Callers choose cursors. No item has a longer sort key, so a bound that is too long may be any other one. */
function boundOf(value: string): string {
  const isLong = Buffer.byteLength(value) > MAX_SORT_KEY_BYTES;
  return isLong ? value.slice(0, MAX_SORT_KEY_BYTES / MAX_BYTES_PER_UNIT) : value;
}
