/** Keeps the data directory and its files private to their owner: 0700 and 0600. Existing ones are corrected. */

import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorMessage } from '../../core/model/errors.ts';

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/** Mode bits of group and others. */
const OTHERS = 0o077;

/** A directory that everyone may write to and that several users share, such as /tmp. */
const STICKY = 0o1000;

/** Level by level: Node's recursive mkdir never returns on file systems that answer ENOENT to it, such as /proc. */
export function makePrivateDirectory(directory: string): void {
  if (existsSync(directory)) return;
  makePrivateDirectory(dirname(directory));
  mkdirSync(directory, { mode: DIRECTORY_MODE });
}

/**
 * Creates the file if it does not exist: SQLite would create it with the default mode. Its WAL gets the same mode. An
 * existing file is not opened: closing it would release the locks that this process holds on it.
 */
export function makePrivateFile(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', FILE_MODE));
}

/** Removes the access of other users, and reports it. A file of another owner cannot be changed and is only reported. */
export function restrictAccess(
  directory: string,
  files: readonly string[],
  report: (message: string) => void = () => {},
): void {
  if (process.platform === 'win32') return;
  for (const path of [directory, ...files]) {
    const mode = modeOf(path);
    if (mode === undefined || (mode & OTHERS) === 0 || (path === directory && (mode & STICKY) !== 0)) continue;
    try {
      chmodSync(path, path === directory ? DIRECTORY_MODE : FILE_MODE);
      report(`'${path}' was accessible to other users (mode ${toText(mode)}): it is private now`);
    } catch (error) {
      report(
        `'${path}' is accessible to other users (mode ${toText(mode)}) and could not be changed: ${errorMessage(error)}`,
      );
    }
  }
}

function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode;
}

const toText = (mode: number) => (mode & 0o777).toString(8).padStart(4, '0');
