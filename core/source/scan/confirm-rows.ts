/**
 * Re-reads records whose row may come from a list that lags behind, where no modification date shows it: invoices with less
 * payments than before, and records that changed again within the lag. Such a list would invent a change back, and a second
 * change afterwards. Commits nothing.
 */

import { GiveUp, RetryLater } from '../../model/errors.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { SourceApi } from '../../ports/source-api.ts';
import { type CleanRecord, cleanRow } from '../../resources/clean.ts';
import { receivedCents } from '../../resources/invoice-amounts.ts';
import { compare } from '../../snapshot/compare.ts';
import { withoutHiddenFields } from '../account/hidden-fields.ts';
import { isKnownToReplicas, modifiedAt } from './replica-lag.ts';
import type { ScanContext } from './scan-context.ts';

/** Records re-read for one batch of rows, one request each. The others stay dirty, for the next scan. */
const MAX_REREADS = 20;

interface ConfirmedRecords {
  /** The records as they are now, without those that could not be confirmed. */
  readonly records: readonly CleanRecord[];
  readonly unconfirmed: readonly string[];
}

export async function confirmRows(
  api: Pick<SourceApi, 'get'>,
  context: ScanContext,
  records: readonly CleanRecord[],
  snapshots: ReadonlyMap<string, Snapshot>,
  now: Instant,
): Promise<ConfirmedRecords> {
  const isDoubtful = (record: CleanRecord) => {
    const before = snapshots.get(record.id);
    if (before === undefined || before.deletedAt !== null) return false;
    return isReversal(context, record, before) || isUndatedReturn(context, record, before, now);
  };
  const doubtful = records.filter(isDoubtful);
  if (doubtful.length === 0) return { records, unconfirmed: [] };
  const doubtfulIds = new Set(doubtful.map(({ id }) => id));
  const confirmed = new Map<string, CleanRecord>();
  // The invoice itself may come from the same replica: a reversal is proven only when every replica has the payment.
  const isProvable = (record: CleanRecord) => {
    const before = snapshots.get(record.id);
    return before === undefined || !isReversal(context, record, before) || isKnownToReplicas(before, now);
  };
  for (const { id } of doubtful.filter(isProvable).slice(0, MAX_REREADS)) {
    const record = await readAgain(api, context, id);
    if (record !== undefined) confirmed.set(id, record);
  }
  await context.assertLeaseHeld();
  return {
    records: records.flatMap((record) => (doubtfulIds.has(record.id) ? (confirmed.get(record.id) ?? []) : record)),
    unconfirmed: [...doubtfulIds].filter((id) => !confirmed.has(id)),
  };
}

function isReversal({ resource }: ScanContext, { fields }: CleanRecord, { record }: Snapshot): boolean {
  return resource.name === 'invoice' && receivedCents(record, fields) < 0;
}

/**
 * Whether the record changed again so soon that a replica may still show the state before, and no date shows which is newer.
 * Hours and joined values change without a new modification date.
 */
function isUndatedReturn({ resource }: ScanContext, { fields }: CleanRecord, before: Snapshot, now: Instant): boolean {
  if (before.cause === 'baseline' || isKnownToReplicas(before, now)) return false;
  const [row, stored] = [modifiedAt(fields), modifiedAt(before.record)];
  if (row !== undefined && stored !== undefined && row !== stored) return false;
  return compare(before.record, fields, resource).changes.length > 0;
}

/** Undefined when the API does not show the record now. */
async function readAgain(
  api: Pick<SourceApi, 'get'>,
  context: ScanContext,
  id: string,
): Promise<CleanRecord | undefined> {
  try {
    const row = await api.get(context.resource.name, id, context.signal);
    return row === undefined ? undefined : withoutHiddenFields(context, cleanRow(context.resource, row));
  } catch (error) {
    if (error instanceof RetryLater || error instanceof GiveUp) return undefined;
    throw error;
  }
}
