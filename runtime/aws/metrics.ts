/** Names of the metrics that functions publish and alarms and dashboard read. No SDK is imported here. */

export const NAMESPACE = 'Tidings';

/**
 * The dimensions of our metrics: each combination of values is billed as a metric. `service` is the name of the
 * stack, so that deployments do not trigger each other's alarms; this is its default.
 */
export const DEFAULT_SERVICE = 'tidings';
export const FUNCTION_DIMENSION = 'function';

/** A further dimension of the metrics about one source. They are published only while something is wrong with it. */
export const SOURCE_DIMENSION = 'source';

export const FUNCTION_NAMES = ['poll', 'tick', 'announce', 'deliver', 'manage', 'setup'] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];

export const METRICS = {
  /** Successful scans. Each poll publishes all three counts, even if 0: an alarm compares them. */
  scans: { function: 'poll', name: 'Scans', unit: 'Count' },
  failedScans: { function: 'poll', name: 'FailedScans', unit: 'Count' },
  /** Sources whose scans have failed several times in a row. Each poll publishes it, even if 0. */
  failingSources: { function: 'poll', name: 'FailingSources', unit: 'Count' },
  /** Records created, changed or deleted. */
  changes: { function: 'poll', name: 'Changes', unit: 'Count' },
  /** Remaining requests of today's quota, one value per source: use the minimum. */
  quotaLeft: { function: 'poll', name: 'QuotaLeft', unit: 'Count' },
  /** How long the oldest agenda entry had been due when tick processed it; 0 if none was due. */
  oldestDue: { function: 'tick', name: 'OldestDue', unit: 'Seconds' },
  events: { function: 'announce', name: 'EventsAnnounced', unit: 'Count' },
  accepted: { function: 'deliver', name: 'DeliveriesAccepted', unit: 'Count' },
  retried: { function: 'deliver', name: 'DeliveriesRetried', unit: 'Count' },
  /** Without tests, and without those of keys and Slack channels. */
  givenUp: { function: 'deliver', name: 'DeliveriesGivenUp', unit: 'Count' },
  /** From the creation of a delivery to its acceptance. */
  latency: { function: 'deliver', name: 'DeliveryLatency', unit: 'Milliseconds' },
} as const satisfies Readonly<
  Record<string, { readonly function: FunctionName; readonly name: string; readonly unit: string }>
>;

export type MetricName = keyof typeof METRICS;

/** Published with the source as a further dimension, by deployments with alarms per source, and only while the value is 1. */
export const METRICS_BY_SOURCE = {
  /** Its scans have failed several times in a row. */
  sourceFailing: { function: 'poll', name: 'SourceFailing', unit: 'Count' },
  /** A resource of it was not read for several of its intervals. */
  sourceLagging: { function: 'poll', name: 'SourceLagging', unit: 'Count' },
} as const;

export type SourceMetricName = keyof typeof METRICS_BY_SOURCE;
