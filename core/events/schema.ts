/** Makes the JSON Schema (2020-12) of every event type from the catalogue and the field tables. Validates nothing itself. */

import { resourceOf, resources } from '../resources/catalogue.ts';
import type { FieldSpec, FieldType } from '../resources/field.ts';
import { eventTypes } from './catalogue.ts';
import type { EventType, JsonSchema } from './event-type.ts';
import { dataSchemaOf, isDescribed, OUR_RESOURCES, resourceOfType, schemaNameOf } from './schema-name.ts';

/** Always UTC and always three digits of milliseconds. The pattern, because validators may ignore a format. */
const instant = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
} as const;

const maybeInstant = { anyOf: [instant, { type: 'null' }] } as const;
const texts = { type: 'array', items: { type: 'string' } } as const;
const counts = { type: 'object', additionalProperties: { type: ['integer', 'null'] } } as const;

/**
 * Null even where the API promises a value: one empty answer must not stop a scan. Formats are only named for dates,
 * which are carried as they came.
 */
const VALUES: Readonly<Record<FieldType, JsonSchema>> = {
  id: { type: ['string', 'null'] },
  ids: texts,
  names: texts,
  text: { type: ['string', 'null'] },
  html: { type: ['string', 'null'], contentMediaType: 'text/html' },
  email: { type: ['string', 'null'] },
  date: { type: ['string', 'null'], format: 'date' },
  datetime: { type: ['string', 'null'], format: 'date-time' },
  number: { type: ['number', 'null'] },
  decimal: { type: ['number', 'null'] },
  boolean: { type: ['boolean', 'null'] },
};

/** The record behind `source.*` events: ours, so that no table of the API describes it. */
const SOURCE_FIELDS: Readonly<Record<string, JsonSchema>> = {
  name: { type: 'string', description: 'Its name in the config.' },
  timeZone: { type: 'string', description: 'The zone in which its days begin.' },
  reckoning: { type: 'string', description: 'Names the zone and rules its days are reckoned by.' },
  state: { enum: ['ok', 'unreachable', 'unauthorized'] },
  reason: { type: ['string', 'null'], description: 'Why it is not ok.' },
  failedCycles: { type: 'integer', minimum: 0 },
  quota: { enum: ['ok', 'low', 'exhausted'] },
  baselined: { type: 'boolean' },
  counts: { ...counts, description: 'How many records there are of each resource.' },
  forbidden: { ...texts, description: 'Resources the token may not read.' },
  stale: { ...texts, description: 'Resources no scan of which has completed for a while.' },
  held: { ...counts, description: 'How many records of a resource are missing and not called deleted yet.' },
};

/** The record behind `subscription.*` events. */
const SUBSCRIPTION_FIELDS: Readonly<Record<string, JsonSchema>> = {
  name: { type: 'string', description: 'Its name in the config.' },
  state: { enum: ['ok', 'failing', 'disabled', 'paused'] },
  reason: { type: ['string', 'null'], description: 'What went wrong, in words.' },
  failingSince: { ...maybeInstant, description: 'The first of the failures since the last success.' },
  warnedAt: { ...maybeInstant, description: 'When it was told that it will be disabled.' },
  disabledAt: maybeInstant,
  probe: { type: ['string', 'null'], description: 'The delivery that is tried while it is disabled.' },
  gone: { type: 'boolean', description: 'Whether the receiver said that it wants nothing more.' },
  muted: { ...texts, description: 'Addresses that asked for nothing more.' },
};

const OUR_FIELDS: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  source: SOURCE_FIELDS,
  subscription: SUBSCRIPTION_FIELDS,
};

const RECORD_ID = { type: 'string', description: 'As the API numbers its records.' };

/** The fields of a record besides its id, which every record has. All of them may be absent. */
export function recordProperties(resource: string): Readonly<Record<string, JsonSchema>> {
  const ours = OUR_FIELDS[resource];
  if (ours !== undefined) return ours;
  const { fields = {}, unknown } = resourceOf(resource) ?? {};
  return Object.fromEntries(
    Object.entries<FieldSpec>(fields)
      .filter(([field]) => field !== 'id')
      .map(([field, { type, hiddenFor }]) => [
        field,
        { ...VALUES[type], ...(unknown === 'watch' ? guessed(type) : {}), ...hiding(hiddenFor) },
      ]),
  );
}

/** A table of guesses may be wrong, and what does not fit is carried as it came: nearly always as the text it was. */
function guessed(type: FieldType): JsonSchema {
  if (type === 'number' || type === 'decimal') return { type: ['number', 'string', 'null'] };
  return type === 'boolean' ? { type: ['boolean', 'string', 'null'] } : {};
}

function hiding(roles: FieldSpec['hiddenFor']): JsonSchema {
  return roles === undefined ? {} : { description: `Absent when the token's role is ${roles.join(' or ')}.` };
}

/** All schemas by name (see schemaNameOf), in the order of the catalogue. Types that share one differ in `type` alone. */
export function eventSchemas(types: readonly EventType[] = eventTypes): Readonly<Record<string, JsonSchema>> {
  const byName = Map.groupBy(types, ({ type }) => schemaNameOf(type));
  return Object.fromEntries([...byName].map(([name, [first, ...others]]) => [name, schemaOf(name, first, others)]));
}

function schemaOf(name: string, first: EventType | undefined, others: readonly EventType[]): JsonSchema {
  if (first === undefined) return {};
  const { type, meaning, when, details } = first;
  const resource = resourceOfType(type);
  const shared = !isDescribed(resource);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `tidings:/events/${name}.json`,
    title: name,
    // What is said of the first of them is said of all, but for the name of the resource.
    description: shared ? `${meaning} ${when}`.replaceAll(` ${resource} `, ' record ') : `${meaning} ${when}`,
    type: 'object',
    required: ['specversion', 'id', 'type', 'source', 'subject', 'time', 'datacontenttype', 'data'],
    properties: {
      specversion: { const: '1.0' },
      id: { type: 'string', pattern: '^evt_[0-9a-f]{32}$' },
      type: shared ? { enum: [first, ...others].map((each) => each.type) } : { const: type },
      source: { type: 'string', pattern: '^(/sources/.+|/tidings)$' },
      subject: { type: 'string', pattern: subjectPattern(resource) },
      time: instant,
      datacontenttype: { const: 'application/json' },
      dataschema: { const: dataSchemaOf(type) },
      test: { const: true, description: 'Made up to see whether it arrives.' },
      replay: { const: true, description: 'Sent again because a person asked for it.' },
      data: dataSchema(type, resource, details?.properties),
    },
  };
}

function subjectPattern(resource: string): string {
  if (OUR_RESOURCES.includes(resource)) return `^${resource}/.+$`;
  const others = resources.filter(({ name }) => !isDescribed(name)).map(({ name }) => name);
  return `^${isDescribed(resource) ? resource : `(?:${others.join('|')})`}/[1-9]\\d{0,18}$`;
}

/** With an id of its own: it is what `dataschema` names. */
function dataSchema(type: string, resource: string, details: Readonly<Record<string, JsonSchema>> | undefined) {
  const properties = recordProperties(resource);
  const told = details === undefined ? {} : { details: detailsSchema(details) };
  return {
    $id: dataSchemaOf(type),
    type: 'object',
    required: ['version', 'record', 'previous', 'changes', ...Object.keys(told), 'occurred', 'cause'],
    properties: {
      version: { type: 'integer', minimum: 1, description: 'Grows with each state of the record.' },
      record: {
        type: 'object',
        description: 'The record now. A field that is absent is unknown, one that is null is empty.',
        required: ['id'],
        properties: { id: RECORD_ID, ...properties },
        additionalProperties: true,
      },
      previous: {
        type: 'object',
        description: 'The old values of what changed; empty for a new record.',
        properties,
        additionalProperties: true,
      },
      changes: {
        type: 'array',
        items: {
          type: 'object',
          required: ['field', 'from', 'to'],
          properties: { field: { type: 'string' }, from: {}, to: {} },
        },
      },
      ...told,
      occurred: {
        type: 'object',
        description: 'It happened after our last look (null: there was none) and before this one.',
        required: ['after', 'before'],
        properties: { after: maybeInstant, before: instant },
      },
      cause: {
        enum: ['poll', 'tick', 'delivery', 'person'],
        description: 'A look at the API, a day that came, an attempt at a delivery, or a person’s command.',
      },
      by: {
        type: 'object',
        description: 'Who did it, where a source asks for it and it can be told without doubt.',
        required: ['id', 'name'],
        properties: { id: { type: 'string' }, name: { type: ['string', 'null'] } },
      },
    },
  };
}

function detailsSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties };
}
