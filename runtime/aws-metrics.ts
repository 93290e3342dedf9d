/** The names of what the functions measure: what they write, and what alarms and graphs read. Plain names, no SDK. */

export const NAMESPACE = 'Tidings';

/** The dimensions of every metric, and no others: each combination of values is a metric of its own, and paid for. */
export const SERVICE = 'tidings';
export const FUNCTION_DIMENSION = 'function';

export const FUNCTIONS = ['poll', 'tick', 'announce', 'deliver', 'manage', 'setup'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

export const METRICS = {
  /** 1 for each poll that came to its end, whatever it found: silence means that nobody is polling. */
  heartbeat: { function: 'poll', name: 'PollHeartbeat', unit: 'Count' },
  scans: { function: 'poll', name: 'Scans', unit: 'Count' },
  failedScans: { function: 'poll', name: 'FailedScans', unit: 'Count' },
  /** Records that were new, other than before, or gone. */
  changes: { function: 'poll', name: 'Changes', unit: 'Count' },
  /** Requests left of today's quota; of several sources one value each, so the minimum is the one to watch. */
  quotaLeft: { function: 'poll', name: 'QuotaLeft', unit: 'Count' },
  /** How long the oldest thing on the agenda had been due when tick came to it; 0 when nothing was. */
  oldestDue: { function: 'tick', name: 'OldestDue', unit: 'Seconds' },
  /** Moments of the agenda that tick dealt with. */
  due: { function: 'tick', name: 'Due', unit: 'Count' },
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
