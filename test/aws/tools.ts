/**
 * moto and cfn-lint in a folder of their own, in the versions that are pinned beside this file. Installs once; a change of
 * the pins installs anew. Touches nothing of the machine.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const FOLDER = join(root, '.lanes/moto');

/** Written last: a folder without it is one whose installation was broken off. */
const STAMP = join(FOLDER, 'installed');

export interface Tools {
  readonly motoServer: string;
  readonly cfnLint: string;
}

export const TOOLS: Tools = {
  motoServer: join(FOLDER, 'bin/moto_server'),
  cfnLint: join(FOLDER, 'bin/cfn-lint'),
};

/** Undefined where there is no Python that can hold them. Throws when there is one and the installation fails. */
export function installTools(say: (text: string) => void): Tools | undefined {
  // Before anything else: what was installed lives on the Python it was installed with.
  if (!hasPython()) return undefined;
  const wanted = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return TOOLS;
  say('installing moto and cfn-lint into .lanes/moto, once, about a minute');
  rmSync(FOLDER, { recursive: true, force: true });
  mustRun('python3', ['-m', 'venv', FOLDER]);
  // Only a small part of it is ever loaded: Python compiles that part then.
  const options = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-compile'];
  mustRun(join(FOLDER, 'bin/pip'), ['install', ...options, '--requirement', REQUIREMENTS]);
  writeFileSync(STAMP, wanted);
  return TOOLS;
}

/** Debian has Python without `ensurepip`, and then makes no venv. */
function hasPython(): boolean {
  const test = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';
  return spawnSync('python3', ['-c', test], { stdio: 'ignore' }).status === 0;
}

function mustRun(command: string, argv: readonly string[]): void {
  const { status, error } = spawnSync(command, argv, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')} failed: ${error?.message ?? `exit code ${status}`}`);
}
