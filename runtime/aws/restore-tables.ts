/**
 * Copies tables that AWS restored to a point in time back into the tables of a stack, as `tidings restore` does with a data
 * file: nothing is announced, versions go on above all that were sent, and the manifest is read again. May be repeated.
 */

import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { callAws } from '../../adapters/aws/call.ts';
import { inGroups } from '../../adapters/aws/parallel.ts';
import type { Key, NewItem, StoredItem } from '../../adapters/dynamodb/keys.ts';
import { copiedSnapshotItem, snapshotFromItem } from '../../adapters/dynamodb/snapshot-item.ts';
import { openTable, type Table } from '../../adapters/dynamodb/table.ts';
import { UsageError } from '../../core/model/errors.ts';
import { OWN_SOURCE } from '../../core/model/event.ts';
import { raiseAfterRestore, type Snapshot } from '../../core/model/snapshot.ts';
import { type Duration, fromMillis, type Instant, MINUTE, plus, SECOND } from '../../core/model/time.ts';
import { ACCOUNT_RESOURCE, emptyAccount } from '../../core/source/account/account.ts';
import type { RestoredTables, RestoreTablesOptions, RestoreTablesReport } from '../inspect/stores.ts';

interface RestoreOptions extends Pick<RestoreTablesOptions, 'progress'> {
  readonly client: DynamoDBClient;
  /** The tables that AWS restored. */
  readonly from: RestoredTables;
  /** Those of the stack. */
  readonly to: RestoredTables;
  /** The moment that they were restored to. */
  readonly asOf: Instant;
  readonly now: Instant;
}

/** A stack that was read within this time is not paused. */
const REST: Duration = 5 * MINUTE;

/** Items that belong to running functions, or are a cache of what was read after that moment. */
const NOT_RESTORED = /^(lease|slots|bucket|manifest)#/;

export async function restoreTables(options: RestoreOptions): Promise<RestoreTablesReport> {
  const { client, from, to, asOf, now, progress } = options;
  const open = (table: string) => openTable({ client, table });
  const [source, target] = [open(from.ledger), open(to.ledger)];
  await assertPaused(target, now);
  const raise = raiseAfterRestore(asOf, now);
  let done = 0;
  const count = (items: number) => {
    done += items;
    progress(done);
    return items;
  };
  let records = 0;
  const snapshots = open(to.snapshots);
  const sources = new Map<string, boolean>();
  for await (const page of open(from.snapshots).scan()) {
    const raised = page.map(snapshotFromItem).map((snapshot) => raiseVersions(snapshot, raise, now));
    for (const { key } of raised)
      if (key.source !== OWN_SOURCE)
        sources.set(key.source, sources.get(key.source) === true || key.resource === ACCOUNT_RESOURCE);
    await snapshots.writeAll(
      raised.map((snapshot) => copiedSnapshotItem(snapshot, now)),
      [],
    );
    records += count(page.length);
  }
  // The account of a source holds the floor for versions of new records.
  const floors = [...sources].filter(([, hasAccount]) => !hasAccount).map(([name]) => emptyAccount(name, now));
  await snapshots.writeAll(
    floors.map((account) => copiedSnapshotItem(raiseVersions(account, raise, now), now)),
    [],
  );
  let items = 0;
  for await (const page of source.scan()) {
    const kept = page.filter(({ pk }) => !NOT_RESTORED.test(String(pk)));
    await target.writeAll(kept.map(withKey), []);
    items += count(kept.length);
  }
  await deleteManifests(target);
  return { asOf, records, items };
}

const withKey = (item: StoredItem): NewItem => ({ ...item, ...keyOf(item) });

const keyOf = ({ pk, sk }: StoredItem): Key => ({ pk: String(pk), sk: String(sk) });

/** As `raiseVersions` of an embedded backup does. */
function raiseVersions(snapshot: Snapshot, raise: number, now: Instant): Snapshot {
  const { key, version, versionOffset = 0, record } = snapshot;
  const raised = { ...snapshot, version: version + raise, versionOffset: versionOffset + raise, restoredAt: now };
  if (key.resource !== ACCOUNT_RESOURCE) return raised;
  const number = (value: unknown) => (typeof value === 'number' ? value : 0) + raise;
  return {
    ...raised,
    record: {
      ...record,
      forgottenVersion: number(record.forgottenVersion),
      versionOffset: number(record.versionOffset),
      restoredAt: now,
    },
  };
}

/** Functions that run would write between the copies. */
async function assertPaused(ledger: Table, now: Instant): Promise<void> {
  for await (const page of ledger.scan()) {
    for (const { pk, state } of page) {
      const triedAt = String((state as StoredItem | undefined)?.lastTriedAt ?? '');
      if (!String(pk).startsWith('scan#') || plus(triedAt || NEVER, REST) <= now) continue;
      throw new UsageError(
        'TIDINGS_DATA_IN_USE',
        `the stack read source '${String(pk).slice('scan#'.length)}' at ${triedAt}: deploy it with 'paused: true', and restore 5 minutes later`,
      );
    }
  }
}

const NEVER = '1970-01-01T00:00:00.000Z';

async function deleteManifests(ledger: Table): Promise<void> {
  for await (const page of ledger.scan()) {
    const keys = page.map(keyOf).filter(({ pk }) => pk.startsWith('manifest#'));
    for (const group of inGroups(keys, 1000)) await ledger.writeAll([], group);
  }
}

/** The moment that AWS restored a table to. */
export async function readRestoreMoment(client: DynamoDBClient, table: string): Promise<Instant> {
  const command = new DescribeTableCommand({ TableName: table });
  const { Table: described } = await callAws(client, (options) => client.send(command, options), {
    timeout: 15 * SECOND,
  });
  const at = described?.RestoreSummary?.RestoreDateTime;
  if (at !== undefined) return fromMillis(at.getTime());
  throw new UsageError(
    'TIDINGS_BACKUP_UNUSABLE',
    `table '${table}': expected one that AWS restored to a point in time; for any other copy, say with --as-of when it was made`,
  );
}
