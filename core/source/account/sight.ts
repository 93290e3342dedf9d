/**
 * Distinguishes deletion from loss of sight: an API may answer 404 for a record that was deleted, and for one that the token's
 * person may not see. Only what the API shows now decides; without such a proof nothing is deleted.
 */

import { dayIn, isDay } from '../../model/calendar.ts';
import { GiveUp } from '../../model/errors.ts';
import { compareIds, type Fields, isRecordId } from '../../model/record.ts';
import type { ScanState, TokenIdentity } from '../../model/scan.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import { isOutOfSight, OUT_OF_SIGHT_CAUSE } from '../../model/snapshot.ts';
import { DAY, type Instant, plus } from '../../model/time.ts';
import type { SnapshotStore } from '../../ports/snapshot-store.ts';
import type { SourceApi, WireRow } from '../../ports/source-api.ts';
import { type CleanRecord, cleanRow } from '../../resources/clean.ts';
import type { Resource } from '../../resources/resource.ts';
import { task } from '../../resources/task.ts';
import { parseRows } from '../scan/list-rows.ts';
import type { ScanContext } from '../scan/scan-context.ts';

export interface Sight {
  /** Whether the 404 of this record proves that it was deleted. */
  provesDeletion(snapshot: Snapshot): Promise<boolean>;
}

/** Whether the snapshot was committed without events, as those of a record that is shown again are. */
function isSilent({ cause }: Snapshot): boolean {
  return cause === OUT_OF_SIGHT_CAUSE;
}

/** A record is seen by those who see these. */
const PARENTS = { projectid: 'project', taskid: 'task', invoiceid: 'invoice' } as const;

/** Tasks that are read to find one that does not concern the token's person. */
const TASK_SAMPLE = 100;

/** Whether the last complete sweep would have listed a record with this id: ids are given in order. */
export function precedesSweep({ highestId }: ScanState, id: string): boolean {
  return highestId != null && compareIds(id, highestId) < 0;
}

/**
 * Whether a record without a snapshot is new. `dated`: its creation date says so, but the last scan may not have shown it.
 * `old`: it was only not shown. `unsure`: one of both.
 */
export type Novelty = 'new' | 'dated' | 'old' | 'unsure';

/**
 * A role that sees everything would have shown the record, unless its list was incomplete. For any other role the
 * creation date decides, or the records that it belongs to: who saw its project would have seen it too.
 * @param shownAt start of the last scan that would have shown the record; null: unknown
 */
export async function judgeNovelty(
  snapshots: Pick<SnapshotStore, 'get'>,
  context: ScanContext,
  { id, fields }: CleanRecord,
  shownAt: Instant | null,
): Promise<Novelty> {
  const { isNewIdentity, cause, state, identity, resource, timeZone, traits } = context;
  if (isNewIdentity) return 'old';
  if (cause === 'baseline') return 'new';
  const created = isDay(fields.datecreated) ? fields.datecreated : null;
  // The date is one of the account's zone.
  const isBefore = (at: Instant | null) => created !== null && at !== null && created < plus(at, -DAY).slice(0, 10);
  if (traits.seesEverything(identity.current()))
    return precedesSweep(state, id) && isBefore(state.lastSweepAt) ? 'old' : 'new';
  if (precedesSweep(state, id) || isBefore(shownAt)) return 'old';
  const sight = traits.sightOf(resource.name, identity.current());
  if (sight === 'all') return 'new';
  if (created !== null && shownAt !== null) {
    if (timeZone !== null && created < dayIn(timeZone, shownAt)) return 'unsure';
    const parents = await parentsInSight(snapshots, context, fields, shownAt);
    return parents === 'back' ? 'unsure' : parents === 'shown' ? 'new' : 'dated';
  }
  if (sight === 'part') return 'unsure';
  return (await parentsInSight(snapshots, context, fields, shownAt)) === 'shown' ? 'new' : 'unsure';
}

/**
 * Whether the last scan could see all records that this one belongs to, and so this one. `back`: one of them was out of
 * sight. A task may be hidden from a person who sees its project.
 */
async function parentsInSight(
  snapshots: Pick<SnapshotStore, 'get'>,
  { source, resource }: ScanContext,
  record: Fields,
  shownAt: Instant | null,
): Promise<'shown' | 'back' | 'unknown'> {
  const parents = parentsOf(record);
  if (parents.length === 0 || shownAt === null) return 'unknown';
  let isShown = resource.name !== task.name;
  for (const [name, id] of parents) {
    const parent = await snapshots.get({ source, resource: name, id });
    const hasChanged = parent !== undefined && parent.committedAt > shownAt;
    if (parent !== undefined && (isOutOfSight(parent) || (hasChanged && parent.version > 1 && isSilent(parent))))
      return 'back';
    // One that appeared since then has its first version.
    if (parent === undefined || parent.deletedAt !== null || (hasChanged && parent.version === 1)) isShown = false;
  }
  return isShown ? 'shown' : 'unknown';
}

/** Requests what it needs once. Used for one scan, after the identity was confirmed. */
export function watchSight(
  api: SourceApi,
  resource: Resource,
  identity: TokenIdentity | undefined,
  signal?: AbortSignal,
): Sight {
  const shown = new Map<string, Promise<boolean>>();
  let sample: Promise<boolean> | undefined;
  const isShown = (name: string, id: string): Promise<boolean> => {
    const key = `${name}/${id}`;
    const asked = shown.get(key) ?? canRead(api, name, id, signal);
    shown.set(key, asked);
    return asked;
  };
  /** A person may be restricted to their own tasks: a task that is assigned to another person then disappears. */
  const seesTasksOfOthers = async (): Promise<boolean> => {
    if (identity?.restricted !== undefined) return !identity.restricted;
    sample ??= showsTaskOfOthers(api, identity?.person ?? '', signal);
    return sample;
  };
  return {
    async provesDeletion({ record }) {
      const { isAbsenceProof, seesEverything, sightOf } = api.traits;
      if (isAbsenceProof || seesEverything(identity)) return true;
      const sight = sightOf(resource.name, identity);
      if (sight !== 'by-parents') return sight === 'all';
      const parents = parentsOf(record);
      if (parents.length === 0) return false;
      for (const [name, id] of parents) if (!(await isShown(name, id))) return false;
      return resource.name !== 'task' || seesTasksOfOthers();
    },
  };
}

function parentsOf(record: Fields): (readonly [resource: string, id: string])[] {
  return Object.entries(PARENTS).flatMap(([field, name]) => {
    const id = record[field];
    return isRecordId(String(id)) ? [[name, String(id)] as const] : [];
  });
}

async function canRead(api: SourceApi, name: string, id: string, signal?: AbortSignal): Promise<boolean> {
  try {
    return (await api.get(name, id, signal)) !== undefined;
  } catch (error) {
    if (error instanceof GiveUp) return false;
    throw error;
  }
}

/** Whether the newest tasks include one that the person has no part in. */
async function showsTaskOfOthers(api: SourceApi, person: string, signal?: AbortSignal): Promise<boolean> {
  const page = await api.list('task', { offset: 0, limit: TASK_SAMPLE, filters: { order: 'descending' } }, signal);
  return parseRows(page.content().rows).rows.some((row) => isOfOthers(row, person));
}

/** Every task has an owner: without one, the role does not show whose task it is. */
function isOfOthers(row: WireRow, person: string): boolean {
  const { assigneeid, ownerid, followerid } = cleanRow(task, row).fields;
  const isOwned = Array.isArray(ownerid) && ownerid.length > 0;
  return isOwned && ![assigneeid, ownerid, followerid].flat().includes(person);
}
