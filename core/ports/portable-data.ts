/**
 * Port: all data of one database as entries that another database can store, to move an installation. Not part of it: caches
 * (manifests), the history of transitions, leases, sessions of the console, and what lasts for a day (idempotent requests).
 */

import type { ApiKey } from '../model/api-key.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { Delivery } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { ScanState } from '../model/scan.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import type { DocumentBody } from './document-store.ts';
import type { KeyUsage } from './key-usage-store.ts';
import type { StoredSource } from './source-store.ts';
import type { StoredThread } from './thread-store.ts';

interface PortableThread extends StoredThread {
  readonly subscription: string;
  readonly subject: string;
}

interface StoredDocument {
  readonly kind: string;
  readonly id: string;
  readonly body: DocumentBody;
  /** Null: never. */
  readonly expiresAt: Instant | null;
}

/** The kinds of entries, and what each holds. */
export interface PortableValues {
  readonly subscription: Subscription;
  readonly scan: ScanState;
  readonly event: TidingsEvent;
  readonly delivery: Delivery;
  readonly thread: PortableThread;
  readonly key: ApiKey;
  readonly usage: KeyUsage & { readonly key: string };
  readonly audit: AuditEntry;
  readonly document: StoredDocument;
  readonly snapshot: Snapshot;
  readonly source: StoredSource;
}

export type PortableKind = keyof PortableValues;

/**
 * In the order in which they are written. A delivery comes after its events, and with its scan states a source is complete:
 * only then it may be polled.
 */
export const PORTABLE_KINDS: readonly PortableKind[] = [
  'subscription',
  'event',
  'delivery',
  'thread',
  'key',
  'usage',
  'audit',
  'document',
  'snapshot',
  'scan',
  'source',
];

/** `order` sorts entries of a kind as they were recorded, where that matters. */
export type PortableEntry = {
  readonly [K in PortableKind]: {
    readonly kind: K;
    /** Unique within its kind. */
    readonly id: string;
    readonly order: string;
    readonly value: PortableValues[K];
  };
}[PortableKind];

export interface PortablePage {
  readonly entries: readonly PortableEntry[];
  /** Continues after this page. */
  readonly cursor: string;
}

/** What decides whether data can be moved from here, or to here. */
interface DataState {
  /** Whether it has records of a source. */
  readonly hasRecords: boolean;
  /** How many changes are committed and not announced. @default - not known */
  readonly unannounced?: number;
}

export interface PortableData {
  /** Every entry, in no particular order. */
  read(after?: string): AsyncIterable<PortablePage>;
  /**
   * Adds or replaces entries of one kind, given in their order. No event is derived from a snapshot. Written again, they
   * change nothing.
   */
  write(entries: readonly PortableEntry[]): Promise<void>;
  describe(): Promise<DataState>;
}
