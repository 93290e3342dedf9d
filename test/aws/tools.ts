/**
 * Installs moto, cfn-lint, schemathesis and checkov into folders of their own, in the versions pinned beside this file, and again
 * when a pin changes. Installs nothing globally.
 */

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** A folder with the programs that a list of pinned packages installs. */
interface Installation {
  readonly what: string;
  readonly requirements: string;
  readonly folder: string;
  /** Whether the list has every package, so that nothing is to be resolved. */
  readonly isComplete: boolean;
}

const MOTO: Installation = {
  what: 'moto, cfn-lint and schemathesis',
  requirements: join(import.meta.dirname, 'requirements.txt'),
  folder: join(root, '.lanes/moto'),
  isComplete: false,
};

/** In a folder of its own: it pins versions that the others do not accept. */
const CHECKOV: Installation = {
  what: 'checkov',
  requirements: join(import.meta.dirname, 'requirements-checkov.txt'),
  folder: join(root, '.lanes/checkov'),
  isComplete: true,
};

export interface Tools {
  readonly motoServer: string;
  readonly cfnLint: string;
  readonly schemathesis: string;
  readonly checkov: string;
}

export const TOOLS: Tools = {
  motoServer: join(MOTO.folder, 'bin/moto_server'),
  cfnLint: join(MOTO.folder, 'bin/cfn-lint'),
  schemathesis: join(MOTO.folder, 'bin/schemathesis'),
  checkov: join(CHECKOV.folder, 'bin/checkov'),
};

/** Undefined without a suitable Python. Throws if an installation fails. */
export async function installTools(say: (text: string) => void): Promise<Tools | undefined> {
  // Checked first: the installed packages depend on the Python they were installed with.
  if (!hasPython('3, 10')) return undefined;
  // Its pinned packages need a newer one, as schemathesis does.
  const wanted = hasPython('3, 11') ? [MOTO, CHECKOV] : [MOTO];
  await Promise.all(wanted.map((one) => install(one, say)));
  return TOOLS;
}

async function install(
  { what, requirements, folder, isComplete }: Installation,
  say: (text: string) => void,
): Promise<void> {
  /** Written last: without it the installation is incomplete. */
  const stamp = join(folder, 'installed');
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  say(`installing ${what} into ${relative(root, folder)}, once, about a minute`);
  rmSync(folder, { recursive: true, force: true });
  await mustRun('python3', ['-m', 'venv', folder]);
  // Only a small part is ever loaded, and Python compiles it on demand.
  const options = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-compile'];
  const all = isComplete ? [...options, '--no-deps'] : options;
  await mustRun(join(folder, 'bin/pip'), ['install', ...all, '--requirement', requirements]);
  writeFileSync(stamp, wanted);
}

/** On Debian, Python may lack `ensurepip`, without which it cannot create a venv. @param version as a tuple */
function hasPython(version: string): boolean {
  const test = `import sys, venv, ensurepip; sys.exit(sys.version_info < (${version}))`;
  return spawnSync('python3', ['-c', test], { stdio: 'ignore' }).status === 0;
}

async function mustRun(command: string, argv: readonly string[]): Promise<void> {
  const child = spawn(command, argv, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} ${argv.join(' ')} failed: exit code ${code}`);
}
