/**
 * Finds the names of the ids in changed fields, such as `Staged` for status 7: from the record that an id refers to, else from
 * the label that the API shows beside it. Reads stored records only.
 */

import { listOf } from '../../core/events/facts.ts';
import type { Fields } from '../../core/model/record.ts';
import type { Change } from '../../core/model/snapshot.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { fullName } from '../../core/resources/full-name.ts';
import { referenceOf } from './account-values.ts';

/** Names by field and id: `{ statusid: { 7: 'Staged' } }`. */
export type IdNames = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface NamedChanges {
  /** The record after the changes. */
  readonly record: Fields;
  readonly changes: readonly Change[];
}

export interface FindNamesOptions {
  readonly source: string;
  readonly resource: string;
  /** Whether the names of records of a resource may be shown. @default - all */
  readonly mayRead?: (resource: string) => boolean;
}

/** Records of the same kind that are read for a label, at most. */
const MAX_READ = 500;

export async function findNames(
  { snapshots }: { readonly snapshots: Pick<SnapshotStore, 'getMany' | 'list'> },
  versions: readonly NamedChanges[],
  { source, resource, mayRead = () => true }: FindNamesOptions,
): Promise<IdNames> {
  const names: Record<string, Record<string, string>> = {};
  const idsByField = Map.groupBy(
    versions.flatMap(({ changes }) => changes.flatMap(({ field, from, to }) => idsOf(resource, field, [from, to]))),
    ({ field }) => field,
  );
  for (const [field, found] of idsByField) {
    const ids = [...new Set(found.map(({ id }) => id))];
    const reference = referenceOf(resource, field)?.resource;
    const isReadable = reference !== undefined && mayRead(reference);
    const stored = isReadable ? await snapshots.getMany(source, reference, ids) : new Map<string, never>();
    const named = Object.fromEntries(
      [...stored].flatMap(([id, { record }]) => nameIn(reference ?? '', record).map((name) => [id, name] as const)),
    );
    for (const { record } of versions) addLabel(named, field, record);
    const missing = ids.filter((id) => named[id] === undefined);
    if (missing.length > 0 && labelField(field) !== undefined && mayRead(resource))
      await addLabelsOfOthers(snapshots, named, { source, resource, field, missing });
    if (Object.keys(named).length > 0) names[field] = pick(named, ids);
  }
  return names;
}

function idsOf(resource: string, field: string, values: readonly unknown[]) {
  if (!field.endsWith('id') || (referenceOf(resource, field) === undefined && labelField(field) === undefined))
    return [];
  return values.flatMap((value) =>
    typeof value === 'string' || typeof value === 'number'
      ? [{ field, id: String(value) }]
      : Array.isArray(value)
        ? listOf(value).map((id) => ({ field, id }))
        : [],
  );
}

/** `status` beside `statusid`. Lists of names have an order of their own: they do not say whose name is whose. */
const LISTS = ['assigneeid', 'ownerid', 'followerid', 'managerid'];
const labelField = (field: string) => (LISTS.includes(field) ? undefined : field.replace(/id$/, ''));

function addLabel(named: Record<string, string>, field: string, record: Fields): void {
  const [id, label] = [record[field], record[labelField(field) ?? '']];
  const isKnown = (typeof id === 'string' || typeof id === 'number') && typeof label === 'string' && label !== '';
  if (isKnown) named[String(id)] ??= label;
}

interface MissingLabels {
  readonly source: string;
  readonly resource: string;
  readonly field: string;
  readonly missing: readonly string[];
}

/** Another task has the same status, and shows its name. */
async function addLabelsOfOthers(
  snapshots: Pick<SnapshotStore, 'list'>,
  named: Record<string, string>,
  { source, resource, field, missing }: MissingLabels,
): Promise<void> {
  let read = 0;
  for await (const { record } of snapshots.list(source, resource)) {
    addLabel(named, field, record);
    read += 1;
    if (read >= MAX_READ || missing.every((id) => named[id] !== undefined)) return;
  }
}

function nameIn(resource: string, record: Fields): readonly string[] {
  const name = resource === 'person' ? fullName(record) : (record.name ?? record.title ?? record[resource] ?? null);
  return typeof name === 'string' && name !== '' ? [name] : [];
}

const pick = (named: Readonly<Record<string, string>>, ids: readonly string[]) =>
  Object.fromEntries(ids.flatMap((id) => (named[id] === undefined ? [] : [[id, named[id]] as const])));

/** The value with names in place of ids, as far as they are known. */
export function nameValue(names: IdNames, field: string, value: unknown): unknown {
  const named = names[field];
  if (named === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => named[String(item)] ?? item);
  return typeof value === 'string' || typeof value === 'number' ? (named[String(value)] ?? value) : value;
}
