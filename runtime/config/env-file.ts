/**
 * Reads `.env` beside a config: values for `${NAME}`, so that secrets need not be in the config or in the shell. The
 * environment of the process has priority, and is not changed. Messages never show a value.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError, type ConfigProblem, errorMessage, systemErrorCode, UsageError } from '../../core/model/errors.ts';
import type { Environment } from './config.ts';

export function envFileOf(configFile: string): string {
  return join(dirname(configFile), '.env');
}

/** Variables that are empty count as not set, as in the config. */
export function withEnvFile(configFile: string, environment: Environment): Environment {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  return { ...parseEnvFile(envFileOf(configFile)), ...Object.fromEntries(set) };
}

function parseEnvFile(file: string): Environment {
  const text = readEnvFile(file);
  if (text === undefined) return {};
  const problems = findEnvProblems(text);
  if (problems.length > 0) throw new ConfigError(file, problems);
  return parseEnv(text);
}

/** Without the byte order mark; undefined if there is no such file, or none that this user may read. */
export function readEnvFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    // EISDIR: a folder of this name is a virtual environment of Python. EACCES: a service manager may have read the file
    // for us. If a variable is missing, the hint says so.
    if (UNREAD.includes(systemErrorCode(error) ?? '')) return undefined;
    throw new UsageError('TIDINGS_ENV_FILE_UNREADABLE', `'${file}': cannot be read: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

const UNREAD = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM'];

const ASSIGNMENT = /^\s*(?:export\s+)?[\w.-]+\s*=[^\S\n]*/;

/** Node's parser skips lines that it does not understand, and an unclosed quote swallows the next lines. */
export function findEnvProblems(text: string): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (/^\s*(#|$)/.test(line)) continue;
    const at = (message: string) => problems.push({ path: `line ${index + 1}`, message });
    const [assignment] = ASSIGNMENT.exec(line) ?? [];
    if (assignment === undefined) {
      at('expected NAME=value, a comment or an empty line');
      continue;
    }
    const value = line.slice(assignment.length);
    const [quote = ''] = /^['"`]/.exec(value) ?? [];
    if (quote === '') continue;
    const rest = [value.slice(1), ...lines.slice(index + 1)];
    const closing = rest.findIndex((part) => part.includes(quote));
    const tail = rest[closing]?.slice(rest[closing].indexOf(quote) + 1) ?? '';
    if (closing === -1) at(`expected a closing ${quote} after the value`);
    else if (!/^\s*(#|$)/.test(tail)) at(`expected nothing after the closing ${quote} of the value`);
    else index += closing;
  }
  return problems;
}

/** `NAME=value`, quoted where needed. Undefined for a value that `.env` cannot express. */
export function formatEnvLine(name: string, value: string): string | undefined {
  if (/[\r\n]/.test(value)) return undefined;
  if (value !== '' && !/[\s'"`#]/.test(value)) return `${name}=${value}`;
  // Double quotes would replace \n in the value.
  const quote = ["'", '`'].find((one) => !value.includes(one));
  return quote === undefined ? undefined : `${name}=${quote}${value}${quote}`;
}

/** What a config with unset variables can do about it. */
export function envFileHint(configFile: string): string {
  const file = envFileOf(configFile);
  const state =
    readEnvFile(file) !== undefined
      ? ''
      : existsSync(file)
        ? ', which this user cannot read as a file'
        : ', which does not exist';
  return `variables are read from the environment and from ${file}${state}`;
}
