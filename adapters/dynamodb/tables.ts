/**
 * The two tables as plain data: what their keys and indexes are. The stores, the CDK constructs and the tests all make
 * them from this. Imports nothing, so that whoever describes a table needs no SDK.
 */

export interface IndexDefinition {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Besides the keys of table and index. Few and small: an index entry of up to 1 KB is one write unit. */
  readonly include: readonly string[];
}

export interface TableDefinition {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** All of them sparse: an item is in one only while it has both of its keys. */
  readonly indexes: readonly IndexDefinition[];
  /** Holds the second from which an item may go. @default - items stay */
  readonly timeToLive?: string;
}

export const SNAPSHOTS_DEFINITION = {
  partitionKey: 'pk',
  sortKey: 'sk',
  indexes: [{ name: 'agenda', partitionKey: 'agenda', sortKey: 'nextMoment', include: [] }],
} as const satisfies TableDefinition;

export const LEDGER_DEFINITION = {
  partitionKey: 'pk',
  sortKey: 'sk',
  indexes: [
    // What a moment on the agenda tells besides its key: whose it is, which attempt, and when it was recorded.
    { name: 'agenda', partitionKey: 'agenda', sortKey: 'dueAt', include: ['subscription', 'attempt', 'place'] },
    // The events of a subject, and the deliveries that wait, are held or have failed.
    { name: 'lists', partitionKey: 'list', sortKey: 'place', include: [] },
  ],
  timeToLive: 'expiresAt',
} as const satisfies TableDefinition;

/** For the event source mapping of the snapshots' stream: a baseline is never news, and a removal is no commit. */
export const STREAM_FILTER = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: { NewImage: { cause: { S: [{ 'anything-but': ['baseline'] }] } } },
} as const;
