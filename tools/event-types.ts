/** Makes the TypeScript types of all events from their schemas, for receivers that have a compiler. */

import { eventTypes, eventTypesOf } from '../core/events/catalogue.ts';
import type { EventType, JsonSchema } from '../core/events/event-type.ts';
import { recordProperties } from '../core/events/schema.ts';
import { dataSchemaOf, isDescribed, OUR_RESOURCES, resourceOfType } from '../core/events/schema-name.ts';
import { resourceOf, resources } from '../core/resources/catalogue.ts';

const OPENING = `/**
 * The types of all events. Made from the catalogue by \`npm run generate\`.
 *
 * \`TidingsEvents\` is the union of all of them: a test of \`type\` tells which one it is.
 */

/** What JSON can hold. */
export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** CloudEvents 1.0. */
export interface Envelope<Type extends string, Payload> {
  readonly specversion: '1.0';
  /** The same however often it is sent: drop what you have seen. */
  readonly id: string;
  readonly type: Type;
  /** \`/sources/main\` */
  readonly source: string;
  /** \`task/412\` */
  readonly subject: string;
  /** When it was known. UTC, with milliseconds. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** The name of the schema of \`data\`. */
  readonly dataschema?: string;
  readonly data: Payload;
}

export interface Data<Fields> {
  /** Grows with each state of the record: drop what is older than what you hold. */
  readonly version: number;
  readonly record: Fields;
  /** The old values of what changed; empty for a new record. */
  readonly previous: Partial<Fields>;
  readonly changes: readonly { readonly field: string; readonly from: Value; readonly to: Value }[];
  readonly details?: never;
  /** It happened after our last look (null: there was none) and before this one. */
  readonly occurred: { readonly after: string | null; readonly before: string };
  /** A look at the API, or a day that came. */
  readonly cause: 'poll' | 'tick';
}

export interface DetailedData<Fields, Details> extends Omit<Data<Fields>, 'details'> {
  readonly details: Details;
}
`;

const described = [...resources.map(({ name }) => name), ...OUR_RESOURCES].filter(isDescribed);
const others = resources.map(({ name }) => name).filter((name) => !isDescribed(name));
/** Any of them: they have the same events. */
const [anyOther = ''] = others;

export function eventTypings(): string {
  const shared = eventTypesOf(anyOther);
  const names = [
    ...eventTypes.filter(({ type }) => isDescribed(resourceOfType(type))).map(nameOf),
    ...shared.map(nameOf),
  ];
  return [
    OPENING,
    ...described.flatMap((resource) => [record(resource), ...eventTypesOf(resource).map(declare)]),
    '/** Resources of which the API shows no field. */',
    `export type OtherResource =\n${others.map((name) => `  | '${name}'`).join('\n')};\n`,
    'export interface OtherRecord {\n  readonly id: string;\n  readonly [field: string]: Value;\n}\n',
    ...shared.map(declareShared),
    `export type TidingsEvents =\n${names.map((name) => `  | ${name}`).join('\n')};\n`,
  ].join('\n');
}

/** `TaskOverdue` of `task.overdue`; `RecordCreated` of what all others share. */
function nameOf({ type }: EventType): string {
  const [, name = ''] = /([^/]+)\.json$/.exec(dataSchemaOf(type)) ?? [];
  return pascal(name);
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function record(resource: string): string {
  const guessed = resourceOf(resource)?.unknown === 'watch';
  const fields = Object.entries(recordProperties(resource)).map(
    ([field, schema]) => `${comment(schema, '  ')}  readonly ${field}?: ${typeOf(schema)};`,
  );
  return [
    '/** All but the id may be absent: a role may hide them. */',
    `export interface ${pascal(resource)}Record {`,
    '  readonly id: string;',
    ...fields,
    // The API describes all fields of the others: there, a name that is not known is a slip of the pen.
    ...(guessed
      ? [
          '  /** The API does not describe its fields; there may be more. */',
          '  readonly [field: string]: Value | undefined;',
        ]
      : []),
    '}',
    '',
  ].join('\n');
}

function comment({ description }: JsonSchema, indent: string): string {
  return typeof description === 'string' ? `${indent}/** ${description} */\n` : '';
}

function declare(eventType: EventType): string {
  const { type, meaning, details } = eventType;
  const about = `${pascal(resourceOfType(type))}Record`;
  const data = details === undefined ? `Data<${about}>` : `DetailedData<${about}, ${objectOf(details.properties)}>`;
  return `/** ${meaning} */\nexport interface ${nameOf(eventType)} extends Envelope<'${type}', ${data}> {}\n`;
}

function declareShared(eventType: EventType): string {
  const what = eventType.type.slice(anyOther.length);
  const meaning = eventType.meaning.replaceAll(` ${anyOther} `, ' record ');
  return `/** ${meaning} */\nexport interface ${nameOf(eventType)} extends Envelope<\`\${OtherResource}${what}\`, Data<OtherRecord>> {}\n`;
}

function objectOf(properties: Readonly<Record<string, JsonSchema>>): string {
  const members = Object.entries(properties).map(([name, schema]) => `readonly ${name}: ${typeOf(schema)}`);
  return `{ ${members.join('; ')} }`;
}

/** The part of JSON Schema that the catalogue uses; anything else is any value. */
function typeOf({ type, items, enum: values, additionalProperties }: JsonSchema): string {
  if (Array.isArray(values)) return values.map((value) => `'${String(value)}'`).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ type: each })).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return `readonly ${wrapped(typeOf((items ?? {}) as JsonSchema))}[]`;
    case 'object':
      return `{ readonly [key: string]: ${typeOf((additionalProperties ?? {}) as JsonSchema)} }`;
    default:
      return 'Value';
  }
}

function wrapped(type: string): string {
  return type.includes(' ') ? `(${type})` : type;
}
