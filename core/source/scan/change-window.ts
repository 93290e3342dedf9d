/**
 * Between which instants a change happened: after the last scan that would have shown it, and before the response that
 * did. Pure. A window that is too wide is still true, one that is too narrow is not.
 */

import { isDay } from '../../model/calendar.ts';
import { memoize } from '../../model/memoize.ts';
import type { Fields, Value } from '../../model/record.ts';
import type { Change, Snapshot } from '../../model/snapshot.ts';
import {
  DAY,
  type Duration,
  fromMillis,
  HOUR,
  type Instant,
  parseMillis,
  plus,
  SECOND,
  toMillis,
} from '../../model/time.ts';
import type { FieldType } from '../../resources/field.ts';
import type { PolledResource } from '../../resources/resource.ts';
import type { Novelty } from '../account/sight.ts';
import { LOOKBACK, type ScanContext } from './scan-context.ts';

export type ChangeWindow = Snapshot['occurred'];

export interface ObservedChange {
  /** @default - the record is new */
  readonly before?: Snapshot;
  readonly record: Fields;
  readonly changes: readonly Change[];
  /** Whether a record without a snapshot is new. @default - it is */
  readonly novelty?: Novelty;
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
  const window = windowByScans(scan, change);
  const { datecreated } = change.record;
  // The scans need not have shown it: only its creation date says after when it was made.
  if (change.novelty !== 'dated' || !isDay(datecreated) || window.after === null) return window;
  const dayBegan = plus(`${datecreated}T00:00:00.000Z`, -MAX_ZONE_OFFSET);
  return dayBegan < window.after ? { ...window, after: dayBegan } : window;
}

/** A day begins this long before it does in UTC, at the earliest. */
const MAX_ZONE_OFFSET = 14 * HOUR;

function windowByScans(scan: KnownScans, change: ObservedChange): ChangeWindow {
  const { receivedAt } = change.response;
  const modifiedAt = dateOfChange(scan.resource, change);
  const last = modifiedAt === undefined ? receivedAt : lastInstant(modifiedAt, change.response);
  const scans = scansThatShow(scan, change, modifiedAt !== undefined);
  const after = latest(scans);
  // After the clock was put back, an earlier scan may seem to be a later one.
  if (after !== null && after > receivedAt) return { after: null, before: receivedAt };
  if (after === null || after < last) return { after, before: last };
  // The date is older than a scan that did not show the change: that scan was out of date, or the date is. Neither counts.
  return { after: latest(scans.filter((at) => at < last)), before: receivedAt };
}

/** Starts of the last scans of each kind that would have shown the change. */
function scansThatShow(
  { resource, state, isNewIdentity }: KnownScans,
  { before }: ObservedChange,
  isDated: boolean,
): readonly Instant[] {
  // What another role shows may have changed long ago.
  if (isNewIdentity) return [];
  const { completeSweepAt, completeOpenAt, cursor } = state;
  // A new invoice that is owed now may have been made without items before: then an open scan did not list it.
  const wasOwed = before !== undefined && before.deletedAt === null && before.stage.owed !== false;
  const opened = resource.listsOpen === true && wasOwed ? completeOpenAt : null;
  const lighter = isDated ? cursor && plus(cursor, -LOOKBACK) : opened;
  return [completeSweepAt, lighter].filter((at): at is Instant => typeof at === 'string');
}

/** Start of the last scan that would have shown a new record; null: unknown. */
export function lastCompleteScan({ resource, state }: Pick<ScanContext, 'resource' | 'state'>): Instant | null {
  const swept = state.completeSweepAt ?? state.lastSweepAt;
  const changed = resource.modifiedSince && state.cursor !== null ? plus(state.cursor, -LOOKBACK) : null;
  const starts = [swept, changed].filter((at) => at !== null);
  return starts.sort().at(-1) ?? null;
}

/** The modification date in milliseconds, if the whole change happened by then. */
function dateOfChange(
  resource: PolledResource,
  { before, record, changes, novelty }: ObservedChange,
): number | undefined {
  const { datemodified } = record;
  // A record may come into sight long after it was last modified.
  if (novelty === 'unsure') return undefined;
  const isDate = resource.modifiedSince && typeof datemodified === 'string' && before?.deletedAt == null;
  if (!isDate || datemodified === before?.record.datemodified) return undefined;
  const modified = parseMillis(datemodified);
  // A date that went back is not that of the change.
  const isBack = (modified ?? 0) < (millisIn(before?.record.datemodified) ?? 0);
  return isBack || mayBeUndated(resource, changes) ? undefined : modified;
}

/**
 * When a change or a creation was found that left no modification date of its own, or one that is older than a scan which did
 * not show it; undefined if there is none.
 */
export function findUndatedChange(scan: KnownScans, change: ObservedChange): Instant | undefined {
  const { before, record, changes, novelty, response } = change;
  const isNews = before === undefined ? novelty === 'new' || novelty === 'dated' : changes.length > 0;
  if (!isNews) return undefined;
  const isDated = before === undefined || record.datemodified !== before.record.datemodified;
  const isTrue = isDated && !changes.some(({ field }) => HOURS.includes(field)) && !isBackdated(scan, change);
  return isTrue ? undefined : response.receivedAt;
}

/**
 * Scans may have missed an edit whose date is right: clocks differ, an index is late, a page is cut, a task was out of sight. A date
 * counts as wrong only beyond this. What is wrong by less makes no task stale at once.
 */
const MAX_DATE_ERROR: Duration = 3 * DAY;

/** Whether the modification date is before that of the snapshot, or before a scan that did not show the change. */
function isBackdated(scan: KnownScans, change: ObservedChange): boolean {
  const modified = millisIn(change.record.datemodified);
  if (modified === undefined || !scan.resource.modifiedSince) return false;
  const shownAt = latest(scansThatShow(scan, change, true));
  const isBeforeScan = shownAt !== null && modified < toMillis(plus(shownAt, -MAX_DATE_ERROR));
  return isBeforeScan || modified < (millisIn(change.before?.record.datemodified) ?? 0);
}

const millisIn = (value: Value | undefined) => (typeof value === 'string' ? parseMillis(value) : undefined);

/** Hours of a task: logging time need not modify the task. */
const HOURS: readonly string[] = ['billable', 'unbillable', 'actual'];

const REFERENCES: readonly (FieldType | undefined)[] = ['id', 'ids'];

/** Fields of a task that one edit changes together. */
const SAME_EDIT: readonly (readonly string[])[] = [
  ['statusid', 'dateclosed'],
  ['projectid', 'moduleid', 'milestoneid', 'localid'],
];

/**
 * Whether a part of the change may have come without a new modification date: logged hours, a reference that was deleted,
 * or one that another edit came beside. It may have been merged into another record, and the date is that of the edit.
 */
function mayBeUndated({ fields }: PolledResource, changes: readonly Change[]): boolean {
  const references = changes.filter(({ field }) => REFERENCES.includes(fields[field]?.type));
  const [first] = references;
  if (changes.some(({ field }) => HOURS.includes(field)) || references.some(isShorter)) return true;
  if (first === undefined) return false;
  const edit = SAME_EDIT.find((names) => names.includes(first.field)) ?? [first.field];
  return changes.some(({ field }) => !edit.includes(field));
}

function isShorter({ from, to }: Change): boolean {
  return to === null || (Array.isArray(from) && Array.isArray(to) && to.length < from.length);
}

/** The record did not change after its modification date, which is in whole seconds of the API's clock. */
function lastInstant(modifiedAt: number, { receivedAt, serverTime = null }: ResponseTime): Instant {
  const lag = serverTime === null ? 0 : Math.max(0, millisOf(receivedAt) - millisOf(serverTime));
  const last = fromMillis(modifiedAt + SECOND + lag);
  return last < receivedAt ? last : receivedAt;
}

/** All rows of a page came at the same time. */
const millisOf = memoize(toMillis, 100);

/** null: there is none. */
function latest(instants: readonly Instant[]): Instant | null {
  return instants.toSorted().at(-1) ?? null;
}
