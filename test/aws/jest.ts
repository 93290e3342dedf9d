/** Installs Jest into its own folder, in one version, for the test of an app that uses the construct as `cdk init` makes it. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tools.ts';

const VERSION = '30.5.2';
const FOLDER = join(root, '.lanes', `jest-${VERSION}`);

/** Returns the path of its command. Throws if the installation fails. */
export function installJest(): string {
  const command = join(FOLDER, 'node_modules/jest/bin/jest.js');
  if (existsSync(command)) return command;
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', FOLDER];
  const { status, stderr } = spawnSync('npm', ['install', ...flags, `jest@${VERSION}`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`jest could not be installed: ${stderr}`);
  return command;
}
