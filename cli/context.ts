/** What a command needs from its process, passed in so that tests can replace it. */

import type { Clock } from '../core/model/time.ts';
import type { Environment } from '../runtime/config/config.ts';
import type { Terminal } from './terminal.ts';

export interface Context {
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly pid: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborts when the process is asked to stop. */
  readonly stop: AbortSignal;
}

/** 0 success, 1 failure. Invalid usage and config are thrown and become exit code 2. */
export type ExitCode = 0 | 1;
