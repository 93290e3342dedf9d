/**
 * What the conditions of a filter can be about: the fields of the records, with the account's own values where there are
 * few. A caller gets values only of records that it may see.
 */

import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';
import * as z from 'zod';
import { type FilterField, filterFieldsOf } from '../../core/filters/filter-fields.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { type Instant, MINUTE, plus } from '../../core/model/time.ts';
import { readNames, referenceOf } from '../../runtime/inspect/account-values.ts';
import { visibleTypes } from './event-types.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, seesRecords } from './http/caller.ts';
import { defineRoute, ok, type Route } from './http/route.ts';

export interface FieldWithValues extends FilterField {
  /** The values in the account, sorted; empty if they are not known, or are not a choice. */
  readonly values: readonly string[];
}

/** More values are no choice. */
const MAX_VALUES = 500;

/** More records are not read for the values of a field that no resource lists. */
const MAX_RECORDS = 2000;

/** Then other requests have their turn. */
const RECORDS_PER_TURN = 100;

/** How long the values that were read are used again. */
const KEPT = MINUTE;

/** The resources whose event types match, as far as the caller may see these types. */
export function resourcesMatching(api: Pick<ApiPorts, 'config'>, caller: Caller, globs: readonly string[]) {
  const matches = globs.map(compileGlob);
  const types = visibleTypes(api.config, caller).filter((type) => matches.some((wants) => wants(type)));
  return [...new Set(types.map((type) => type.slice(0, type.indexOf('.'))))];
}

/** @param events event types or patterns */
export async function listFilterFields(
  api: ApiPorts,
  caller: Caller,
  events: readonly string[],
): Promise<readonly FieldWithValues[]> {
  const fields = filterFieldsOf(resourcesMatching(api, caller, events));
  return Promise.all(fields.map(async (field) => ({ ...field, values: await valuesFor(api, caller, field) })));
}

/** The values of one field. */
export async function valuesFor(api: ApiPorts, caller: Caller, field: FilterField): Promise<readonly string[]> {
  if (field.kind === 'flag') return ['no', 'yes'];
  if (field.kind !== 'text') return [];
  const lists = await Promise.all(field.fields.map(({ resource, name }) => valuesOf(api, caller, resource, name)));
  const values = [...new Set(lists.flat())].toSorted((a, b) => a.localeCompare(b, 'en'));
  return values.length > MAX_VALUES ? [] : values;
}

/** Fields with few values that no other resource lists. */
const OWN_VALUES: readonly string[] = ['status', 'severity', 'milestone', 'label', 'projectlabel', 'group'];

async function valuesOf(api: ApiPorts, caller: Caller, resource: string, field: string): Promise<readonly string[]> {
  const isOwnName = (resource === 'project' || resource === 'client') && field === 'name';
  const listed = isOwnName ? resource : referenceOf(resource, field)?.resource;
  if (listed !== undefined && seesRecords(caller, listed)) {
    const { names } = await readValues(api, listed);
    if (names.size > 0) return [...names];
  }
  if (!seesRecords(caller, resource) || (listed === undefined && !OWN_VALUES.includes(field))) return [];
  return [...((await readValues(api, resource)).byField.get(field) ?? [])];
}

const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '');

/** Of one resource. A set with more than `MAX_VALUES` is not complete. */
interface ResourceValues {
  /** By which other records refer to these. */
  readonly names: ReadonlySet<string>;
  readonly byField: ReadonlyMap<string, ReadonlySet<string>>;
}

interface KeptValues {
  readonly values: Promise<ResourceValues>;
  readonly until: Instant;
}

/** Belongs to the ports: each form asks again while a person fills it in. */
const kept = new WeakMap<ApiPorts['snapshots'], Map<string, KeptValues>>();

function readValues(api: ApiPorts, resource: string): Promise<ResourceValues> {
  const now = api.clock.now();
  const own = kept.get(api.snapshots) ?? new Map<string, KeptValues>();
  kept.set(api.snapshots, own);
  const known = own.get(resource);
  if (known !== undefined && known.until > now) return known.values;
  const values = collect(api, resource);
  own.set(resource, { values, until: plus(now, KEPT) });
  // A store that fails once is asked again.
  values.catch(() => own.delete(resource));
  return values;
}

/** Reads the records once for all fields: they take megabytes. */
async function collect({ config, snapshots }: ApiPorts, resource: string): Promise<ResourceValues> {
  const fields = filterFieldsOf([resource]).flatMap((one) => one.fields.filter((own) => own.resource === resource));
  const byField = new Map(fields.map(({ name }) => [name, new Set<string>()]));
  const names = new Set<string>();
  const addAll = (set: Set<string>, values: readonly string[]) => {
    for (const value of values) if (set.size <= MAX_VALUES) set.add(value);
  };
  for (const { name: source } of config.sources) {
    let count = 0;
    for await (const { record, deletedAt } of snapshots.list(source, resource)) {
      if (deletedAt === null) {
        addAll(names, readNames(resource, record));
        for (const [field, values] of byField) addAll(values, textsOf(record[field]));
      }
      count += 1;
      if (count >= MAX_RECORDS) break;
      if (count % RECORDS_PER_TURN === 0) await nextEventLoopTurn();
    }
  }
  return { names, byField };
}

const EVENTS = "expected event types or patterns with commas between them, such as 'task.overdue,invoice.*'";
const EVENTS_PATTERN = /^[a-z*][a-z0-9_.*-]{0,99}(?:,[a-z*][a-z0-9_.*-]{0,99}){0,99}$/;

const filterFieldSchema = z
  .strictObject({
    key: z.string().describe('Its word in a query: project.'),
    label: z.string().describe('What people call it.'),
    kind: z.enum(['text', 'number', 'date', 'flag']),
    isComparable: z.boolean().describe('Whether a query may compare it: total>=500.'),
    isCommon: z.boolean().describe('Whether people use it often.'),
    fields: z.array(z.strictObject({ resource: z.string(), name: z.string() })).describe('The fields it stands for.'),
    values: z
      .array(z.string())
      .describe('The values in the account, as far as the key may see them; empty if they are not known.'),
  })
  .meta({ id: 'FilterField' });

export const filterFieldRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/filters/fields',
    operation: 'listFilterFields',
    summary: 'List the fields that a filter can be about, with the values in the account',
    tag: 'events',
    scopes: ['read', 'subscribe'],
    query: z.strictObject({
      events: z
        .string({ error: EVENTS })
        .regex(EVENTS_PATTERN, { error: EVENTS })
        .optional()
        .describe('Event types or patterns, with commas between them. Default: all that the key may see.'),
    }),
    responses: {
      200: { description: 'The fields.', schema: z.strictObject({ data: z.array(filterFieldSchema) }) },
    },
    run: async (api, { caller, query: { events = '*' } }) =>
      ok({ data: await listFilterFields(api, caller, events.split(',')) }),
  }),
];
