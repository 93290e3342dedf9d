/**
 * The fields of events and records with the kinds of values they may have, derived from the field tables and the catalogue.
 * Used to find names and values in a config that can never occur. Matches nothing itself.
 */

import type { Scalar } from '../filters/pattern-operators.ts';
import { memoize } from '../model/memoize.ts';
import { resourceOf, tabled } from '../resources/catalogue.ts';
import { computeStage, defaultRules } from '../snapshot/stage.ts';
import type { EventType, JsonSchema } from './event-type.ts';
import { recordProperties } from './schema.ts';
import { OUR_RESOURCES, resourceOfType } from './schema-name.ts';

/** Whether a field that is not listed may occur. `unlikely`: only one whose name is not similar to a listed field. */
type OtherFields = 'never' | 'unlikely' | 'possible';

export interface Shape {
  /** The fields of an object, or of the objects of a list. @default - a plain value */
  readonly fields?: Readonly<Record<string, Shape>>;
  /** @default never */
  readonly others?: OtherFields;
  /** The types of plain values. @default - any */
  readonly types?: readonly ScalarType[];
  /** A list of plain values: an empty one has no value, so null never occurs. @default false */
  readonly isList?: boolean;
  /** The only values. @default - any */
  readonly values?: readonly Scalar[];
  /** What texts look like. @default - any text */
  readonly pattern?: RegExp;
}

/** Fields that records have beside the documented ones, by resource. */
export type MoreFields = Readonly<Record<string, readonly string[]>>;

export type ScalarType = 'string' | 'number' | 'boolean' | 'null';

export const ANY: Shape = {};

const text: Shape = { types: ['string'] };
const instant: Shape = { types: ['string', 'null'] };

/** An event of this type. */
export function eventShape({ type, details }: Pick<EventType, 'type' | 'details'>, moreFields?: MoreFields): Shape {
  const resource = resourceOfType(type);
  const record = recordShape(resource, moreFields);
  return {
    fields: {
      specversion: { values: ['1.0'] },
      id: text,
      type: { values: [type] },
      source: { types: ['string'], pattern: /^(\/sources\/.+|\/tidings)$/ },
      subject: { types: ['string'], pattern: new RegExp(`^${resource}/.+$`) },
      time: instant,
      datacontenttype: { values: ['application/json'] },
      dataschema: text,
      test: { values: [true] },
      replay: { values: [true] },
      data: {
        fields: {
          version: { types: ['number'] },
          record,
          previous: previousShape(resource),
          changes: { fields: { field: changedField(resource), from: ANY, to: ANY } },
          details: details === undefined ? { fields: {} } : objectShape(details.properties),
          occurred: { fields: { after: instant, before: instant } },
          cause: { values: ['poll', 'tick', 'delivery', 'person'] },
          by: { fields: { id: text, name: { types: ['string', 'null'] } } },
        },
      },
    },
  };
}

/** What the patterns of a custom event type are matched with: the fields of the record, and its stage. */
export function customRecordShape(resource: string, moreFields?: MoreFields): Shape {
  const record = recordShape(resource, moreFields);
  const { stage } = computeStage(
    resource,
    {},
    { timeZone: 'UTC', at: '2026-01-01T00:00:00.000Z', rules: defaultRules },
  );
  const stageFields = Object.entries(stage).map(([fact, value]) => [fact, { types: [scalarTypeOf(value)] }] as const);
  return { ...record, fields: { ...record.fields, stage: { fields: Object.fromEntries(stageFields) } } };
}

/** The record of a resource. */
export function recordShape(resource: string, moreFields: MoreFields = {}): Shape {
  const more = (moreFields[resource] ?? []).map((field) => [field, ANY] as const);
  const { fields } = documentedShape(resource);
  return { fields: { id: text, ...Object.fromEntries(more), ...fields }, others: othersOf(resource) };
}

/** Many event types have the same record. */
const documentedShape = memoize((resource: string) => objectShape(recordProperties(resource)));

/** The API documents all fields of some resources, guesses exist for others, and of the rest nothing is known. */
function othersOf(resource: string): OtherFields {
  if (OUR_RESOURCES.includes(resource)) return 'never';
  if (!Object.hasOwn(tabled, resource)) return 'possible';
  return resourceOf(resource)?.unknown === 'watch' ? 'unlikely' : 'never';
}

/** `changes` and `previous` have watched fields only: names of other records are not among them. */
function watchedFields(resource: string): readonly string[] {
  const fields = Object.entries(resourceOf(resource)?.fields ?? {});
  return fields.filter(([, { role }]) => role === 'watched').map(([field]) => field);
}

const isDocumented = (resource: string) => othersOf(resource) === 'never' && !OUR_RESOURCES.includes(resource);

function changedField(resource: string): Shape {
  return isDocumented(resource) ? { values: watchedFields(resource) } : text;
}

function previousShape(resource: string): Shape {
  const { fields = {}, ...rest } = recordShape(resource);
  if (!isDocumented(resource)) return { fields, ...rest };
  const watched = watchedFields(resource);
  return { ...rest, fields: Object.fromEntries(Object.entries(fields).filter(([field]) => watched.includes(field))) };
}

function objectShape(properties: Readonly<Record<string, JsonSchema>>): Shape {
  return { fields: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, shapeOf(schema)])) };
}

/** The shape of a value with this JSON Schema; anything that is not understood may have any value. */
function shapeOf(schema: JsonSchema): Shape {
  const { type, items, properties, additionalProperties, anyOf, format, pattern } = schema;
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : undefined;
  if (values !== undefined) return { values };
  if (Array.isArray(anyOf)) return unite(anyOf.map(shapeOf));
  if (type === 'array') return isSchema(items) ? { ...shapeOf(items), isList: true } : ANY;
  if (type === 'object') {
    const others: OtherFields = additionalProperties === undefined ? 'never' : 'possible';
    return isSchema(properties)
      ? { ...objectShape(properties as Readonly<Record<string, JsonSchema>>), others }
      : { fields: {}, others };
  }
  const types = [type].flat().flatMap((name) => toScalarType(name));
  if (types.length === 0) return ANY;
  if (format === 'date') return { types, pattern: /^\d{4}-\d{2}-\d{2}$/ };
  return typeof pattern === 'string' ? { types, pattern: new RegExp(pattern) } : { types };
}

function unite(shapes: readonly Shape[]): Shape {
  const isPlain = shapes.every(({ types, fields }) => types !== undefined && fields === undefined);
  return isPlain ? { types: [...new Set(shapes.flatMap(({ types = [] }) => types))] } : ANY;
}

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'object' && value !== null;

function toScalarType(name: unknown): readonly ScalarType[] {
  if (name === 'integer') return ['number'];
  return name === 'string' || name === 'number' || name === 'boolean' || name === 'null' ? [name] : [];
}

export function scalarTypeOf(value: unknown): ScalarType {
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string')
    return typeof value as ScalarType;
  return 'null';
}
