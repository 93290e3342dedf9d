/** The names of what the functions measure: what they write, and what alarms and graphs read. Plain names, no SDK. */

export const NAMESPACE = 'Tidings';

/**
 * The dimensions of every metric, and no others: each combination of values is a metric of its own, and paid for. The
 * service is the name of the stack, so that no deployment rings the alarms of another; this where nobody named one.
 */
export const DEFAULT_SERVICE = 'tidings';
export const FUNCTION_DIMENSION = 'function';

export const FUNCTION_NAMES = ['poll', 'tick', 'announce', 'deliver', 'manage', 'setup'] as const;
export type FunctionName = (typeof FUNCTION_NAMES)[number];

export const METRICS = {
  /** Those that came to their end. Each poll tells all three counts, be they 0: an alarm compares them. */
  scans: { function: 'poll', name: 'Scans', unit: 'Count' },
  failedScans: { function: 'poll', name: 'FailedScans', unit: 'Count' },
  /** Records that were new, other than before, or gone. */
  changes: { function: 'poll', name: 'Changes', unit: 'Count' },
  /** Requests left of today's quota; of several sources one value each, so the minimum is the one to watch. */
  quotaLeft: { function: 'poll', name: 'QuotaLeft', unit: 'Count' },
  /** How long the oldest thing on the agenda had been due when tick came to it; 0 when nothing was. */
  oldestDue: { function: 'tick', name: 'OldestDue', unit: 'Seconds' },
  events: { function: 'announce', name: 'EventsAnnounced', unit: 'Count' },
  accepted: { function: 'deliver', name: 'DeliveriesAccepted', unit: 'Count' },
  retried: { function: 'deliver', name: 'DeliveriesRetried', unit: 'Count' },
  givenUp: { function: 'deliver', name: 'DeliveriesGivenUp', unit: 'Count' },
  /** From the opening of a delivery to its acceptance. */
  latency: { function: 'deliver', name: 'DeliveryLatency', unit: 'Milliseconds' },
} as const satisfies Readonly<
  Record<string, { readonly function: FunctionName; readonly name: string; readonly unit: string }>
>;

export type MetricName = keyof typeof METRICS;
