/** What a command gets from the process it runs in, so that tests can be that process. */

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

/** What a command leaves behind: 0 done, 1 the work failed. Bad usage and config are thrown, and become 2. */
export type ExitCode = 0 | 1;
