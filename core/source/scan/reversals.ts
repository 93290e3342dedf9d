/**
 * Re-reads invoices whose row shows that a payment went back: a list that lags behind would invent a reversal, and a second
 * payment afterwards. The record itself may come from the same replica, so a reversal is proven only when every replica has
 * the payment. Commits nothing.
 */

import { GiveUp, RetryLater } from '../../model/errors.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { Instant } from '../../model/time.ts';
import type { SourceApi } from '../../ports/source-api.ts';
import { type CleanRecord, cleanRow } from '../../resources/clean.ts';
import { receivedCents } from '../../resources/invoice-amounts.ts';
import { withoutHiddenFields } from '../account/hidden-fields.ts';
import { isKnownToReplicas } from './replica-lag.ts';
import type { ScanContext } from './scan-context.ts';

/** Invoices re-read for one batch of rows, one request each. The others stay dirty, for the next scan. */
const MAX_REREADS = 20;

interface ConfirmedRecords {
  /** The records as they are now, without those that could not be confirmed. */
  readonly records: readonly CleanRecord[];
  readonly unconfirmed: readonly string[];
}

export async function confirmReversals(
  api: Pick<SourceApi, 'get'>,
  context: ScanContext,
  records: readonly CleanRecord[],
  snapshots: ReadonlyMap<string, Snapshot>,
  now: Instant,
): Promise<ConfirmedRecords> {
  if (context.resource.name !== 'invoice') return { records, unconfirmed: [] };
  const reversed = new Set(records.filter((record) => isReversal(record, snapshots)).map(({ id }) => id));
  if (reversed.size === 0) return { records, unconfirmed: [] };
  const confirmed = new Map<string, CleanRecord>();
  const isProvable = (id: string) => {
    const before = snapshots.get(id);
    return before === undefined || isKnownToReplicas(before, now);
  };
  for (const id of [...reversed].filter(isProvable).slice(0, MAX_REREADS)) {
    const record = await readAgain(api, context, id);
    if (record !== undefined) confirmed.set(id, record);
  }
  await context.assertLeaseHeld();
  return {
    records: records.flatMap((record) => (reversed.has(record.id) ? (confirmed.get(record.id) ?? []) : record)),
    unconfirmed: [...reversed].filter((id) => !confirmed.has(id)),
  };
}

function isReversal({ id, fields }: CleanRecord, snapshots: ReadonlyMap<string, Snapshot>): boolean {
  const before = snapshots.get(id);
  return before !== undefined && before.deletedAt === null && receivedCents(before.record, fields) < 0;
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
