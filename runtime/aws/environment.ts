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

/** Name of the stack: tells the metrics of one deployment from those of another beside it. Not there: 'tidings'. */
export const DEPLOYMENT = 'TIDINGS_DEPLOYMENT';

/** Address of the stack's own API, of deliver alone: where links of mails lead when the config names no other place. */
export const MANAGE_URL = 'TIDINGS_MANAGE_URL';

/** Name of the SES configuration set that mails go out with, of deliver alone, where mail is sent. */
export const CONFIGURATION_SET = 'TIDINGS_CONFIGURATION_SET';

/**
 * The config as JSON, checked when the stack was made. In a bundle esbuild puts the text in place of the variable: it
 * may be longer than the 4 KB an environment takes, and a change of it is a new version of the code.
 */
export const CONFIG = 'TIDINGS_CONFIG';
