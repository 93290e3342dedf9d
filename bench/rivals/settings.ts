/** The environment variables that name running servers of the others, and the errors that name a wrong one. */

import type { Environment } from '../../runtime/config/config.ts';
import { findProcesses } from '../process-usage.ts';

/** Something to correct in the environment. The message names the variable. */
export class RivalError extends Error {}

export interface RivalSettings {
  readonly url: string;
  readonly key: string;
  /** Processes whose CPU time and memory count. Empty: they are unknown. */
  readonly pids: readonly number[];
  /** Names of the variables, for messages. */
  readonly variables: RivalVariables;
}

export interface RivalVariables {
  readonly url: string;
  readonly key: string;
  readonly processes: string;
}

export const SVIX_VARIABLES: RivalVariables = {
  url: 'RIVALS_SVIX_URL',
  key: 'RIVALS_SVIX_TOKEN',
  processes: 'RIVALS_SVIX_PROCESSES',
};

export const OUTPOST_VARIABLES: RivalVariables = {
  url: 'RIVALS_OUTPOST_URL',
  key: 'RIVALS_OUTPOST_KEY',
  processes: 'RIVALS_OUTPOST_PROCESSES',
};

/** Undefined if the environment names no server. Throws RivalError for a value that cannot be used. */
export function readRivalSettings(variables: RivalVariables, environment: Environment): RivalSettings | undefined {
  const [url = '', key = '', processes = ''] = [variables.url, variables.key, variables.processes].map(
    (name) => environment[name]?.trim() ?? '',
  );
  if (url === '') {
    const stray = key !== '' ? variables.key : processes !== '' ? variables.processes : undefined;
    if (stray === undefined) return undefined;
    throw new RivalError(`${stray} is set but ${variables.url} is not: set it to the address of the server`);
  }
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new RivalError(`${variables.url}: expected an address such as http://127.0.0.1:8071, got '${url}'`);
  }
  if (key === '') {
    throw new RivalError(
      `${variables.key} is missing: ${variables.url} needs the key of its API, see docs/benchmarks.md`,
    );
  }
  return { url: parsed.href.replace(/\/+$/, ''), key, pids: readProcesses(variables.processes, processes), variables };
}

/** Ids or names, separated by commas. */
function readProcesses(variable: string, text: string): readonly number[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts
    .filter((part) => part !== '')
    .flatMap((part) => {
      const pids = /^\d+$/.test(part) ? [Number(part)].filter(isRunning) : findProcesses(part);
      if (pids.length > 0) return pids;
      throw new RivalError(`${variable}: no process '${part}' runs here; expected ids or names as ps -e shows them`);
    });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
