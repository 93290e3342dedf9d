/** What a command needs from its process, passed in so that tests can replace it. */

import type { Clock } from '../core/model/time.ts';
import type { Environment } from '../runtime/config/config.ts';
import type { DataLocation } from '../runtime/inspect/open-stores.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';

/** The config of commands without `--config`. */
export const DEFAULT_CONFIG = 'tidings.yaml';

export interface ProcessContext {
  readonly terminal: Terminal;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly pid: number;
  /** In [0, 1). */
  readonly random: () => number;
  /** Aborts when the process is asked to stop. */
  readonly stop: AbortSignal;
  /** Asks a person. @default - stdin is not a terminal, so there is nobody to ask */
  readonly ask?: Ask;
  /**
   * Calls the listener on SIGHUP until the returned function is called. Without a listener SIGHUP ends the process.
   * @default - the process cannot be asked to reload
   */
  readonly onReload?: (listener: () => void) => () => void;
}

/** `hidden` does not echo what is typed. */
export type Ask = (question: string, options?: { readonly hidden?: boolean }) => Promise<string>;

/** What a command gets. `environment` includes `.env` beside its config. */
export interface Context extends ProcessContext {
  readonly version: string;
  /** Reads `.env` again. */
  readonly readEnvironment: (configFile: string) => Environment;
}

/** 0 success, 1 failure. Invalid usage and config are thrown and become exit code 2. */
export type ExitCode = 0 | 1;

export interface Location extends DataLocation {
  /** The address of the management API. @default - the data directory or the stack */
  readonly api?: string;
  /** The key of the API. @default - TIDINGS_API_KEY */
  readonly key?: string;
  /** The config of a data directory or a stack, for what needs it. @default - none; the API needs none */
  readonly config?: string;
}
