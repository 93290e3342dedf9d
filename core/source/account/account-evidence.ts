/**
 * Finds out whether the records that the API shows are those that are stored for a source. Makes a few requests and stores
 * nothing. account.ts decides when they are needed.
 */

import { addDays, type Day, dayIn, isDay } from '../../model/calendar.ts';
import { isForbidden } from '../../model/error-codes.ts';
import { GiveUp } from '../../model/errors.ts';
import { isSameValue } from '../../model/json.ts';
import type { Fields } from '../../model/record.ts';
import type { Instant } from '../../model/time.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import type { ListFilters, SourceApi, WireRow } from '../../ports/source-api.ts';
import { resourceOf } from '../../resources/catalogue.ts';
import { cleanRow } from '../../resources/clean.ts';
import type { Resource } from '../../resources/resource.ts';
import { parseRows } from '../scan/list-rows.ts';

export interface EvidencePorts {
  readonly api: Pick<SourceApi, 'list' | 'traits'>;
  readonly snapshots: Pick<SnapshotStore, 'list' | 'getMany'>;
}

export interface AccountEvidence {
  /** Whether records are stored that could be compared. */
  readonly hasRecords: boolean;
  /** Records that the API shows as they are stored. */
  readonly confirmed: number;
  /** Records that the API shows with another content under the same id. */
  readonly contradicted: number;
}

/**
 * Fields that identify a record. Several for each resource, because people rename records and two accounts may use the
 * same names.
 */
const IDENTIFYING_FIELDS: Readonly<Record<string, readonly string[]>> = {
  person: ['firstname', 'lastname'],
  project: ['name', 'datestart', 'clientid'],
  task: ['title', 'datecreated', 'projectid'],
  invoice: ['title', 'date', 'projectid'],
};

/**
 * Those with fields that the account sets by itself. Anyone may give people and invoices of an account of their own any name and date. The
 * day of creation can be had by copying a task on that day; the second of the last change only by changing the copy in that second.
 */
const UNFORGEABLE = { resource: 'task', field: 'datecreated', second: 'datemodified' } as const;

/** Old tasks that must be the same for a typed token, the days of their creation, and the seconds of their last change. docs/slack.md names them. */
const MIN_OLD_TASKS = 5;
const MIN_DAYS = 3;
const MIN_SECONDS = 3;

/** Rows of each resource that are compared. The oldest: they change least. */
const SAMPLE_SIZE = 20;

/**
 * One request for each resource with stored records. Only what the API shows counts: records that it does not show may be
 * hidden from the token's person.
 */
export async function gatherEvidence(
  { api, snapshots }: EvidencePorts,
  source: string,
  signal?: AbortSignal,
): Promise<AccountEvidence> {
  let evidence: AccountEvidence = { hasRecords: false, confirmed: 0, contradicted: 0 };
  for (const name of Object.keys(IDENTIFYING_FIELDS)) {
    const resource = resourceOf(name);
    if (resource === undefined || !(await hasRecords(snapshots, source, name))) continue;
    const rows = await readSample(api, resource, signal);
    const records = rows.map((row) => cleanRow(resource, row));
    const stored = await snapshots.getMany(
      source,
      name,
      records.map(({ id }) => id),
    );
    const verdicts = records.map(({ id, fields }) => compareIdentity(name, stored.get(id)?.record, fields));
    evidence = {
      hasRecords: true,
      confirmed: evidence.confirmed + verdicts.filter((verdict) => verdict === 'same').length,
      contradicted: evidence.contradicted + verdicts.filter((verdict) => verdict === 'other').length,
    };
  }
  return evidence;
}

/**
 * Whether a token that somebody has typed is of the account whose records are stored: most of the oldest and the newest tasks that it shows,
 * and that are stored, must be the same. Undefined if too few of them are old and were last changed in the same second as those
 * that are stored, if too many were created on one day, or changed in one second: anyone who reads of a task can create the same one in
 * an account of their own, but not before its day, nor change it in a second that is over.
 */
export async function isOfStoredAccount(
  { api, snapshots }: EvidencePorts,
  source: string,
  now: Instant,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const { field, second } = UNFORGEABLE;
  const resource = resourceOf(UNFORGEABLE.resource);
  if (resource === undefined) return undefined;
  const oldest = await readSample(api, resource, signal);
  // In an account of many years the oldest may all have been closed in one go.
  const newest = await readSample(api, resource, signal, 'descending');
  const records = new Map([...oldest, ...newest].map((row) => cleanRow(resource, row)).map((one) => [one.id, one]));
  const stored = await snapshots.getMany(source, resource.name, [...records.keys()]);
  const storedFields = ({ id }: { readonly id: string }) => stored.get(id)?.record;
  const known = [...records.values()].filter((one) => storedFields(one)?.[field] !== undefined);
  const same = known.filter((one) => compareIdentity(resource.name, storedFields(one), one.fields) === 'same');
  if (known.length > 0 && same.length * 2 <= known.length) return false;
  const proofs = same
    .filter(({ fields }) => isDay(fields[field]) && isOld(fields[field], now))
    // One that was changed since the last poll proves nothing.
    .filter((one) => typeof one.fields[second] === 'string' && one.fields[second] === storedFields(one)?.[second]);
  const differing = (name: string) => new Set(proofs.map(({ fields }) => fields[name])).size;
  const isProven = proofs.length >= MIN_OLD_TASKS && differing(field) >= MIN_DAYS && differing(second) >= MIN_SECONDS;
  return isProven ? true : undefined;
}

/** Created before yesterday, whatever the time zone of the account. */
const isOld = (day: Day, now: Instant) => day < addDays(dayIn('UTC', now), -2);

/** Whether records are stored that can be compared with those of an account. */
export async function hasStoredRecords(snapshots: Pick<SnapshotStore, 'list'>, source: string): Promise<boolean> {
  for (const name of Object.keys(IDENTIFYING_FIELDS)) if (await hasRecords(snapshots, source, name)) return true;
  return false;
}

async function hasRecords(snapshots: Pick<SnapshotStore, 'list'>, source: string, resource: string): Promise<boolean> {
  for await (const { deletedAt } of snapshots.list(source, resource)) if (deletedAt === null) return true;
  return false;
}

async function readSample(
  api: EvidencePorts['api'],
  { name }: Resource,
  signal?: AbortSignal,
  order: 'ascending' | 'descending' = 'ascending',
): Promise<readonly WireRow[]> {
  try {
    const filters: ListFilters = api.traits.resources.get(name)?.sortsById === true ? { order } : {};
    const page = await api.list(name, { offset: 0, limit: SAMPLE_SIZE, filters }, signal);
    return parseRows(page.content().rows.filter(({ id }) => id !== '')).rows;
  } catch (error) {
    if (error instanceof GiveUp && isForbidden(error.code)) return [];
    throw error;
  }
}

/** `unsure` when the record is not stored, or when only some of the fields differ: it may have been edited. */
function compareIdentity(resource: string, stored: Fields | undefined, record: Fields): 'same' | 'other' | 'unsure' {
  if (stored === undefined) return 'unsure';
  const fields = (IDENTIFYING_FIELDS[resource] ?? []).filter(
    (field) => stored[field] !== undefined && record[field] !== undefined,
  );
  const differing = fields.filter((field) => !isSameValue(stored[field], record[field])).length;
  if (fields.length > 0 && differing === 0) return 'same';
  return fields.length > 1 && differing * 2 > fields.length ? 'other' : 'unsure';
}
