/** PortableData on DynamoDB: reads both tables item by item, and writes batches through the stores. */

import type { AuditEntry } from '../../core/model/audit.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import { OWN_SOURCE } from '../../core/model/event.ts';
import { readJsonObject } from '../../core/model/json.ts';
import type { ScanState } from '../../core/model/scan.ts';
import { fromStored, type StoredSubscription } from '../../core/model/subscription.ts';
import { fromMillis, type Instant, plus, SECOND } from '../../core/model/time.ts';
import type { KeyUsage } from '../../core/ports/key-usage-store.ts';
import type { PortableData, PortableEntry } from '../../core/ports/portable-data.ts';
import { inParallel } from '../aws/parallel.ts';
import { keyFromItem } from './api-key-store.ts';
import { deliveryFromItem, deliveryItem, placeOfDelivery } from './delivery-item.ts';
import { eventsFromItem, pointsTo } from './event-item.ts';
import { keepForDelivery } from './event-store.ts';
import { linkKey, type StoredItem, scanKey, sourceChangesKey } from './keys.ts';
import { openLedgerTable } from './ledger-table.ts';
import { scanStateFromItem } from './scan-state-store.ts';
import { copiedSnapshotItem, snapshotFromItem } from './snapshot-item.ts';
import { INDEX_MARK_RESOURCE } from './snapshot-store.ts';
import { putSource, sourceFromItem } from './source-store.ts';
import { type DynamoStoresOptions, dynamoStores } from './stores.ts';
import { openTable } from './table.ts';
import { SOURCES_PARTITION, VERIFICATION } from './tables.ts';
import { threadFromItem } from './thread-store.ts';
import { toSeconds } from './timeline.ts';

export function dynamoPortableData({ tables, ...options }: DynamoStoresOptions): PortableData {
  const snapshots = openTable({ ...options, table: tables.snapshots });
  let now: Instant = '';
  // Batches keep the time at which they were recorded: lists start at a time.
  const clock = { now: () => now };
  const stores = dynamoStores({ ...options, tables, clock });
  const ledger = openLedgerTable({ ...options, table: tables.ledger, clock });
  const { table } = ledger;

  const writeDeliveries = async (deliveries: readonly Delivery[]): Promise<void> => {
    now = latest(deliveries.map(({ createdAt }) => createdAt));
    const entries = deliveries.map(({ id, subscription }) => ({ id, subscription }));
    const { deliveries: places } = await ledger.timeline.add({ events: [], deliveries: entries });
    const items = deliveries.map((one) => deliveryItem(one, places.get(one.id) ?? '', ledger.retention));
    const links = deliveries.flatMap(({ id, events, createdAt }) => {
      const expiresAt = toSeconds(plus(createdAt, ledger.retention));
      return events.map((event) => ({ ...linkKey(event, id), expiresAt }));
    });
    await table.writeAll([...items, ...links], []);
    await inParallel(deliveries, (delivery) => keepForDelivery(ledger, delivery));
  };

  /** The kinds that are written in one request or in their order. */
  const writeTogether = async (entries: readonly PortableEntry[]): Promise<void> => {
    const events = entries.flatMap((one) => (one.kind === 'event' ? [one.value] : []));
    const deliveries = entries.flatMap((one) => (one.kind === 'delivery' ? [one.value] : []));
    const records = entries.flatMap((one) => (one.kind === 'snapshot' ? [one.value] : []));
    if (events.length > 0) {
      now = latest(events.map(({ time }) => time));
      await stores.events.record(events.map((event) => ({ event, deliveries: [] })));
    }
    if (deliveries.length > 0) await writeDeliveries(deliveries);
    if (records.length > 0) {
      const copiedAt = options.clock.now();
      await snapshots.writeAll(
        records.map((snapshot) => copiedSnapshotItem(snapshot, copiedAt)),
        [],
      );
    }
  };

  const writeOne = async (entry: PortableEntry): Promise<void> => {
    switch (entry.kind) {
      case 'subscription':
        return stores.subscriptions.save(entry.value);
      case 'scan':
        await table.put(scanItem(entry.value));
        return;
      case 'thread':
        return stores.threads.save(entry.value.subscription, entry.value.subject, entry.value);
      case 'key':
        return stores.apiKeys.save(entry.value);
      case 'usage': {
        const { key, ...usage } = entry.value;
        await stores.keyUsage.replace(key, await stores.keyUsage.get(key), usage);
        return;
      }
      case 'audit':
        return stores.audit.append(entry.value);
      case 'document':
        return stores.documents.save(entry.value.kind, entry.value.id, entry.value.body, entry.value.expiresAt);
      case 'source':
        return putSource(table, entry.value);
    }
  };

  return {
    async *read(after) {
      const [from, pk = '', sk = ''] = after === undefined ? [] : (JSON.parse(after) as string[]);
      const tablesInOrder = [
        ['snapshots', snapshots, readSnapshot],
        ['ledger', table, readLedgerItem],
      ] as const;
      for (const [name, scanned, toEntries] of tablesInOrder) {
        if (from === 'ledger' && name === 'snapshots') continue;
        for await (const items of scanned.scan(from === name ? { pk, sk } : undefined)) {
          const last = items.at(-1);
          if (last === undefined) continue;
          yield { entries: items.flatMap(toEntries), cursor: JSON.stringify([name, last.pk, last.sk]) };
        }
      }
    },

    async write(entries) {
      await writeTogether(entries);
      await inParallel(entries, writeOne);
    },

    async describe() {
      for await (const items of snapshots.scan())
        if (items.flatMap(readSnapshot).some(({ value }) => value.key.source !== OWN_SOURCE))
          return { hasRecords: true };
      return { hasRecords: false };
    },
  };
}

const latest = (instants: readonly Instant[]): Instant => instants.reduce((a, b) => (a > b ? a : b), '');

const scanItem = (state: ScanState) => ({ ...scanKey(state.source, state.resource), version: state.version, state });

type SnapshotEntry = Extract<PortableEntry, { kind: 'snapshot' }>;

/** Our own marks are left out: that of an index, and the record of `tidings verify`. */
function readSnapshot(item: StoredItem): readonly SnapshotEntry[] {
  const snapshot = snapshotFromItem(item);
  const { source, resource } = snapshot.key;
  if (resource === INDEX_MARK_RESOURCE || (source === OWN_SOURCE && resource === VERIFICATION)) return [];
  return [{ kind: 'snapshot', id: `${String(item.pk)} ${String(item.sk)}`, order: '', value: snapshot }];
}

/** Unchecked: only the stores write these items. Items of other kinds are left out. */
function readLedgerItem(item: StoredItem): readonly PortableEntry[] {
  const [pk, sk] = [String(item.pk), String(item.sk)];
  const [kind = '', ...rest] = pk.split('#');
  const name = rest.join('#');
  if (sk === 'event') return eventEntries(item);
  if (sk === 'delivery') {
    return [{ kind: 'delivery', id: pk, order: placeOfDelivery(item), value: deliveryFromItem(item) }];
  }
  switch (kind) {
    case 'subscriptions':
      return [{ kind: 'subscription', id: sk, order: '', value: fromStored(item.subscription as StoredSubscription) }];
    case 'scan':
      if (sk.startsWith('#')) return [];
      return [{ kind: 'scan', id: `${pk} ${sk}`, order: '', value: scanStateFromItem(name, sk, item) }];
    case 'thread': {
      const value = { subscription: name, subject: sk, ...threadFromItem(item) };
      return [{ kind: 'thread', id: `${pk} ${sk}`, order: '', value }];
    }
    case 'api-keys':
      return [{ kind: 'key', id: sk, order: '', value: keyFromItem(item) }];
    case 'usage': {
      const { pk: _, sk: __, ...usage } = item;
      return [{ kind: 'usage', id: name, order: '', value: { ...(usage as unknown as KeyUsage), key: name } }];
    }
    case 'audit':
      return [{ kind: 'audit', id: sk, order: sk, value: item.entry as AuditEntry }];
    case 'document':
      return documentEntries(item, name);
    case SOURCES_PARTITION:
      return sk === sourceChangesKey.sk ? [] : [{ kind: 'source', id: sk, order: '', value: sourceFromItem(item) }];
    default:
      return [];
  }
}

/** An item has all events of a transition. Those that only point to it are left out. */
function eventEntries(item: StoredItem): readonly PortableEntry[] {
  if (pointsTo(item) !== undefined) return [];
  const { events, place } = eventsFromItem(item);
  return events.map((value, n) => ({
    kind: 'event',
    id: value.id,
    order: `${place} ${String(n).padStart(4, '0')}`,
    value,
  }));
}

/** A request of `tidings verify` belongs to the stack. */
function documentEntries({ body, expiresAt }: StoredItem, name: string): readonly PortableEntry[] {
  const kind = name.slice(0, name.indexOf('#'));
  if (kind === VERIFICATION) return [];
  const value = {
    kind,
    id: name.slice(kind.length + 1),
    body: readJsonObject(String(body)) ?? {},
    expiresAt: expiresAt === undefined ? null : fromMillis(Number(expiresAt) * SECOND),
  };
  return [{ kind: 'document', id: name, order: '', value }];
}
