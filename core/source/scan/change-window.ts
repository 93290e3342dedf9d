/**
 * Between which instants a change happened: after the last scan that would have shown it, and before the response that
 * did. Pure. A window that is too wide is still true, one that is too narrow is not.
 */

import { memoize } from '../../model/memoize.ts';
import type { Fields } from '../../model/record.ts';
import type { Change, Snapshot } from '../../model/snapshot.ts';
import { fromMillis, type Instant, parseMillis, plus, SECOND, toMillis } from '../../model/time.ts';
import type { FieldType } from '../../resources/field.ts';
import { isOwed } from '../../resources/invoice-amounts.ts';
import type { Resource } from '../../resources/resource.ts';
import { LOOKBACK, type ScanContext } from './scan-context.ts';

export type ChangeWindow = Snapshot['occurred'];

export interface ObservedChange {
  /** @default - the record is new */
  readonly before?: Snapshot;
  readonly record: Fields;
  readonly changes: readonly Change[];
  /** The response that shows the change. */
  readonly response: ResponseTime;
}

interface ResponseTime {
  readonly receivedAt: Instant;
  /** The API's clock at that time. @default - unknown, assumed to be the same as ours */
  readonly serverTime?: Instant | null;
}

/** Of the scan, only what it knew before: its own progress says nothing about when a change happened. */
type KnownScans = Pick<ScanContext, 'resource' | 'state' | 'isNewIdentity'>;

export function changeWindow(scan: KnownScans, change: ObservedChange): ChangeWindow {
  const { receivedAt } = change.response;
  const modifiedAt = dateOfChange(scan.resource, change);
  const after = lastShownAt(scan, change, modifiedAt !== undefined);
  // After the clock was put back, an earlier scan may seem to be a later one.
  if (after !== null && after > receivedAt) return { after: null, before: receivedAt };
  return { after, before: modifiedAt === undefined ? receivedAt : lastInstant(modifiedAt, after, change.response) };
}

/** Start of the last scan that would have shown the change; null: unknown. */
function lastShownAt({ resource, state, isNewIdentity }: KnownScans, change: ObservedChange, isDated: boolean) {
  // What another role shows may have changed long ago.
  if (isNewIdentity) return null;
  const swept = state.completeSweepAt ?? null;
  if (isDated) return later(swept, state.cursor === null ? null : plus(state.cursor, -LOOKBACK));
  const { before, record } = change;
  const wasOwed = before === undefined ? isOwed(record) : before.deletedAt === null && before.stage.owed !== false;
  return resource.openFilter !== undefined && wasOwed ? later(swept, state.completeOpenAt ?? null) : swept;
}

/** Start of the last scan that would have shown a new record; null: unknown. */
export function lastCompleteScan({ resource, state }: Pick<ScanContext, 'resource' | 'state'>): Instant | null {
  const swept = state.completeSweepAt ?? state.lastSweepAt;
  return later(swept, resource.modifiedSince && state.cursor !== null ? plus(state.cursor, -LOOKBACK) : null);
}

/** The modification date in milliseconds, if the whole change happened by then. */
function dateOfChange(resource: Resource, { before, record, changes }: ObservedChange): number | undefined {
  const { datemodified } = record;
  const isDate = resource.modifiedSince && typeof datemodified === 'string' && before?.deletedAt == null;
  if (!isDate || datemodified === before?.record.datemodified) return undefined;
  return changes.some((change) => mayBeUndated(resource, change)) ? undefined : parseMillis(datemodified);
}

/** Hours of a task: logging time need not modify the task. */
const HOURS: readonly string[] = ['billable', 'unbillable', 'actual'];

const REFERENCES: readonly (FieldType | undefined)[] = ['id', 'ids'];

/** Whether the change may have come without a new modification date: logged hours, or a reference that was deleted. */
function mayBeUndated({ fields }: Resource, { field, from, to }: Change): boolean {
  if (HOURS.includes(field)) return true;
  const isShorter = Array.isArray(from) && Array.isArray(to) && to.length < from.length;
  return REFERENCES.includes(fields[field]?.type) && (to === null || isShorter);
}

/** The record did not change after its modification date, which is in whole seconds of the API's clock. */
function lastInstant(
  modifiedAt: number,
  after: Instant | null,
  { receivedAt, serverTime = null }: ResponseTime,
): Instant {
  const lag = serverTime === null ? 0 : Math.max(0, millisOf(receivedAt) - millisOf(serverTime));
  const last = fromMillis(modifiedAt + SECOND + lag);
  return last < receivedAt && (after === null || last > after) ? last : receivedAt;
}

/** All rows of a page came at the same time. */
const millisOf = memoize(toMillis, 100);

function later(a: Instant | null, b: Instant | null): Instant | null {
  return a === null || (b !== null && b > a) ? b : a;
}
