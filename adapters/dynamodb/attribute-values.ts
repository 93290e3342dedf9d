/**
 * Converts JSON values to DynamoDB attributes and back, as texts, numbers, lists and maps that are readable in the AWS
 * console. Every JSON value round-trips unchanged.
 */

import type { AttributeValue } from '@aws-sdk/client-dynamodb';

export type Item = Readonly<Record<string, AttributeValue>>;

/** Marks a number out of DynamoDB's range, stored as text. No field has the name of a mark, because names are escaped. */
const NUMBER = '#number';

/** The range of DynamoDB numbers. Their 38 digits are enough for every double. */
const MIN_MAGNITUDE = 1e-130;
const MAX_MAGNITUDE = 9e125;

/** Marks a list or an object that is nested too deeply, or has a name that is too long, stored as JSON. */
const JSON_TEXT = '#json';

/** DynamoDB rejects an item with more lists and maps inside each other. */
const MAX_NESTED = 31;

/** DynamoDB rejects names of 64 KB and more. A character takes up to three bytes. */
const MAX_NAME_LENGTH = 20_000;

/** @param depth how many lists and maps it is in */
export function toAttribute(value: unknown, depth = 0): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value.toWellFormed() };
  if (typeof value === 'number') return numberAttribute(value);
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: value };
  if (typeof value === 'object' && (depth + 1 >= MAX_NESTED || hasLongName(value)))
    return { M: { [JSON_TEXT]: { S: JSON.stringify(value) } } };
  if (Array.isArray(value)) return { L: value.map((one: unknown) => toAttribute(one ?? null, depth + 1)) };
  if (typeof value === 'object') return { M: mapOf(value, depth + 1) };
  throw new TypeError(`expected a value of JSON, got ${typeof value}`);
}

const hasLongName = (value: object) => Object.keys(value).some((key) => key.length > MAX_NAME_LENGTH);

function numberAttribute(value: number): AttributeValue {
  if (!Number.isFinite(value)) throw new TypeError(`expected a value of JSON, got ${value}`);
  const size = Math.abs(value);
  if (size === 0 || (size >= MIN_MAGNITUDE && size <= MAX_MAGNITUDE)) return { N: String(value) };
  return { M: { [NUMBER]: { S: String(value) } } };
}

function mapOf(value: object, depth: number): Record<string, AttributeValue> {
  const entries = Object.entries(value).flatMap(([key, one]) =>
    one === undefined ? [] : [[escapeName(key), toAttribute(one, depth)] as const],
  );
  return Object.fromEntries(entries);
}

/** Prefixes a # to names that DynamoDB rejects (empty), that the SDK drops (`__proto__`), or that start with #. */
function escapeName(key: string): string {
  return key === '' || key === '__proto__' || key.startsWith('#') ? `#${key.toWellFormed()}` : key.toWellFormed();
}

/** Leaves out undefined values. */
export function toItem(value: object): Record<string, AttributeValue> {
  return mapOf(value, 0);
}

export function fromAttribute(attribute: AttributeValue | undefined): unknown {
  if (attribute === undefined) return undefined;
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.NULL !== undefined) return null;
  if (attribute.L !== undefined) return attribute.L.map(fromAttribute);
  if (attribute.M !== undefined) return fromMap(attribute.M);
  if (attribute.B !== undefined) return attribute.B;
  if (attribute.SS !== undefined) return attribute.SS;
  throw new TypeError(`expected an attribute we write, got ${Object.keys(attribute).join(', ')}`);
}

function fromMap(map: Readonly<Record<string, AttributeValue>>): unknown {
  const { [NUMBER]: number, [JSON_TEXT]: json } = map;
  if (number?.S !== undefined) return Number(number.S);
  if (json?.S !== undefined) return JSON.parse(json.S);
  return fromItem(map);
}

export function fromItem(item: Readonly<Record<string, AttributeValue>>): Record<string, unknown> {
  const entries = Object.entries(item).map(([key, one]) => {
    return [key.startsWith('#') ? key.slice(1) : key, fromAttribute(one)] as const;
  });
  return Object.fromEntries(entries);
}
