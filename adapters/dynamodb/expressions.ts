/** Writes DynamoDB's expressions for the few shapes we use. Every name and value is a placeholder: none is reserved. */

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { toAttribute } from './attribute-values.ts';

/** Attributes and the values they must have; undefined: there must be none. */
export type Condition = Readonly<Record<string, unknown>>;

export interface Update {
  /** Those that are undefined are taken away. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Texts to put into a set … */
  readonly add?: Readonly<Record<string, readonly string[]>>;
  /** … and to take out of one. */
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

function placeholders(): Placeholders {
  const names: Record<string, string> = {};
  const values: Record<string, AttributeValue> = {};
  return {
    name(name) {
      const known = Object.keys(names).find((one) => names[one] === name);
      const placeholder = known ?? `#n${Object.keys(names).length}`;
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

function conditionText(condition: Condition, places: Placeholders): string {
  return Object.entries(condition)
    .map(([name, value]) =>
      value === undefined
        ? `attribute_not_exists(${places.name(name)})`
        : `${places.name(name)} = ${places.value(toAttribute(value))}`,
    )
    .join(' AND ');
}

export function compileCondition(condition: Condition | undefined) {
  if (condition === undefined) return {};
  const places = placeholders();
  const ConditionExpression = conditionText(condition, places);
  return { ConditionExpression, ...places.all() };
}

export function compileUpdate({ set = {}, add = {}, take = {} }: Update, condition: Condition | undefined) {
  const places = placeholders();
  const isSet = ([, value]: readonly [string, unknown]) => value !== undefined;
  const sets = Object.entries(set).filter(isSet);
  const removes = Object.entries(set).filter((one) => !isSet(one));
  const clause = (word: string, parts: readonly string[]) =>
    parts.length === 0 ? [] : [`${word} ${parts.join(', ')}`];
  const setOf = ([name, texts]: readonly [string, readonly string[]]) =>
    `${places.name(name)} ${places.value({ SS: [...texts] })}`;
  const UpdateExpression = [
    ...clause(
      'SET',
      sets.map(([name, value]) => `${places.name(name)} = ${places.value(toAttribute(value))}`),
    ),
    ...clause(
      'REMOVE',
      removes.map(([name]) => places.name(name)),
    ),
    ...clause('ADD', Object.entries(add).map(setOf)),
    ...clause('DELETE', Object.entries(take).map(setOf)),
  ].join(' ');
  const ConditionExpression = condition === undefined ? undefined : conditionText(condition, places);
  return { UpdateExpression, ConditionExpression, ...places.all() };
}

export function compileQuery([name, value]: readonly [string, string], range: Range | undefined) {
  const places = placeholders();
  const partition = `${places.name(name)} = ${places.value({ S: value })}`;
  const parts = range === undefined ? [partition] : [partition, rangeText(range, places)];
  return { KeyConditionExpression: parts.join(' AND '), ...places.all() };
}

function rangeText(range: Range, places: Placeholders): string {
  const name = places.name(range.name);
  const text = (value: string) => places.value({ S: value });
  if ('prefix' in range) return `begins_with(${name}, ${text(range.prefix)})`;
  if ('from' in range) return `${name} BETWEEN ${text(range.from)} AND ${text(range.upTo)}`;
  return 'upTo' in range ? `${name} <= ${text(range.upTo)}` : `${name} > ${text(range.after)}`;
}
