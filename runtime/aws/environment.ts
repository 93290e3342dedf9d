/** All environment variables of the functions. The stack sets them and the functions read them; no SDK is imported here. */

/** Name of the snapshots table, whose stream is the change feed. */
export const SNAPSHOTS_TABLE = 'TIDINGS_SNAPSHOTS_TABLE';

/** Name of the ledger table. */
export const LEDGER_TABLE = 'TIDINGS_LEDGER_TABLE';

/** URL of the queue of delivery attempts. */
export const QUEUE_URL = 'TIDINGS_QUEUE_URL';

/** URL of the queue of polls, set for poll only, if the deployment may have several sources. */
export const POLL_QUEUE_URL = 'TIDINGS_POLL_QUEUE_URL';

/** URL of the queue of polls that are known to take long. */
export const SLOW_POLL_QUEUE_URL = 'TIDINGS_SLOW_POLL_QUEUE_URL';

/** Name of the stack: the `service` dimension of metrics and logs. Without it: 'tidings'. */
export const DEPLOYMENT = 'TIDINGS_DEPLOYMENT';

/** `xray`: the spans of changes are sent to X-Ray. Without it nothing is traced. */
export const TRACING = 'TIDINGS_TRACING';

/** `true`: poll publishes metrics about single sources, for the alarms per source. */
export const SOURCE_METRICS = 'TIDINGS_SOURCE_METRICS';

/** URL of the stack's API, set for deliver only: base of unsubscribe links if the config has no `manage.url`. */
export const MANAGE_URL = 'TIDINGS_MANAGE_URL';

/** Name of the SES configuration set, set for deliver only, if mail is configured. */
export const CONFIGURATION_SET = 'TIDINGS_CONFIGURATION_SET';

/** How many executions of deliver there are at a time at most, set for deliver only. Without it: the default. */
export const MAX_EXECUTIONS = 'TIDINGS_MAX_EXECUTIONS';

export const DEFAULT_MAX_EXECUTIONS = 20;

/**
 * The config as JSON, validated at synthesis. In a bundle esbuild replaces the variable with the text: it may exceed the
 * 4 KB limit of an environment, and a changed config becomes a new version of the code.
 */
export const CONFIG = 'TIDINGS_CONFIG';
