/** Writes the files of `tidings init`: the config, and `.env`, which only its owner can read. Replaces nothing unasked. */

import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, UsageError } from '../core/model/errors.ts';
import { findEnvProblems, formatEnvLine, readEnvFile } from '../runtime/config/env-file.ts';
import type { InitialSetup } from './init-config.ts';

const PRIVATE = 0o600;

export interface SetupFiles {
  readonly config: string;
  readonly env: string;
  /** Replaces the config, and variables of the same name in `.env`. */
  readonly force: boolean;
}

/** Throws UsageError before anything is written. */
export function assertFilesFree(files: SetupFiles, variables: readonly string[]): void {
  const env = readEnvFile(files.env) ?? '';
  if (env === '' && existsSync(files.env) && !isReadableFile(files.env))
    throw new UsageError('TIDINGS_ENV_FILE_UNREADABLE', `'${files.env}' cannot be read: nothing was written`);
  const problems = findEnvProblems(env);
  // Its other variables are kept, and every command would stumble over them.
  if (problems.length > 0) throw new ConfigError(files.env, problems, 'nothing was written');
  if (files.force) return;
  const taken: string[] = [];
  if (existsSync(files.config)) taken.push(`'${files.config}' exists`);
  const existing = parseEnv(env);
  const repeated = variables.filter((name) => existing[name] !== undefined);
  if (repeated.length > 0) taken.push(`'${files.env}' already sets ${repeated.join(', ')}`);
  if (taken.length === 0) return;
  throw new UsageError(
    'TIDINGS_FILE_EXISTS',
    `${taken.join(', and ')}: nothing was written; use --force to replace it, or --config to name another file`,
  );
}

function isReadableFile(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Keeps the other variables of an existing `.env`. The config is last: if the process dies before, `init` can run again. */
export function writeSetup({ config, env }: SetupFiles, setup: InitialSetup): void {
  const lines = Object.entries(setup.variables).map(([name, value]) => toLine(name, value));
  mkdirSync(dirname(config), { recursive: true });
  if (lines.length > 0) {
    const others = withoutVariables(readEnvFile(env) ?? '', Object.keys(setup.variables));
    const before = others === '' || others.endsWith('\n') ? others : `${others}\n`;
    // The mode applies only to a new file.
    if (existsSync(env)) chmodSync(env, PRIVATE);
    writeFileSync(env, `${before}${lines.join('\n')}\n`, { mode: PRIVATE });
  }
  writeFileSync(config, setup.config);
}

function toLine(name: string, value: string): string {
  const line = formatEnvLine(name, value);
  if (line !== undefined) return line;
  throw new UsageError(
    'TIDINGS_ENV_VALUE_UNSUPPORTED',
    `${name} has line breaks, or both ' and \`, which .env cannot express: set it in the environment instead`,
  );
}

function withoutVariables(text: string, names: readonly string[]): string {
  const isOurs = (line: string) => names.some((name) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`).test(line));
  return text
    .split('\n')
    .filter((line) => !isOurs(line))
    .join('\n');
}
