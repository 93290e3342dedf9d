/**
 * Backs up the data of the embedded mode into one file, while it may be served, and restores it. The file is a SQLite
 * database with two tables more: where it comes from, and the secrets that Tidings keeps beside its database.
 */

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockForServing } from '../../adapters/sqlite/serve-lock.ts';
import { errorMessage, UsageError } from '../../core/model/errors.ts';
import { raiseAfterRestore } from '../../core/model/snapshot.ts';
import type { Instant } from '../../core/model/time.ts';
import { ACCOUNT_RESOURCE } from '../../core/source/account/account.ts';
import { dataFileOf, openData, openExistingData, secretsDirectoryOf } from './data-directory.ts';

const PRIVATE = 0o600;

export interface BackupOptions {
  /** The data directory. */
  readonly data: string;
  readonly now: Instant;
  /** Replaces an existing file. */
  readonly force: boolean;
}

export interface BackupReport {
  readonly bytes: number;
  readonly events: number;
  readonly secrets: number;
}

/** Writes a temporary file and renames it: `file` is always a complete backup. */
export function backUpData(file: string, { data, now, force }: BackupOptions): BackupReport {
  if (existsSync(file) && !force)
    throw new UsageError('TIDINGS_FILE_EXISTS', `'${file}' exists: name another file, or use --force to replace it`);
  const temporary = `${file}.tmp`;
  const original = openExistingData(data);
  try {
    makeEmptyFile(temporary);
    // One statement copies a consistent state without blocking writers. SQLite's backup API would start again at each write.
    original.prepare('VACUUM INTO ?').run(temporary);
    const report = addSecrets(temporary, data, now);
    syncFile(temporary);
    renameSync(temporary, file);
    return { ...report, bytes: statSync(file).size };
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error instanceof UsageError
      ? error
      : new UsageError('TIDINGS_BACKUP_FAILED', `'${file}' could not be written: ${errorMessage(error)}`, {
          cause: error,
        });
  } finally {
    original.close();
  }
}

/** SQLite would create the file with the default mode. */
function makeEmptyFile(file: string): void {
  rmSync(file, { force: true });
  mkdirSync(dirname(resolve(file)), { recursive: true });
  closeSync(openSync(file, 'wx', PRIVATE));
}

function syncFile(file: string): void {
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

const TABLES = `
  CREATE TABLE backup_origin (directory TEXT NOT NULL, at TEXT NOT NULL) STRICT;
  CREATE TABLE backup_secrets (name TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT;
`;

function addSecrets(file: string, data: string, now: Instant): Omit<BackupReport, 'bytes'> {
  const copy = new DatabaseSync(file);
  try {
    copy.exec(TABLES);
    const secrets = readSecretFiles(secretsDirectoryOf(data));
    const add = copy.prepare('INSERT INTO backup_secrets VALUES (?, ?)');
    for (const [name, content] of secrets) add.run(name, content);
    copy.prepare('INSERT INTO backup_origin VALUES (?, ?)').run(resolve(data), now);
    const events = Number(copy.prepare('SELECT count(*) AS events FROM events').get()?.events);
    return { events, secrets: secrets.length };
  } finally {
    copy.close();
  }
}

function readSecretFiles(directory: string): readonly (readonly [name: string, content: string])[] {
  if (!existsSync(directory)) return [];
  const entries = readdirSync(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => [name, readFileSync(join(directory, name), 'utf8')] as const);
}

export interface RestoreOptions {
  /** The data directory to create. */
  readonly data: string;
  readonly pid: number;
  readonly now: Instant;
  /** Replaces existing data. */
  readonly force: boolean;
}

export interface RestoreReport {
  /** When the backup was made. */
  readonly at: Instant;
  readonly events: number;
  readonly secrets: number;
}

/** Checks the backup before anything is replaced. Refuses a directory that is being served. */
export function restoreData(file: string, { data, pid, now, force }: RestoreOptions): RestoreReport {
  const { origin, secrets } = readBackup(file);
  const target = dataFileOf(data);
  if (existsSync(target) && !force)
    throw new UsageError(
      'TIDINGS_FILE_EXISTS',
      `'${target}' exists: name another directory with --data, or use --force to replace its data`,
    );
  // Creates the directory with its private mode.
  if (!existsSync(target)) openData(data).close();
  const lock = lockForServing(data, pid);
  try {
    const temporary = `${target}.restored`;
    copyFileSync(file, temporary);
    chmodSync(temporary, PRIVATE);
    keepUndoneVersions(temporary, target);
    const events = prepareRestored(temporary, origin, { data, now });
    writeSecretFiles(secretsDirectoryOf(data), secrets);
    syncFile(temporary);
    // Leftovers of the replaced database would be applied to the restored one.
    for (const end of ['-wal', '-shm']) rmSync(`${target}${end}`, { force: true });
    renameSync(temporary, target);
    // Migrates data of an older version.
    openData(data).close();
    return { at: origin.at, events, secrets: secrets.length };
  } finally {
    lock.release();
  }
}

interface Origin {
  readonly directory: string;
  readonly at: Instant;
}

function readBackup(file: string) {
  if (!existsSync(file)) throw new UsageError('TIDINGS_BACKUP_UNUSABLE', `'${file}': no such file`);
  const refuse = (reason: string) =>
    new UsageError('TIDINGS_BACKUP_UNUSABLE', `'${file}': expected a file that 'tidings backup' wrote: ${reason}`);
  let backup: DatabaseSync | undefined;
  try {
    backup = new DatabaseSync(file, { readOnly: true });
    const { integrity_check: result } = backup.prepare('PRAGMA integrity_check').get() ?? {};
    if (result !== 'ok') throw refuse(`it is damaged: ${String(result)}`);
    const { directory, at } = backup.prepare('SELECT directory, at FROM backup_origin').get() ?? {};
    const origin: Origin = { directory: String(directory), at: String(at) };
    const rows = backup.prepare('SELECT name, content FROM backup_secrets').all();
    return { origin, secrets: rows.map(({ name, content }) => [String(name), String(content)] as const) };
  } catch (error) {
    throw error instanceof UsageError ? error : refuse(errorMessage(error));
  } finally {
    backup?.close();
  }
}

/** Secrets that Tidings keeps are referred to by their path, which changes with the directory. Returns the number of events. */
function prepareRestored(file: string, origin: Origin, { data, now }: Pick<RestoreOptions, 'data' | 'now'>): number {
  const restored = new DatabaseSync(file);
  try {
    const reference = (directory: string) => JSON.stringify(`file:${secretsDirectoryOf(directory)}/`).slice(1, -1);
    restored
      .prepare('UPDATE subscriptions SET body = replace(body, ?, ?)')
      .run(reference(origin.directory), reference(resolve(data)));
    raiseVersions(restored, origin.at, now);
    restored.exec('DROP TABLE backup_origin; DROP TABLE backup_secrets');
    return Number(restored.prepare('SELECT count(*) AS events FROM events').get()?.events);
  } finally {
    restored.close();
  }
}

/**
 * A change that was made and undone since the backup may be made again before the first scan. It would have the id of the
 * first one, and receivers that remember ids would drop it. So records that are as they were in the backup continue with the
 * version that they have in the replaced data, and records that were made and deleted since stay known as deleted.
 */
function keepUndoneVersions(file: string, replaced: string): void {
  const db = new DatabaseSync(file);
  try {
    db.prepare('ATTACH ? AS replaced').run(replaced);
    const versionOf = (schema: string) => db.prepare(`PRAGMA ${schema}.user_version`).get()?.user_version;
    if (versionOf('main') !== versionOf('replaced')) return;
    const key = ['source', 'resource', 'id_length', 'id'];
    const isSame = (path: string) => `json_extract(main.body, '${path}') IS json_extract(later.body, '${path}')`;
    const record = (table: string) => `json_remove(json_extract(${table}.body, '$.record'), '$.datemodified')`;
    db.exec(
      `UPDATE snapshots AS main SET version = later.version, body = json_set(main.body, '$.version', later.version,
         '$.versionOffset', coalesce(json_extract(later.body, '$.versionOffset'), 0))
       FROM replaced.snapshots AS later
       WHERE ${key.map((name) => `main.${name} = later.${name}`).join(' AND ')} AND main.version < later.version
         AND ${isSame('$.stage')} AND ${isSame('$.deletedAt')} AND ${record('main')} = ${record('later')}`,
    );
    db.exec(
      `INSERT OR IGNORE INTO snapshots (${key.join()}, version, body)
       SELECT ${key.join()}, version, body FROM replaced.snapshots WHERE json_extract(body, '$.deletedAt') IS NOT NULL`,
    );
  } catch {
    // Damaged data is a reason to restore a backup: then the versions of the backup have to do.
  } finally {
    db.close();
  }
}

/**
 * Receivers drop events with a lower version than they have. Which versions they have since the backup is unknown, so all
 * are raised by more than can have been committed since then, also if this backup was restored before. New records begin
 * after the raise too: those that were found since the backup are found again.
 */
function raiseVersions(db: DatabaseSync, madeAt: Instant, now: Instant): void {
  const raise = raiseAfterRestore(madeAt, now);
  const raised = (path: string) => `'${path}', coalesce(json_extract(body, '${path}'), 0) + :raise`;
  db.exec('BEGIN');
  db.prepare(
    `INSERT OR IGNORE INTO snapshots (source, resource, id_length, id, version, body)
     SELECT DISTINCT source, '${ACCOUNT_RESOURCE}', length(source), source, 1, json_object(
       'key', json_object('source', source, 'resource', '${ACCOUNT_RESOURCE}', 'id', source), 'version', 1,
       'record', json_object('id', source), 'stage', json('{}'), 'deletedAt', NULL, 'committedAt', :now, 'cause', 'baseline',
       'occurred', json_object('after', NULL, 'before', :now), 'nextMoment', NULL)
     FROM snapshots WHERE resource <> 'subscription'`,
  ).run({ now });
  db.prepare(
    `UPDATE snapshots SET version = version + :raise, body = json_set(body, ${raised('$.version')}, ${raised('$.versionOffset')}, '$.restoredAt', :now)`,
  ).run({ raise, now });
  db.prepare(
    `UPDATE snapshots SET body = json_set(body, ${raised('$.record.forgottenVersion')}, ${raised('$.record.versionOffset')},
       '$.record.restoredAt', :now) WHERE resource = '${ACCOUNT_RESOURCE}'`,
  ).run({ raise, now });
  db.exec('COMMIT');
}

function writeSecretFiles(directory: string, secrets: readonly (readonly [name: string, content: string])[]): void {
  if (secrets.length === 0) return;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const [name, content] of secrets) {
    // A name from a file that someone may have changed.
    if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name)) continue;
    writeFileSync(join(directory, name), content, { mode: PRIVATE });
  }
}
