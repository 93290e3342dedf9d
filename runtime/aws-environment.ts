/**
 * The variables of a function's environment in AWS, all of them: what the stack sets and what the functions read.
 * Plain names without any SDK, so that the stack and the functions share them.
 */

/** Name of the table of snapshots, whose stream is the change feed. */
export const SNAPSHOTS_TABLE = 'TIDINGS_SNAPSHOTS_TABLE';

/** Name of the table of everything else. */
export const LEDGER_TABLE = 'TIDINGS_LEDGER_TABLE';

/** URL of the queue of attempts to make. */
export const QUEUE_URL = 'TIDINGS_QUEUE_URL';

/**
 * The config as JSON, checked when the stack was made. In a bundle esbuild puts the text in place of the variable: it
 * may be longer than the 4 KB an environment takes, and a change of it is a new version of the code.
 */
export const CONFIG = 'TIDINGS_CONFIG';
