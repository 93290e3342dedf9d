/** Builds the next snapshot of a record from its row: version, stage, window of the change and digest. Pure. */

import type { Fields, RecordKey } from '../../model/record.ts';
import { type Change, isOutOfSight, offsetFrom, type Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { SnapshotWrite } from '../../ports/snapshot-store.ts';
import type { FindAuthor, PageRow } from '../../ports/source-api.ts';
import type { CleanRecord } from '../../resources/clean.ts';
import { compare } from '../../snapshot/compare.ts';
import { digestChange } from '../../snapshot/digest-change.ts';
import { withoutNewTimeFacts } from '../../snapshot/kept-facts.ts';
import { computeStage } from '../../snapshot/stage.ts';
import type { Novelty } from '../account/sight.ts';
import { type ChangeWindow, changeWindow, findUndatedChange } from './change-window.ts';
import { confirmableUntil, modifiedAt } from './replica-lag.ts';
import type { ScanContext } from './scan-context.ts';

/** What differs between the batches of rows of one scan. */
export interface RowBatch {
  /** When the rows were requested: they may be as old as this. */
  readonly requestedAt: Instant;
  readonly now: Instant;
  /** The API's clock in the response. @default - unknown */
  readonly serverTime?: Instant | null;
  /** All rows of the response, also unchanged ones. @default - those that are compared */
  readonly page?: readonly PageRow[];
  /** @default - changes have no author */
  readonly findAuthor?: FindAuthor;
  /** When the change happened, as the history of the record says. @default - between two scans */
  readonly occurred?: ChangeWindow;
}

/** The write of a record that has no snapshot. */
export function buildFirstWrite(
  scan: ScanContext,
  { id, fields }: CleanRecord,
  batch: RowBatch,
  novelty: Novelty,
): SnapshotWrite {
  const context = novelty === 'old' ? silence(scan) : scan;
  const key = { source: context.source, resource: context.resource.name, id };
  const change = { key, before: undefined, record: fields, changes: [], novelty };
  const snapshot = buildSnapshot(context, change, batch);
  return { expected: 0, snapshot: novelty === 'unsure' ? { ...snapshot, appeared: true } : snapshot };
}

/** The write of a record that has a snapshot. Undefined when nothing changed. */
export function buildNextWrite(
  context: ScanContext,
  record: CleanRecord,
  before: Snapshot,
  batch: RowBatch,
): SnapshotWrite | undefined {
  const compared = compare(before.record, record.fields, context.resource);
  if (!compared.differs && before.deletedAt === null) return undefined;
  const isShownAgain = before.deletedAt !== null && (context.isNewIdentity || isOutOfSight(before));
  const change = { key: before.key, before, record: compared.record, changes: compared.changes };
  const snapshot = buildSnapshot(isShownAgain ? silence(context) : context, change, batch);
  return { expected: before.version, snapshot };
}

export function buildDeletion(
  { cause }: ScanContext,
  before: Snapshot,
  record: Fields,
  occurred: ChangeWindow,
): SnapshotWrite {
  // Keep the stage: if the record returns, a stage it already had is not a change.
  const { by: _, rowAt: __, ...last } = before;
  const deleted: Snapshot = {
    ...last,
    record,
    version: before.version + 1,
    deletedAt: occurred.before,
    committedAt: occurred.before,
    cause,
    occurred,
    nextMoment: null,
  };
  return { snapshot: withDigest(deleted, before, []), expected: before.version };
}

/** A record that the token newly shows is committed like one of the baseline. */
function silence(context: ScanContext): ScanContext {
  return { ...context, cause: 'baseline', announceExisting: false };
}

/** What a row changes in its snapshot. */
interface RowChange {
  readonly key: RecordKey;
  /** Undefined when the record is new. */
  readonly before: Snapshot | undefined;
  readonly record: Fields;
  readonly changes: readonly Change[];
  /** Of a record that has no snapshot. */
  readonly novelty?: Novelty;
}

function buildSnapshot(context: ScanContext, change: RowChange, batch: RowBatch): Snapshot {
  const { now, serverTime, findAuthor } = batch;
  const { key, before, record, changes, novelty } = change;
  const { timeZone, cause, startedAt, forgottenVersion = 0 } = context;
  const observed = { before, record, changes, novelty, response: { receivedAt: now, serverTime } };
  const undatedChangeAt = findUndatedChange(context, observed);
  const staging = { timeZone, at: stagedAsOf(context, change), rules: context.closedStatuses.rules() };
  const { stage, nextMoment } = computeStage(key.resource, record, { ...staging, before, undatedChangeAt });
  // To announce existing records, commit the stage without its new time-driven facts; the end of the scan adds them as changes.
  const leaveToSettling = cause === 'baseline' && context.announceExisting === true;
  const hasMoved = changes.some(({ field }) => field === 'datedue' || field === 'dateend');
  const snapshot: Snapshot = {
    key,
    version: (before?.version ?? forgottenVersion) + 1,
    ...offsetFrom(before ?? context),
    record,
    stage: leaveToSettling ? withoutNewTimeFacts(stage, hasMoved ? {} : (before?.stage ?? {})) : stage,
    deletedAt: null,
    committedAt: now,
    cause,
    occurred: batch.occurred ?? changeWindow(context, observed),
    nextMoment: leaveToSettling ? startedAt : nextMoment,
  };
  const by = findAuthor?.({ id: key.id, before, record, changes });
  const authored = by === undefined ? snapshot : { ...snapshot, by };
  // A baseline has no events.
  return cause === 'baseline' ? authored : withDigest(authored, before, changes);
}

function withDigest(after: Snapshot, before: Snapshot | undefined, changes: readonly Change[]): Snapshot {
  return { ...after, digest: digestChange(before, after, changes) };
}

/**
 * A changed record is staged as of its change. Moments between the change and the scan follow as commits of their own,
 * each with its exact instant, and not as part of the change.
 */
function stagedAsOf(context: ScanContext, { before, record, changes }: RowChange): Instant {
  const { cause } = context;
  const { settledUntil } = context.state;
  const startedAt = context.apiClock.earlierOf(context.startedAt);
  if (cause === 'baseline' || settledUntil === null) return startedAt;
  // Only names of other records changed, or a status that the API derives from the day.
  const isOwnChange = before === undefined || changes.length > 0;
  // A date that did not change does not date this change.
  const isDated = record.datemodified !== before?.record.datemodified;
  const changedAt = isDated ? modifiedAt(record) : isOwnChange ? undefined : settledUntil;
  // An undated row may be as old as lists lag behind: a moment since then is not confirmed by it.
  if (changedAt === undefined) return confirmableUntil(startedAt);
  const unsettled = changedAt < settledUntil ? settledUntil : changedAt;
  return unsettled < startedAt ? unsettled : startedAt;
}
