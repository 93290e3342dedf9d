/**
 * The file of a move: all data of an installation as entries, with the secrets that its subscriptions refer to. A SQLite
 * database, because that is written and read in pieces: an export and an import continue where they were interrupted.
 */

import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { errorMessage, UsageError } from '../../core/model/errors.ts';
import type { Instant } from '../../core/model/time.ts';
import type { PortableEntry, PortableKind, PortablePage, PortableValues } from '../../core/ports/portable-data.ts';

/** `TMOV`, which marks the file as ours. */
const APPLICATION_ID = 0x544d4f56;

/** Of the tables and of the form of entries. */
const FORMAT = 1;

const PRIVATE = 0o600;

/** Entries read at a time. */
const BATCH_SIZE = 100;

/** In one transaction: of an export that is killed here an empty file is left, not half an archive. */
const SCHEMA = `
  BEGIN;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE entries (kind TEXT NOT NULL, id TEXT NOT NULL, place TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT;
  CREATE INDEX entries_in_order ON entries (kind, place, id);
  CREATE TABLE secrets (reference TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  -- Where a secret was stored in a target, so that an import that continues stores it once.
  CREATE TABLE kept_secrets (target TEXT NOT NULL, reference TEXT NOT NULL, kept TEXT NOT NULL, PRIMARY KEY (target, reference)) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${FORMAT};
  COMMIT;
`;

/**
 * `origin`: what was exported. `activeAt`: when a source was last read, or a change last committed. `cursor`: where the export
 * continues. `exportedAt`: when it was complete.
 */
type Fact = 'origin' | 'startedAt' | 'activeAt' | 'cursor' | 'exportedAt' | `imported:${string}`;

export interface Archive {
  fact(name: Fact): string | undefined;
  setFact(name: Fact, value: string): void;
  /** Stores a page, and where the next one starts, together. */
  addPage(page: PortablePage): void;
  counts(): ReadonlyMap<PortableKind, number>;
  /** The next entries of a kind in their order. @param after the last one of the batch before */
  readBatch(kind: PortableKind, after?: Pick<PortableEntry, 'id' | 'order'>): readonly PortableEntry[];
  /** Only for kinds of which there are few. */
  all<K extends PortableKind>(kind: K): readonly PortableValues[K][];
  addSecret(reference: string, value: string): void;
  secret(reference: string): string | undefined;
  keptSecret(target: string, reference: string): string | undefined;
  setKeptSecret(target: string, reference: string, kept: string): void;
  close(): void;
}

/** Makes the file, readable for its owner alone, or continues with it. */
export function createArchive(file: string): Archive {
  if (!existsSync(file)) closeSync(openSync(file, 'wx', PRIVATE));
  return open(file, (db) => {
    // Of an export that was killed before it stored anything. SQLite has undone what it had begun.
    if (Number(db.prepare('PRAGMA page_count').get()?.page_count) > 0) return;
    chmodSync(file, PRIVATE);
    db.exec(SCHEMA);
  });
}

export function openArchive(file: string): Archive {
  if (!existsSync(file)) throw new UsageError('TIDINGS_ARCHIVE_UNUSABLE', `'${file}': no such file`);
  return open(file);
}

function open(file: string, prepare: (db: DatabaseSync) => void = () => {}): Archive {
  const refuse = (reason: string) =>
    new UsageError('TIDINGS_ARCHIVE_UNUSABLE', `'${file}': expected a file that 'tidings export' wrote: ${reason}`);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file);
    prepare(db);
    const { application_id: application } = db.prepare('PRAGMA application_id').get() ?? {};
    if (application !== APPLICATION_ID) throw refuse('it is another kind of file');
    const { user_version: format } = db.prepare('PRAGMA user_version').get() ?? {};
    if (format !== FORMAT) throw refuse(`its format is ${String(format)}, this tidings knows ${FORMAT}`);
    return toArchive(db);
  } catch (error) {
    db?.close();
    throw error instanceof UsageError ? error : refuse(errorMessage(error));
  }
}

function toArchive(db: DatabaseSync): Archive {
  const addEntry = db.prepare('INSERT OR REPLACE INTO entries (kind, id, place, body) VALUES (?, ?, ?, ?)');
  const setFact = db.prepare('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  const text = (sql: string, ...values: readonly string[]): string | undefined => {
    const row = db.prepare(sql).get(...values);
    return row === undefined ? undefined : String(row.value);
  };
  // An import checks their form before it stores anything.
  const toEntry = ({ kind, id, place, body }: Readonly<Record<string, unknown>>) =>
    ({
      kind,
      id,
      order: place,
      value: parseBody(body, `${String(kind)} '${String(id).slice(0, 100)}'`),
    }) as PortableEntry;
  return {
    fact: (name) => text('SELECT value FROM facts WHERE name = ?', name),
    setFact: (name, value) => {
      setFact.run(name, value);
    },
    addPage({ entries, cursor }) {
      db.exec('BEGIN');
      for (const { kind, id, order, value } of entries) addEntry.run(kind, id, order, JSON.stringify(value));
      setFact.run('cursor', cursor);
      db.exec('COMMIT');
    },
    counts() {
      const rows = db.prepare('SELECT kind, count(*) AS number FROM entries GROUP BY kind').all();
      return new Map(rows.map(({ kind, number }) => [kind as PortableKind, Number(number)]));
    },
    readBatch(kind, after) {
      const rows = db
        .prepare('SELECT * FROM entries WHERE kind = ? AND (place, id) > (?, ?) ORDER BY place, id LIMIT ?')
        .all(kind, after?.order ?? '', after?.id ?? '', BATCH_SIZE);
      return rows.map(toEntry);
    },
    all<K extends PortableKind>(kind: K) {
      const rows = db.prepare('SELECT body FROM entries WHERE kind = ? ORDER BY place, id').all(kind);
      return rows.map(({ body }) => parseBody(body, kind) as PortableValues[K]);
    },
    addSecret(reference, value) {
      db.prepare('INSERT OR REPLACE INTO secrets (reference, value) VALUES (?, ?)').run(reference, value);
    },
    secret: (reference) => text('SELECT value FROM secrets WHERE reference = ?', reference),
    keptSecret: (target, reference) =>
      text('SELECT kept AS value FROM kept_secrets WHERE target = ? AND reference = ?', target, reference),
    setKeptSecret(target, reference, kept) {
      db.prepare('INSERT OR REPLACE INTO kept_secrets VALUES (?, ?, ?)').run(target, reference, kept);
    },
    close: () => db.close(),
  };
}

function parseBody(body: unknown, where: string): unknown {
  try {
    return JSON.parse(String(body));
  } catch (error) {
    throw new UsageError('TIDINGS_ARCHIVE_UNUSABLE', `the archive is damaged: ${where}: ${errorMessage(error)}`);
  }
}

/** When an archive was complete. */
export function exportedAt(archive: Archive, file: string): Instant {
  const at = archive.fact('exportedAt');
  if (at !== undefined) return at;
  throw new UsageError(
    'TIDINGS_ARCHIVE_INCOMPLETE',
    `'${file}': the export was interrupted: repeat 'tidings export', which continues it`,
  );
}
