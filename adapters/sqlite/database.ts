/**
 * Opens the SQLite file of the embedded mode, migrates its schema and runs transactions on it.
 * The stores beside it know what the tables mean.
 */

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { errorMessage, UsageError } from '../../core/model/errors.ts';
import { type BatchRead, batchReads } from './batch-reads.ts';
import { groupCommit } from './group-commit.ts';
import { createIdleCheckpoint } from './idle-checkpoint.ts';
import { isUnavailable } from './lock-gate.ts';
import { migrations } from './migrations.ts';
import { makePrivateDirectory, makePrivateFile, restrictAccess } from './private-files.ts';

export interface Database {
  readonly file: string;
  /** A prepared statement; the same text is prepared once. */
  prepare(sql: string): StatementSync;
  /** The rows of a query as arrays of columns: half the cost of objects, for reads by the thousand. */
  rows(sql: string, ...values: readonly SQLInputValue[]): readonly Row[];
  /** The first row. */
  row(sql: string, ...values: readonly SQLInputValue[]): Row | undefined;
  /** Runs the work in a transaction. Takes the write lock at the start, so that two processes wait instead of failing midway. */
  transaction<T>(work: () => T): T;
  /** Runs the work in a transaction, and returns when it is on the disk: it also survives a power loss. */
  durableTransaction<T>(work: () => T): T;
  /** Runs the work in a transaction shared with other writes of this moment. Resolves when it is committed. */
  batchWrite<T>(work: () => T): Promise<T>;
  /** Runs a read in a transaction shared with other reads of this moment. */
  batchRead: BatchRead;
  /** Whether no other program holds the write lock. Does not wait for it. */
  isWritable(): boolean;
  /** Reports a problem with the file that needs no action of the caller. */
  report(message: string): void;
  close(): void;
}

export interface DatabaseOptions {
  /** Receives problems with the file, for a log. @default - they are not reported */
  readonly report?: (message: string) => void;
}

export type Row = readonly SQLOutputValue[];

/**
 * How long a call blocks the process for another program's transaction. Our own take milliseconds; the stores wait longer
 * for a foreign lock without blocking, see lock-gate.ts. Short, because nothing is answered meanwhile, `/health` included.
 */
const BUSY_TIMEOUT_MS = 200;

/** While the file is opened nothing else runs that could be blocked. */
const OPEN_TIMEOUT_MS = 30_000;

/** Opens or creates the database file. `:memory:` creates a database that is gone when closed. */
export function openDatabase(file: string, { report = () => {} }: DatabaseOptions = {}): Database {
  if (file !== ':memory:') prepareFile(file, report);
  const db = openFile(file);
  try {
    assertSupportedVersion(db, file);
    // WAL: readers never wait for the writer. NORMAL survives a crash of the process at any instant; only a power loss can
    // undo the last commits, and it never corrupts the file. Polls find again what was undone, and derive the same events.
    // What only people or other programs know is written with `durableTransaction`.
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON`);
    // Deliveries are updated in another order than they were inserted, so a checkpoint every 16 MB saves time. A page cache of
    // more than 8 MB saves none: the system caches the file too. Each thread has a connection, with a cache of its own.
    db.exec(`PRAGMA cache_size = -8000; PRAGMA wal_autocheckpoint = 4000`);
    migrate(db);
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  } catch (error) {
    db.close();
    throw error instanceof UsageError ? error : unusableDataError(file, error);
  }
  const prepare = createStatementCache(db);
  const queries = createStatementCache(db, (statement) => statement.setReturnArrays(true));
  const idleCheckpoint = createIdleCheckpoint(() => db.exec('PRAGMA wal_checkpoint(PASSIVE)'));
  // Prepared: compiling both takes a tenth of a small transaction.
  const run = (sql: string) => prepare(sql).run();
  const transaction = <T>(work: () => T) => {
    const result = inTransaction(db, work, { run });
    idleCheckpoint.committed();
    return result;
  };
  const durableTransaction = <T>(work: () => T) => {
    db.exec('PRAGMA synchronous = FULL');
    try {
      return transaction(work);
    } finally {
      db.exec('PRAGMA synchronous = NORMAL');
    }
  };
  const batchRead = batchReads((work) => inTransaction(db, work, { run, begin: 'BEGIN' }));
  const { batchWrite, flush } = groupCommit(transaction);
  const close = () => {
    flush();
    idleCheckpoint.stop();
    db.close();
  };
  const isWritable = () => canWrite(db);
  const queriesAsArrays = createArrayQueries(queries);
  return {
    file,
    prepare,
    ...queriesAsArrays,
    transaction,
    durableTransaction,
    batchWrite,
    batchRead,
    isWritable,
    report,
    close,
  };
}

function canWrite(db: DatabaseSync): boolean {
  db.exec('PRAGMA busy_timeout = 0');
  try {
    inTransaction(db, () => {});
    return true;
  } catch (error) {
    // Another error shows in the call that is tried next.
    return !isUnavailable(error);
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** Caches prepared statements by their text. */
function createStatementCache(db: DatabaseSync, setUp: (statement: StatementSync) => void = () => {}) {
  const statements = new Map<string, StatementSync>();
  return (sql: string): StatementSync => {
    const prepared = statements.get(sql);
    if (prepared !== undefined) return prepared;
    const statement = db.prepare(sql);
    setUp(statement);
    statements.set(sql, statement);
    return statement;
  };
}

/** Node's types cover only rows as objects. */
function createArrayQueries(queries: (sql: string) => StatementSync): Pick<Database, 'rows' | 'row'> {
  return {
    rows(sql, ...values) {
      const rows: unknown = queries(sql).all(...values);
      return Array.isArray(rows) ? rows : [];
    },
    row(sql, ...values) {
      const row: unknown = queries(sql).get(...values);
      return Array.isArray(row) ? row : undefined;
    },
  };
}

interface TransactionOptions {
  /** @default BEGIN IMMEDIATE */
  readonly begin?: string;
  /** Runs a statement. @default - compiles it first */
  readonly run?: (sql: string) => unknown;
}

function inTransaction<T>(
  db: DatabaseSync,
  work: () => T,
  { begin = 'BEGIN IMMEDIATE', run = (sql) => db.exec(sql) }: TransactionOptions = {},
): T {
  run(begin);
  try {
    const result = work();
    run('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function prepareFile(file: string, report: (message: string) => void): void {
  try {
    makePrivateDirectory(dirname(file));
    makePrivateFile(file);
  } catch (error) {
    throw unusableDataError(file, error);
  }
  restrictAccess(dirname(file), [file, `${file}-wal`, `${file}-shm`], report);
}

function openFile(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { timeout: OPEN_TIMEOUT_MS });
  } catch (error) {
    throw unusableDataError(file, error);
  }
}

function unusableDataError(file: string, cause: unknown): UsageError {
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

function assertSupportedVersion(db: DatabaseSync, file: string): void {
  const version = schemaVersion(db);
  if (version <= migrations.length) return;
  throw new UsageError(
    'TIDINGS_DATA_NEWER',
    `data file '${file}' has schema version ${version}, this tidings knows up to ${migrations.length}: run a newer tidings on it`,
  );
}

/** Each migration and its version number are one transaction: if the process dies midway, it runs again from its start. */
function migrate(db: DatabaseSync): void {
  for (let version = schemaVersion(db); version < migrations.length; version++) {
    inTransaction(db, () => {
      // Another process may have migrated while we waited for the lock.
      if (schemaVersion(db) !== version) return;
      db.exec(migrations[version] ?? '');
      db.exec(`PRAGMA user_version = ${version + 1}`);
    });
  }
}
