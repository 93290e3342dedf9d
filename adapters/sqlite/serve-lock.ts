/**
 * Allows one process at a time to serve a data directory. The lock is SQLite's own lock on an empty file beside the data:
 * the kernel releases it when the process dies, so there is no stale lock to clear.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../../core/model/errors.ts';
import { makePrivateFile, restrictAccess } from './private-files.ts';

export interface ServeLock {
  /** Publishes the address of the server, for commands that link to it. */
  publish(url: string): void;
  release(): void;
}

const URL_FILE = 'serve.url';

export function lockForServing(directory: string, pid: number): ServeLock {
  const pidFile = join(directory, 'serve.pid');
  const lockFile = join(directory, 'serve.lock');
  makePrivateFile(lockFile);
  const lock = new DatabaseSync(lockFile, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw new UsageError(
      'TIDINGS_DATA_IN_USE',
      `data directory '${directory}' is served by another tidings${readPid(pidFile)}: stop that one, or name another directory with --data`,
      { cause: error },
    );
  }
  writeFileSync(pidFile, String(pid), { mode: 0o600 });
  restrictAccess(directory, [lockFile, pidFile]);
  return {
    publish: (url) => {
      writeFileSync(join(directory, URL_FILE), url, { mode: 0o600 });
      restrictAccess(directory, [join(directory, URL_FILE)]);
    },
    release: () => lock.close(),
  };
}

/** The address that the last `serve` with a console on this directory published; undefined if there was none. */
export function readServedUrl(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, URL_FILE), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Only for the message: the lock itself does not depend on it. */
function readPid(file: string): string {
  try {
    return ` (process ${readFileSync(file, 'utf8').trim()})`;
  } catch {
    return '';
  }
}
