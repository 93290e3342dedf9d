/** Builds the JSON Schema (2020-12) of every event type from the catalogue and the field tables. Does not validate. */

import { resourceOf, resources } from '../resources/catalogue.ts';
import type { FieldSpec, FieldType } from '../resources/field.ts';
import { eventTypes } from './catalogue.ts';
import type { EventType, JsonSchema } from './event-type.ts';
import { nounFor } from './phrases.ts';
import {
  dataSchemaOf,
  definitionName,
  formerDataSchemaOf,
  isDescribed,
  OUR_RESOURCES,
  resourceOfType,
  schemaIdOf,
  schemaNameOf,
} from './schema-name.ts';

/** UTC with milliseconds. The pattern is needed because validators may ignore `format`. */
const instant = {
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
} as const;

const maybeInstant = { anyOf: [instant, { type: 'null' }] } as const;
const texts = { type: 'array', items: { type: 'string' } } as const;
const counts = { type: 'object', additionalProperties: { type: ['integer', 'null'] } } as const;

/** Null is allowed even where the API promises a value, because an empty value must not stop a scan. */
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

/** The record of `source.*` events. It belongs to Tidings, so no field table describes it. */
const SOURCE_FIELDS: Readonly<Record<string, JsonSchema>> = {
  name: { type: 'string', description: 'The name in the config.' },
  timeZone: {
    type: ['string', 'null'],
    description: 'The time zone that defines "today" for this source; null while it is unknown.',
  },
  timeZoneFrom: { enum: ['config', 'user', null], description: "Where it comes from: the config or the token's user." },
  timeZoneReadAt: { ...maybeInstant, description: 'When the API was last asked for the zone.' },
  reckoning: { type: 'string', description: 'Hash of the time zone and rules that stages are computed with.' },
  state: { enum: ['ok', 'unreachable', 'unauthorized', 'other_account'] },
  reason: { type: ['string', 'null'], description: 'Why the state is not ok.' },
  failedCycles: { type: 'integer', minimum: 0 },
  quota: { enum: ['ok', 'low', 'exhausted'] },
  quotaResetsAt: {
    ...instant,
    description: 'When polling resumes. Absent unless the quota is exhausted and the API says when.',
  },
  baselined: { type: 'boolean' },
  counts: { ...counts, description: 'Number of records per resource.' },
  forbidden: { ...texts, description: 'Resources that the token may not read.' },
  stale: { ...texts, description: 'Resources without a completed scan or sweep for too long.' },
  incomplete: { ...texts, description: 'Resources of which the API lists fewer records than it counts.' },
  held: { ...counts, description: 'Number of missing records per resource whose deletion is held back.' },
  person: { type: 'string', description: 'The id of the person whom the token belongs to. Absent while not known.' },
  role: { type: 'string', description: 'The role of the token. Absent while not known.' },
  undecided: {
    ...counts,
    description:
      'Number of missing records per resource that could be neither read nor confirmed as deleted. Absent if there are none.',
  },
  unconfirmed: {
    ...counts,
    description: 'How many records of each resource are due and could not be read. Absent when there are none.',
  },
  zoneUnknown: {
    type: 'boolean',
    description: 'The API does not name the time zone, nor does the config. Absent when the zone is known.',
  },
  clockAhead: {
    type: 'integer',
    description: 'How many minutes our clock is ahead of the API’s; negative: behind. Absent while they agree.',
  },
};

const healthState = { enum: ['ok', 'failing', 'disabled', 'paused'] };
/** The record of `subscription.*` events. */
const SUBSCRIPTION_FIELDS: Readonly<Record<string, JsonSchema>> = {
  name: { type: 'string', description: 'The name in the config.' },
  state: healthState,
  reason: { type: ['string', 'null'], description: 'The last error.' },
  failingSince: { ...maybeInstant, description: 'When the first failure since the last success happened.' },
  warnedAt: { ...maybeInstant, description: 'When the warning before disabling was sent.' },
  disabledAt: maybeInstant,
  probe: {
    type: ['string', 'null'],
    description: 'The delivery that is attempted while the subscription is disabled.',
  },
  gone: { type: 'boolean', description: 'Whether the receiver responded with 410 Gone.' },
  muted: { ...texts, description: 'Addresses that unsubscribed. Only in events of version 1.0.0.' },
  circuit: {
    type: 'object',
    description: 'The failures since the last success, and until when attempts are paused. Absent without failures.',
    properties: {
      failures: { type: 'integer' },
      failedAt: { ...instant, description: 'When the last failed attempt ended.' },
      pausedUntil: { ...maybeInstant, description: 'No attempt is made before this time.' },
      probe: { type: ['string', 'null'], description: 'The delivery that is attempted when the pause ends.' },
    },
  },
  catchUp: { ...instant, description: 'Since when deliveries that waited for the recovered receiver are rescheduled.' },
  slowTemplates: { type: 'integer', description: 'How often its template took too long. Absent if it did not.' },
  announced: {
    type: 'object',
    description: 'What was announced of its state within an hour, which limits how often it is announced again.',
    properties: { since: instant, state: healthState, failures: { type: 'integer' }, recoveries: { type: 'integer' } },
  },
  removedAt: { ...instant, description: 'When it was removed with unsent deliveries. Absent if it was not.' },
  dropped: { type: 'integer', description: 'How many deliveries were unsent then; 10,000 means 10,000 or more.' },
};

const OUR_FIELDS: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  source: SOURCE_FIELDS,
  subscription: SUBSCRIPTION_FIELDS,
};

const RECORD_ID = { type: 'string', description: 'The id of the record in the API.' };

/** The fields of a record except its id. All of them are optional. */
export function recordProperties(resource: string): Readonly<Record<string, JsonSchema>> {
  const ours = OUR_FIELDS[resource];
  if (ours !== undefined) return ours;
  const { fields = {}, unknown } = resourceOf(resource) ?? {};
  return Object.fromEntries(
    Object.entries<FieldSpec>(fields)
      .filter(([field]) => field !== 'id')
      .map(([field, { type, hiddenFor }]) => [
        field,
        { ...(unknown === 'watch' ? withText(type) : VALUES[type]), ...describeHidden(hiddenFor) },
      ]),
  );
}

/** The field types of an undocumented resource are guesses. A value that does not fit is kept as it is, mostly as a string. */
function withText(type: FieldType): JsonSchema {
  if (type !== 'number' && type !== 'decimal' && type !== 'boolean') return VALUES[type];
  // Not a list of three types, which validators reject in their strict modes.
  const own = type === 'boolean' ? 'boolean' : 'number';
  return { anyOf: [own, 'string', 'null'].map((one) => ({ type: one })) };
}

function describeHidden(roles: FieldSpec['hiddenFor']): JsonSchema {
  return roles === undefined ? {} : { description: `Absent when the token's role is ${roles.join(' or ')}.` };
}

/** All schemas by name (see schemaNameOf), in the order of the catalogue. Types that share a schema differ only in `type`. */
export function eventSchemas(types: readonly EventType[] = eventTypes): Readonly<Record<string, JsonSchema>> {
  // Not Map.groupBy: the build of an installation from git runs this, and Node 20 may run the build.
  const names = new Set(types.map(({ type }) => schemaNameOf(type)));
  return Object.fromEntries(
    [...names].map((name) => {
      const [first, ...others] = types.filter(({ type }) => schemaNameOf(type) === name);
      return [name, schemaOf(name, first, others)];
    }),
  );
}

function schemaOf(name: string, first: EventType | undefined, others: readonly EventType[]): JsonSchema {
  if (first === undefined) return {};
  const { type, meaning, when, details } = first;
  const resource = resourceOfType(type);
  const shared = name !== type;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaIdOf(type),
    title: name,
    // Types that share a schema have the same description except for the name of the resource.
    description: shared
      ? `${meaning} ${when}`.replaceAll(` ${nounFor(resource, 1)} `, ' record ')
      : `${meaning} ${when}`,
    type: 'object',
    required: ['specversion', 'id', 'type', 'source', 'subject', 'time', 'datacontenttype', 'data'],
    properties: {
      specversion: { const: '1.0' },
      id: { type: 'string', pattern: '^evt_[0-9a-f]{32}$' },
      type: shared ? { enum: [first, ...others].map((each) => each.type) } : { const: type },
      source: { type: 'string', pattern: '^(/sources/.+|/tidings)$' },
      subject: { type: 'string', pattern: subjectPattern(resource, shared) },
      time: instant,
      datacontenttype: { const: 'application/json' },
      dataschema: {
        enum: [dataSchemaOf(type), formerDataSchemaOf(type)],
        description: 'The name of the schema of data. The second form is in events recorded by earlier versions.',
      },
      test: { const: true, description: 'Set on test events, which do not describe a real change.' },
      replay: { const: true, description: 'Set when the event is sent again on request.' },
      data: { $ref: '#/$defs/data' },
    },
    $defs: {
      data: dataSchema(resource, details?.properties),
      ...recordSchemas(resource),
      ...SHARED,
    },
  };
}

/** The definitions that all events share. */
const SHARED: Readonly<Record<string, JsonSchema>> = {
  Change: {
    type: 'object',
    required: ['field', 'from', 'to'],
    properties: { field: { type: 'string' }, from: {}, to: {} },
  },
  Occurred: {
    type: 'object',
    description:
      'The change happened after the last scan that would have shown it (null if unknown) and before the response that showed it.',
    required: ['after', 'before'],
    properties: { after: maybeInstant, before: instant },
  },
  Author: {
    type: 'object',
    description:
      'The person who made the change. Present only if the source has attribution enabled and the author is certain.',
    required: ['id', 'name'],
    properties: { id: { type: 'string' }, name: { type: ['string', 'null'] } },
  },
};

/** The name of the definition of a record, shared by all events of the resource: `Task`. */
function recordDefinition(resource: string): string {
  return definitionName(isDescribed(resource) ? resource : 'other_record');
}

/** A record, and its fields, all optional: `previous` has those that changed. */
function recordSchemas(resource: string): Readonly<Record<string, JsonSchema>> {
  const name = recordDefinition(resource);
  return {
    [name]: {
      title: name,
      type: 'object',
      allOf: [{ $ref: `#/$defs/${name}Fields` }],
      required: ['id'],
      properties: { id: RECORD_ID },
    },
    [`${name}Fields`]: {
      title: `${name}Fields`,
      type: 'object',
      description: 'The fields of a record. An absent field is unknown; a null field is empty.',
      properties: recordProperties(resource),
      additionalProperties: true,
    },
  };
}

function subjectPattern(resource: string, shared: boolean): string {
  if (OUR_RESOURCES.includes(resource)) return `^${resource}/.+$`;
  const others = resources.filter(({ name }) => !isDescribed(name)).map(({ name }) => name);
  return `^${shared ? `(?:${others.join('|')})` : resource}/[1-9]\\d{0,18}$`;
}

/** The schema that `dataschema` in the event names. */
function dataSchema(resource: string, details: Readonly<Record<string, JsonSchema>> | undefined): JsonSchema {
  const record = `#/$defs/${recordDefinition(resource)}`;
  const own = details === undefined ? {} : { details: detailsSchema(details) };
  return {
    type: 'object',
    required: ['version', 'record', 'previous', 'changes', ...Object.keys(own), 'occurred', 'cause'],
    properties: {
      version: {
        type: 'integer',
        minimum: 1,
        description:
          'Increases with each change of the record. Ignore events with a lower version than the one you have.',
      },
      record: { $ref: record, description: 'The record after the change.' },
      previous: {
        $ref: `${record}Fields`,
        description: 'The values of changed fields before the change; empty for a new record.',
      },
      changes: { type: 'array', items: { $ref: '#/$defs/Change' } },
      ...own,
      occurred: { $ref: '#/$defs/Occurred' },
      cause: {
        enum: ['poll', 'tick', 'delivery', 'person'],
        description:
          'What led to the event: a poll of the API, the passing of time (tick), a delivery attempt, or the command of a person.',
      },
      by: { $ref: '#/$defs/Author' },
    },
  };
}

function detailsSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', required: Object.keys(properties), properties };
}
