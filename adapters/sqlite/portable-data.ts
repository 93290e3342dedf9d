/** PortableData on SQLite. The tables are read one after the other; a batch is written in one transaction. */

import { OWN_SOURCE } from '../../core/model/event.ts';
import { initialScanState, type ScanState } from '../../core/model/scan.ts';
import { fromStored, type StoredSubscription, toStored } from '../../core/model/subscription.ts';
import type { PortableData, PortableEntry } from '../../core/ports/portable-data.ts';
import type { Database } from './database.ts';
import { insertDelivery } from './delivery-store.ts';
import { insertEvents } from './event-store.ts';
import { copySnapshot } from './snapshot-store.ts';
import { insertSource } from './source-store.ts';
import { threadFromRow } from './thread-store.ts';

/** Rows read at a time. */
const PAGE_SIZE = 500;

type Cells = Readonly<Record<string, unknown>>;

/** How a table is read: in the order of columns that identify a row, and how a row becomes an entry. */
interface PortableTable {
  readonly table: string;
  readonly keys: readonly [string, ...string[]];
  readonly toEntry: (row: Cells) => PortableEntry | undefined;
}

const TABLES: readonly PortableTable[] = [
  {
    table: 'subscriptions',
    keys: ['name'],
    toEntry: ({ name, body }) => ({
      kind: 'subscription',
      id: String(name),
      order: '',
      value: fromStored(parsed<StoredSubscription>(body)),
    }),
  },
  {
    table: 'events',
    keys: ['position'],
    toEntry: ({ id, position, body }) => ({
      kind: 'event',
      id: String(id),
      order: inOrder(position),
      value: parsed(body),
    }),
  },
  {
    table: 'deliveries',
    keys: ['position'],
    toEntry: ({ id, position, body }) => ({
      kind: 'delivery',
      id: String(id),
      order: inOrder(position),
      value: parsed(body),
    }),
  },
  {
    table: 'threads',
    keys: ['subscription', 'subject'],
    toEntry: ({ subscription, subject, ...row }) => ({
      kind: 'thread',
      id: `${String(subscription)} ${String(subject)}`,
      order: '',
      value: { subscription: String(subscription), subject: String(subject), ...threadFromRow(row) },
    }),
  },
  {
    table: 'api_keys',
    keys: ['id'],
    toEntry: ({ id, body }) => ({ kind: 'key', id: String(id), order: '', value: parsed(body) }),
  },
  {
    table: 'key_usage',
    keys: ['key'],
    toEntry: ({ key, body }) => ({
      kind: 'usage',
      id: String(key),
      order: '',
      value: { ...parsed<Extract<PortableEntry, { kind: 'usage' }>['value']>(body), key: String(key) },
    }),
  },
  {
    table: 'audit',
    keys: ['position'],
    toEntry: ({ position, body }) => {
      const value = parsed<Extract<PortableEntry, { kind: 'audit' }>['value']>(body);
      return { kind: 'audit', id: value.id, order: inOrder(position), value };
    },
  },
  {
    table: 'documents',
    keys: ['kind', 'id'],
    toEntry: ({ kind, id, body, expires_at }) => ({
      kind: 'document',
      id: `${String(kind)}#${String(id)}`,
      order: '',
      value: {
        kind: String(kind),
        id: String(id),
        body: parsed(body),
        expiresAt: expires_at === null ? null : String(expires_at),
      },
    }),
  },
  {
    table: 'snapshots',
    keys: ['source', 'resource', 'id_length', 'id'],
    toEntry: ({ source, resource, id, body }) => ({
      kind: 'snapshot',
      id: `${String(source)}#${String(resource)} ${String(id)}`,
      order: '',
      value: parsed(body),
    }),
  },
  {
    table: 'scans',
    keys: ['source', 'resource'],
    toEntry: ({ source, resource, body }) => scanEntry(String(source), String(resource), parsed(body)),
  },
  {
    table: 'sources',
    keys: ['name'],
    toEntry: ({ name, body }) => ({ kind: 'source', id: String(name), order: '', value: parsed(body) }),
  },
];

export function sqlitePortableData(db: Database): PortableData {
  const write = (entry: PortableEntry): void => {
    switch (entry.kind) {
      case 'subscription': {
        const { name, declared } = entry.value;
        const insert = db.prepare('INSERT OR REPLACE INTO subscriptions (name, declared, body) VALUES (?, ?, ?)');
        insert.run(name, declared ? 1 : 0, JSON.stringify(toStored(entry.value)));
        return;
      }
      case 'event':
        insertEvents(db, [{ event: entry.value, deliveries: [] }]);
        return;
      case 'delivery':
        insertDelivery(db, entry.value);
        return;
      case 'thread': {
        const { subscription, subject, thread, incarnation = null } = entry.value;
        const insert = db.prepare(
          'INSERT OR REPLACE INTO threads (subscription, subject, thread, incarnation) VALUES (?, ?, ?, ?)',
        );
        insert.run(subscription, subject, thread, incarnation);
        return;
      }
      case 'key': {
        const { id, createdAt } = entry.value;
        const insert = db.prepare('INSERT OR REPLACE INTO api_keys (id, created_at, body) VALUES (?, ?, ?)');
        insert.run(id, createdAt, JSON.stringify(entry.value));
        return;
      }
      case 'usage': {
        const { key, ...usage } = entry.value;
        const insert = db.prepare('INSERT OR REPLACE INTO key_usage (key, body) VALUES (?, ?)');
        insert.run(key, JSON.stringify(usage));
        return;
      }
      case 'audit': {
        const { at, id } = entry.value;
        db.prepare("DELETE FROM audit WHERE at = ? AND json_extract(body, '$.id') = ?").run(at, id);
        db.prepare('INSERT INTO audit (at, body) VALUES (?, ?)').run(at, JSON.stringify(entry.value));
        return;
      }
      case 'document': {
        const { kind, id, body, expiresAt } = entry.value;
        const insert = db.prepare('INSERT OR REPLACE INTO documents (kind, id, body, expires_at) VALUES (?, ?, ?, ?)');
        insert.run(kind, id, JSON.stringify(body), expiresAt);
        return;
      }
      case 'snapshot':
        copySnapshot(db, entry.value);
        return;
      case 'scan': {
        const { source, resource } = entry.value;
        const insert = db.prepare('INSERT OR REPLACE INTO scans (source, resource, body) VALUES (?, ?, ?)');
        insert.run(source, resource, JSON.stringify(entry.value));
        return;
      }
      case 'source':
        insertSource(db, entry.value);
    }
  };
  return {
    async *read(after) {
      const [from, ...start] = after === undefined ? [] : (JSON.parse(after) as [string, ...(string | number)[]]);
      const first = from === undefined ? 0 : TABLES.findIndex(({ table }) => table === from);
      for (const { table, keys, toEntry } of TABLES.slice(first)) {
        let last = table === from ? start : undefined;
        for (;;) {
          const columns = keys.join(', ');
          const condition = last === undefined ? '' : `WHERE (${columns}) > (${keys.map(() => '?').join(', ')})`;
          const rows = db
            .prepare(`SELECT * FROM ${table} ${condition} ORDER BY ${columns} LIMIT ${PAGE_SIZE}`)
            .all(...(last ?? []));
          const lastRow = rows.at(-1);
          if (lastRow === undefined) break;
          last = keys.map((key) => lastRow[key] as string | number);
          yield { entries: rows.flatMap((row) => toEntry(row) ?? []), cursor: JSON.stringify([table, ...last]) };
        }
      }
    },

    async write(entries) {
      db.durableTransaction(() => {
        for (const entry of entries) write(entry);
      });
    },

    async describe() {
      const hasRecords = db.row('SELECT 1 FROM snapshots WHERE source <> ? LIMIT 1', OWN_SOURCE) !== undefined;
      const [unannounced] =
        db.row('SELECT count(*) FROM feed WHERE position > coalesce((SELECT min(position) FROM feed_consumers), 0)') ??
        [];
      return { hasRecords, unannounced: Number(unannounced) };
    },
  };
}

/** Unchecked: only the stores write these rows. */
function parsed<T>(body: unknown): T {
  return JSON.parse(String(body)) as T;
}

/** Sorts as text. */
const inOrder = (position: unknown) => String(position).padStart(16, '0');

/** A request for a scan is not a state: it lasts for minutes. */
function scanEntry(source: string, resource: string, stored: Partial<ScanState>): PortableEntry | undefined {
  if (resource.startsWith('#')) return undefined;
  const value = { ...initialScanState(source, resource), ...stored };
  return { kind: 'scan', id: `${source} ${resource}`, order: '', value };
}
