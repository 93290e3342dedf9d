import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../../core/events/catalogue.ts';
import { customEventType } from '../../../core/events/custom-events.ts';
import { deriveEvents } from '../../../core/events/derive.ts';
import { exampleEvent, exampleTransition } from '../../../core/events/examples.ts';
import { sampleOf } from '../../../core/events/sample-records.ts';
import { eventSchemas } from '../../../core/events/schema.ts';
import { dataSchemaOf, resourceOfType, schemaNameOf } from '../../../core/events/schema-name.ts';
import { addDays, startOfDay } from '../../../core/model/calendar.ts';
import type { Fields } from '../../../core/model/record.ts';
import type { Snapshot } from '../../../core/model/snapshot.ts';
import { resources } from '../../../core/resources/catalogue.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import type { FieldType } from '../../../core/resources/field.ts';
import type { Resource } from '../../../core/resources/resource.ts';
import { computeStage, defaultRules } from '../../../core/snapshot/stage.ts';
import { nextHealth } from '../../../core/source/health.ts';
import { eventsSchema } from '../../../tools/events-document.ts';
import { dataValidator, problemsOf, schemas, validators } from './event-schemas.ts';

const byName = eventTypes.map((eventType) => [eventType.type, eventType] as const);

describe('eventSchemas', () => {
  it('has one schema per event type of a described resource, and five for all others', () => {
    const shared = Object.keys(schemas).filter((name) => name.startsWith('record.'));
    expect(shared).toEqual([
      'record.created',
      'record.became_visible',
      'record.updated',
      'record.deleted',
      'record.restored',
    ]);
    expect(eventTypes.filter(({ type }) => !Object.hasOwn(schemas, schemaNameOf(type)))).toEqual([]);
    expect(JSON.stringify(shared.map((name) => schemas[name]?.description))).not.toContain('contacttype');
  });

  it.each(byName)('%s: its example is valid', (_, eventType) => {
    const event = exampleEvent(eventType);
    expect(event === undefined ? ['no event'] : problemsOf(event)).toEqual([]);
  });

  it.each(byName)('%s: accepts only events of its own type and resource', (_, eventType) => {
    const [event] = deriveEvents(exampleTransition(eventType)).filter(({ type }) => type === eventType.type);
    if (event === undefined) throw new Error('the example makes no event');
    const as = (change: object) => validators.get(schemaNameOf(eventType.type))?.({ ...event, ...change });
    expect(as({})).toBe(true);
    expect(as({ type: 'task.forgotten' })).toBe(false);
    expect(as({ subject: 'nothing/1' })).toBe(false);
    expect(as({ id: 'evt_1' })).toBe(false);
    expect(as({ time: '2026-11-14' })).toBe(false);
    expect(as({ data: { ...event.data, record: {} } })).toBe(false);
    const { details, ...bare } = event.data;
    expect(as({ data: bare })).toBe(details === undefined);
    // Receivers that validate must accept fields that are added later.
    expect(as({ replay: true, data: { ...event.data, more: 1 } })).toBe(true);
  });

  it('rejects a field with a type other than in its table', () => {
    const [closed] = byName.filter(([type]) => type === 'task.closed').map(([, eventType]) => exampleEvent(eventType));
    if (closed === undefined) throw new Error('the example makes no event');
    const having = (fields: Fields) => ({
      ...closed,
      data: { ...closed.data, record: { ...closed.data.record, ...fields } },
    });
    expect(problemsOf(having({ estimate: 'n/a' }))).toEqual(['task.closed /data/record/estimate must be number,null']);
    expect(problemsOf(having({ assigneeid: '5,9' }))).toEqual(['task.closed /data/record/assigneeid must be array']);
    expect(problemsOf(having({ estimate: null, anything: { else: [] } }))).toEqual([]);
  });

  it('has the schema of data under the name in the event', () => {
    const event = byName.map(([, eventType]) => exampleEvent(eventType)).find((found) => found?.type === 'task.moved');
    expect(event?.dataschema).toBe(dataSchemaOf('task.moved'));
    expect(dataValidator('task.moved')?.(event?.data)).toBe(true);
  });

  it('accepts the name of the schema in events recorded by earlier versions', () => {
    const event = byName.map(([, eventType]) => exampleEvent(eventType)).find((found) => found?.type === 'task.moved');
    const named = (dataschema: string) => validators.get('task.moved')?.({ ...event, dataschema });
    expect(named('tidings:/schemas/task.moved.json')).toBe(true);
    expect(named('tidings:/schemas/task.closed.json')).toBe(false);
  });

  it('has https URLs as names, and no references to other documents', () => {
    for (const [name, schema] of Object.entries(schemas)) {
      expect(schema.$id).toBe(`https://tidings.example/schema/events/${name}.json`);
      expect(valuesOf('$id', schema)).toEqual([schema.$id]);
      expect(valuesOf('$ref', schema).filter((ref) => !String(ref).startsWith('#/$defs/'))).toEqual([]);
    }
  });

  it('has a schema for a custom type, of any resource', () => {
    for (const type of ['task.in_review', 'payment.large']) {
      const when = { after: { id: [{ exists: true }] } };
      const custom = customEventType({ type, meaning: 'It is new.', when });
      const resource = resourceOfType(type);
      const before = { ...exampleTransition(custom).after, key: { source: 'main', resource, id: '7' } };
      const after = { ...before, record: { id: '7', name: 'A' }, version: 1 };
      const event = deriveEvents({ before: null, after }, [custom]).find((one) => one.type === type);
      const [schema = {}] = Object.values(eventSchemas([custom]));
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
      expect([validate(event), validate.errors]).toEqual([true, null]);
      expect(event?.dataschema).toBe(`${schema.$id}#/$defs/data`);
      expect(validate({ ...event, subject: 'invoice/7' })).toBe(false);
    }
  });
});

/** The values of a key at any depth. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, child]) => (name === key ? [child] : valuesOf(key, child)));
}

describe('eventsSchema', () => {
  const validate = new Ajv2020({ allowUnionTypes: true, strict: false, validateFormats: false }).compile(
    eventsSchema(),
  );

  it('accepts the example of every type as exactly one of them', () => {
    const events = eventTypes.flatMap((eventType) => exampleEvent(eventType) ?? []);
    expect(events.filter((event) => !validate(event)).map(({ type }) => type)).toEqual([]);
    expect(validate({ ...events[0], type: 'task.forgotten' })).toBe(false);
  });

  it('has one definition for the records of a resource', () => {
    const { $defs } = eventsSchema() as { readonly $defs: object };
    const tasks = Object.keys($defs).filter((name) => /^Task(Fields)?$/.test(name));
    expect(tasks).toEqual(['Task', 'TaskFields']);
    expect(JSON.stringify($defs).match(/"status_order"/g)).toHaveLength(1);
  });
});

/** Values that the API may send for each field type, including empty ones. */
const apiValues: Readonly<Record<FieldType, fc.Arbitrary<string>>> = {
  id: fc.integer({ min: 1, max: 4 }).map(String),
  ids: fc.subarray(['3', '5', '9']).map((ids) => ids.join(',')),
  names: fc.subarray(['Ann', 'Ben', 'Zoë']).map((names) => names.join(', ')),
  text: fc.oneof(fc.constantFrom('Open', 'Closed', 'paid', ''), fc.string({ maxLength: 8 })),
  html: fc.constantFrom('<p>a &amp; b</p>', 'a', ''),
  email: fc.constantFrom('mailto:a@example.com', ''),
  date: fc.oneof(
    fc.constant(''),
    fc.integer({ min: -40, max: 40 }).map((days) => addDays('2026-11-14', days)),
  ),
  datetime: fc.integer({ min: -40, max: 0 }).map((days) => `${addDays('2026-11-14', days)} 10:00:00`),
  number: fc.integer({ min: 0, max: 9 }).map(String),
  decimal: fc.oneof(
    fc.constant(''),
    fc.constant('0.00'),
    fc.integer({ min: 0, max: 99_999 }).map((n) => `${n / 100}`),
  ),
  boolean: fc.constantFrom('t', 'f'),
};

/** A record as a poll may find it: each field present, empty or hidden. */
function recordOf(resource: Resource): fc.Arbitrary<Fields> {
  const fields = Object.entries(resource.fields).filter(([field]) => field !== 'id');
  return fc
    .record(Object.fromEntries(fields.map(([field, { type }]) => [field, apiValues[type]])), { requiredKeys: [] })
    .map((row) => cleanRow(resource, { ...row, id: '7' }).fields);
}

describe('events of any history', () => {
  const observation = (resource: Resource) =>
    fc.record({
      record: fc.oneof(
        recordOf(resource),
        recordOf(resource).map((record) => ({ ...sampleOf(resource.name), ...record, id: '7' })),
      ),
      day: fc.integer({ min: 0, max: 60 }),
      gone: fc.boolean(),
      cause: fc.constantFrom('poll' as const, 'tick' as const),
    });

  it.each(resources.map((resource) => [resource.name, resource] as const))('%s: are valid', (_, resource) => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(observation(resource), { minLength: 1, maxLength: 6 }), (observations) => {
        let before: Snapshot | null = null;
        for (const [index, { record, day, gone, cause }] of observations.entries()) {
          const at = startOfDay('Europe/Berlin', addDays('2026-11-01', day));
          const after: Snapshot = {
            key: { source: 'main', resource: resource.name, id: '7' },
            version: index + 1,
            record: gone ? (before?.record ?? record) : { ...before?.record, ...record },
            ...computeStage(resource.name, record, { timeZone: 'Europe/Berlin', at, rules: defaultRules }),
            deletedAt: gone ? at : null,
            committedAt: at,
            cause,
            occurred: { after: before?.committedAt ?? null, before: at },
          };
          const events = deriveEvents({ before, after });
          expect(events.flatMap(problemsOf)).toEqual([]);
          for (const { type } of events) seen.add(type);
          before = after;
        }
      }),
      { numRuns: 60 },
    );
    expect(seen.size).toBeGreaterThan(2);
  });

  it('source: are valid for all kinds of errors', () => {
    const code = fc.constantFrom(
      'TIDINGS_SOURCE_UNAUTHORIZED',
      'TIDINGS_SOURCE_QUOTA_EXHAUSTED',
      'TIDINGS_SOURCE_UNREACHABLE',
    );
    const cycle = fc.record({
      goodScans: fc.integer({ min: 0, max: 1 }),
      failedScans: fc.integer({ min: 0, max: 2 }),
      error: fc.option(fc.record({ code, message: fc.string() })),
    });
    fc.assert(
      fc.property(fc.array(cycle, { minLength: 2, maxLength: 12 }), (cycles) => {
        const at = '2026-11-14T12:00:00.000Z';
        const zone = { timeZone: 'UTC', from: 'user', readAt: at } as const;
        let before: Snapshot | null = null;
        for (const [index, facts] of cycles.entries()) {
          const whole = { source: 'main', resources: [], quota: null, reserve: 0.2, stretch: 1, zone };
          const after: Snapshot = {
            key: { source: 'main', resource: 'source', id: 'main' },
            version: index + 1,
            record: nextHealth(before?.record, { ...whole, ...facts, rulesHash: '1', now: at }),
            stage: {},
            deletedAt: null,
            committedAt: at,
            cause: 'poll',
            occurred: { after: null, before: at },
            nextMoment: null,
          };
          expect(deriveEvents({ before, after }).flatMap(problemsOf)).toEqual([]);
          before = after;
        }
      }),
    );
  });
});
