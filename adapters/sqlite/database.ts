/**
 * Opens the one file of the embedded mode, brings its schema up to date and runs transactions on it.
 * Knows the tables; what they mean is for the stores beside it.
 */

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { errorMessage, UsageError } from '../../core/model/errors.ts';
import { type BatchRead, batchReads } from './batch-reads.ts';
import { groupCommit } from './group-commit.ts';
import { migrations } from './migrations.ts';

export interface Database {
  readonly file: string;
  /** A prepared statement; the same text is prepared once. */
  prepare(sql: string): StatementSync;
  /** What a query finds, each row an array of its columns: half the price of objects, for what is read by the thousand. */
  rows(sql: string, ...values: readonly SQLInputValue[]): readonly Row[];
  /** The first of it. */
  row(sql: string, ...values: readonly SQLInputValue[]): Row | undefined;
  /** All of it or nothing. Takes the write lock at once, so that two processes wait instead of failing midway. */
  transaction<T>(work: () => T): T;
  /** The same a moment later, in one transaction with what others ask for meanwhile. Resolves when it is committed. */
  batchWrite<T>(work: () => T): Promise<T>;
  /** A read, in one transaction with the other reads of this moment. */
  batchRead: BatchRead;
  close(): void;
}

export type Row = readonly SQLOutputValue[];

/** How long a writer waits for another process's transaction. Ours take milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Opens or makes the database file. `:memory:` makes one that is gone when closed. */
export function openDatabase(file: string): Database {
  if (file !== ':memory:') prepareFolder(file);
  const db = openFile(file);
  try {
    refuseNewer(db, file);
    // WAL: readers never wait for the writer. NORMAL is safe against the death of the process at any instant;
    // only the machine's own power loss can take back the last commits, never tear the file.
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON`);
    // Deliveries come up in another order than they were recorded in: the pages they lie on are kept at hand (32 MB),
    // and written back to the file once for many changes (every 16 MB of them). Saves a third of a delivery's time.
    db.exec(`PRAGMA cache_size = -32000; PRAGMA wal_autocheckpoint = 4000`);
    migrate(db);
  } catch (error) {
    db.close();
    throw error instanceof UsageError ? error : unusable(file, error);
  }
  const prepare = preparing(db);
  const queries = preparing(db, (statement) => statement.setReturnArrays(true));
  const transaction = <T>(work: () => T) => inTransaction(db, work);
  const readTogether = batchReads((work) => inTransaction(db, work, 'BEGIN'));
  const { batchWrite: together, flush } = groupCommit(transaction);
  const close = () => {
    flush();
    db.close();
  };
  return { file, prepare, ...arraysOf(queries), transaction, batchWrite: together, batchRead: readTogether, close };
}

/** The same text is prepared once. */
function preparing(db: DatabaseSync, setUp: (statement: StatementSync) => void = () => {}) {
  const statements = new Map<string, StatementSync>();
  return (sql: string): StatementSync => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = db.prepare(sql);
    setUp(statement);
    statements.set(sql, statement);
    return statement;
  };
}

/** Node's types know only rows that are objects. */
function arraysOf(queries: (sql: string) => StatementSync): Pick<Database, 'rows' | 'row'> {
  return {
    rows(sql, ...values) {
      const found: unknown = queries(sql).all(...values);
      return Array.isArray(found) ? found : [];
    },
    row(sql, ...values) {
      const found: unknown = queries(sql).get(...values);
      return Array.isArray(found) ? found : undefined;
    },
  };
}

function inTransaction<T>(db: DatabaseSync, work: () => T, begin = 'BEGIN IMMEDIATE'): T {
  db.exec(begin);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function prepareFolder(file: string): void {
  try {
    makeFolder(dirname(file));
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Level by level: Node's own recursive mkdir never returns on file systems that answer ENOENT to it, such as /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}

function openFile(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(file: string, cause: unknown): UsageError {
  const what = existsSync(dirname(file))
    ? 'a database file that can be read and written'
    : 'a directory that can be made';
  return new UsageError('TIDINGS_DATA_UNUSABLE', `data file '${file}': expected ${what}: ${errorMessage(cause)}`, {
    cause,
  });
}

function schemaVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version);
}

function refuseNewer(db: DatabaseSync, file: string): void {
  const version = schemaVersion(db);
  if (version <= migrations.length) return;
  throw new UsageError(
    'TIDINGS_DATA_NEWER',
    `data file '${file}' has schema version ${version}, this tidings knows up to ${migrations.length}: run a newer tidings on it`,
  );
}

/** Each migration and its version number are one transaction: killed midway, it runs again whole. */
function migrate(db: DatabaseSync): void {
  for (let version = schemaVersion(db); version < migrations.length; version++) {
    inTransaction(db, () => {
      // Another process may have come first while we waited for the lock.
      if (schemaVersion(db) !== version) return;
      db.exec(migrations[version] ?? '');
      db.exec(`PRAGMA user_version = ${version + 1}`);
    });
  }
}
