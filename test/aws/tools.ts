/**
 * Installs moto, cfn-lint and schemathesis into their own folder, in the versions pinned beside this file, and again when a pin changes.
 * Installs nothing globally.
 */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const FOLDER = join(root, '.lanes/moto');

/** Written last: without it the installation is incomplete. */
const STAMP = join(FOLDER, 'installed');

export interface Tools {
  readonly motoServer: string;
  readonly cfnLint: string;
  readonly schemathesis: string;
}

export const TOOLS: Tools = {
  motoServer: join(FOLDER, 'bin/moto_server'),
  cfnLint: join(FOLDER, 'bin/cfn-lint'),
  schemathesis: join(FOLDER, 'bin/schemathesis'),
};

/** Undefined without a suitable Python. Throws if the installation fails. */
export function installTools(say: (text: string) => void): Tools | undefined {
  // Checked first: the installed packages depend on the Python they were installed with.
  if (!hasPython()) return undefined;
  const wanted = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted) return TOOLS;
  say('installing moto, cfn-lint and schemathesis into .lanes/moto, once, about a minute');
  rmSync(FOLDER, { recursive: true, force: true });
  mustRun('python3', ['-m', 'venv', FOLDER]);
  // Only a small part is ever loaded, and Python compiles it on demand.
  const options = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-compile'];
  mustRun(join(FOLDER, 'bin/pip'), ['install', ...options, '--requirement', REQUIREMENTS]);
  writeFileSync(STAMP, wanted);
  return TOOLS;
}

/** On Debian, Python may lack `ensurepip`, without which it cannot create a venv. */
function hasPython(): boolean {
  const test = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))';
  return spawnSync('python3', ['-c', test], { stdio: 'ignore' }).status === 0;
}

function mustRun(command: string, argv: readonly string[]): void {
  const { status, error } = spawnSync(command, argv, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${argv.join(' ')} failed: ${error?.message ?? `exit code ${status}`}`);
}
