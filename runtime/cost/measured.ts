/**
 * What one piece of work takes: units and bytes as `npm run bench -- cost-units` counts them, and, told apart from these,
 * what nobody has measured yet. Plain figures; the estimate of costs is made from them in cost.ts.
 */

/** Units of DynamoDB. */
export interface Units {
  readonly read: number;
  readonly write: number;
}

export const MEASURED_UNITS = {
  /** A minute in which nothing of a resource is due: its scan state. */
  idlePoll: { read: 1, write: 0 },
  /** A delta that finds nothing, besides the state: how the source is, the lease, the state again. */
  scan: { read: 3, write: 3 },
  /** The same for a list that is read whole, with the first piece of its manifest. */
  sweep: { read: 4, write: 3 },
  /** A record that a scan found changed: snapshot read and committed, and one doubt, as when changes are scattered. */
  found: { read: 1, write: 2 },
  /** A record that changed within the lookback of a delta: read once more, and found the same. */
  again: { read: 1, write: 0 },
  /** The same record at the next sweep: its fingerprint is not that of the manifest any more. */
  swept: { read: 1, write: 0 },
  /** A part of a manifest that a sweep writes anew, because records in it changed: part, head, old part, doubts. */
  part: { read: 0, write: 4 },
  /** A batch of the stream: the subscriptions, as two of them take it, and the timeline. */
  announceBatch: { read: 1.5, write: 1 },
  /** An event that is recorded, its place in the list of its subject included. */
  event: { read: 0, write: 2.52 },
  /** A delivery that is opened. */
  opened: { read: 0, write: 2.16 },
  /** A batch of the queue: the subscription and the health of its receiver. */
  deliverBatch: { read: 2, write: 0 },
  /** An attempt that is made and accepted. */
  delivered: { read: 1, write: 2 },
  /** A turn of a receiver with a rate, before an attempt at it. */
  turn: { read: 1, write: 1 },
} as const satisfies Readonly<Record<string, Units>>;

/** Records for each further read unit of a sweep: 100,000 unchanged take 11, `npm run bench -- units`. */
export const RECORDS_A_READ = 16_000;

/** Records whose fingerprints are in one read unit: a sweep that finds a change reads those of the whole page. */
export const FINGERPRINTS_A_READ = 180;

/** Records in a part of a manifest (adapters/dynamodb: ids and fingerprints that fill a unit). */
export const RECORDS_A_PART = 54;

/** By DynamoDB's rules and not by measure: the local tables charge nothing for a query that finds nothing. Eight a tick. */
export const TICK_UNITS: Units = { read: 4, write: 0 };

/** Bytes in the tables and their indexes, with the 100 that DynamoDB adds to each item. */
export const MEASURED_BYTES = { record: 1080, event: 1400, delivery: 540 } as const;

/** Nobody has measured these in AWS yet. */
export const ASSUMED = {
  /** Seconds. */
  seconds: {
    /** A call of poll or tick that finds nothing to do. */
    idle: 0.05,
    /** A request to the work API, and what is made of its answer: pages grow only while they stay under this. */
    request: 2,
    /** A change that is committed; an event that is announced; a delivery that is opened. */
    record: 0.01,
    /** A batch of the stream, before its records. */
    announceBatch: 0.1,
    /** A batch of the queue: the receivers' answers, at the same time. */
    deliverBatch: 0.5,
  },
  /** Bytes of logs: of a call (the platform's lines, metrics), and of what is told line by line. */
  logBytes: { call: 1500, scan: 500, change: 300, delivery: 400 },
  /** How often a function that is in use reads a secret anew, in a month: every five minutes, and two functions. */
  secretReads: 2 * 8640,
  /** Lambda asks a queue in five lines, each for 20 s at a time. */
  emptyReceives: 5 * 3,
} as const;

/** What lib/ deploys. */
export const DEPLOYED = {
  memoryGb: { poll: 1, tick: 0.5, announce: 1, deliver: 0.5 },
  schedules: 2,
  /** Milliseconds between two starts of poll: nothing is looked at more often. */
  pollEvery: 60_000,
  streamBatch: 100,
  queueBatch: 10,
  metrics: 10,
  /** Of alarms, which are paid for by the metrics they look at: one on an expression has several. */
  alarmMetrics: 25,
  mailAlarmMetrics: 2,
  dashboards: 1,
  keys: 1,
} as const;
