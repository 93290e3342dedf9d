/** What the API joins from a project into its tasks and invoices, and what is done when a project changes it. Makes no request. */

import { isSameValue } from '../../model/json.ts';
import type { Fields } from '../../model/record.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { SnapshotStore, SnapshotWrite } from '../../ports/snapshot-store.ts';
import { project } from '../../resources/project.ts';
import type { ScanContext } from './scan-context.ts';

/** Fields of a project, and where the API joins them into its tasks and invoices. */
const JOINED: Readonly<Record<string, string>> = {
  name: 'project',
  localid: 'projectlocalid',
  clientid: 'clientid',
  client: 'client',
  clientlocalid: 'clientlocalid',
  labelid: 'projectlabelid',
  label: 'projectlabel',
  label_order: 'projectlabel_order',
};

/** Those that filters use. */
const ROUTING = ['name', 'clientid', 'client', 'labelid', 'label'];

/** Ids of the projects that these writes move or rename. */
export function findMovedProjects(
  { resource }: ScanContext,
  writes: readonly SnapshotWrite[],
  snapshots: ReadonlyMap<string, Snapshot>,
): readonly string[] {
  if (resource.name !== project.name) return [];
  return writes.flatMap(({ snapshot: { key, record } }) => {
    const before = snapshots.get(key.id)?.record;
    const isMoved = before !== undefined && ROUTING.some((field) => isChanged(before[field], record[field]));
    return isMoved ? [key.id] : [];
  });
}

/** A field that was hidden before says nothing about a move. */
function isChanged(from: Fields[string] | undefined, to: Fields[string] | undefined): boolean {
  return from !== undefined && to !== undefined && !isSameValue(from, to);
}

/**
 * The record with what its project shows now: a deleted record cannot be read again, and its event is for the receivers of
 * the present client.
 */
export async function withPresentProject(
  snapshots: Pick<SnapshotStore, 'get'>,
  { key: { source }, record, committedAt }: Snapshot,
): Promise<Fields> {
  const { projectid } = record;
  if (typeof projectid !== 'string') return record;
  const parent = await snapshots.get({ source, resource: project.name, id: projectid });
  // The record is newer than the last change of its project.
  if (parent === undefined || parent.committedAt <= committedAt) return record;
  const labels = Object.entries(JOINED).flatMap(([field, label]) => {
    const value = parent.record[field];
    return value === undefined || record[label] === undefined ? [] : [[label, value] as const];
  });
  return { ...record, ...Object.fromEntries(labels) };
}
