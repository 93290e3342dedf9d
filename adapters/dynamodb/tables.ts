/**
 * The keys and indexes of the two tables, as plain data for the stores, the CDK constructs and the tests. Imports nothing,
 * so that describing a table needs no SDK.
 */

export interface IndexDefinition {
  readonly name: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  /** Attributes besides the keys of table and index. Few and small: an index entry of up to 1 KB costs one write unit. */
  readonly include: readonly string[];
}

export interface TableDefinition {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** All are sparse: an item is in an index only while it has both of its keys. */
  readonly indexes: readonly IndexDefinition[];
  /** The attribute with the expiry time, in seconds. @default - items do not expire */
  readonly timeToLive?: string;
}

export const SNAPSHOTS_DEFINITION = {
  partitionKey: 'pk',
  sortKey: 'sk',
  indexes: [
    { name: 'agenda', partitionKey: 'agenda', sortKey: 'nextMoment', include: [] },
    // The records that an open digest lists.
    { name: 'standing', partitionKey: 'standing', sortKey: 'sk', include: [] },
  ],
  timeToLive: 'expiresAt',
} as const satisfies TableDefinition;

export const LEDGER_DEFINITION = {
  partitionKey: 'pk',
  sortKey: 'sk',
  indexes: [
    // Agenda entries include the subscription, the number of the attempt and the place on the timeline.
    { name: 'agenda', partitionKey: 'agenda', sortKey: 'dueAt', include: ['subscription', 'attempt', 'place'] },
    // The events of a subject, and waiting, held and failed deliveries.
    { name: 'lists', partitionKey: 'list', sortKey: 'place', include: [] },
  ],
  timeToLive: 'expiresAt',
} as const satisfies TableDefinition;

/** The partition of the sources that are not in the config. */
export const SOURCES_PARTITION = 'sources';

/** The partition of the snapshots table that holds the health of subscriptions, and nothing else: a source cannot have this name. */
export const SUBSCRIPTION_HEALTH_PARTITION = '_tidings#subscription';

/** The resource of the record, and the kind of the document, with which `tidings verify` checks a stack. */
export const VERIFICATION = 'verification';

/** The attribute of snapshots that were copied from another database, where their events were derived. */
export const COPIED_MARK = 'copiedAt';

/** For the event source mapping of the snapshots' stream: baselines and copies cause no events, and a deletion is not a commit. */
export const STREAM_FILTER = {
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    NewImage: { cause: { S: [{ 'anything-but': ['baseline'] }] }, [COPIED_MARK]: { S: [{ exists: false }] } },
  },
} as const;
