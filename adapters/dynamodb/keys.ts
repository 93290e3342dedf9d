/** The keys of all items. No other module builds keys; docs/tables.md documents them. */

import type { RecordKey } from '../../core/model/record.ts';
import type { ManifestKey } from '../../core/ports/manifest-store.ts';
import { SOURCES_PARTITION } from './tables.ts';

export type StoredItem = Readonly<Record<string, unknown>>;

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item to write: its key and plain attributes. Undefined attributes are not written. */
export type NewItem = Key & Readonly<Record<string, unknown>>;

/** Names of sources and resources consist of letters, digits, - and _, so # can separate them. */
export function resourcePartition(source: string, resource: string): string {
  return `${source}#${resource}`;
}

export function snapshotKey({ source, resource, id }: RecordKey): Key {
  return { pk: resourcePartition(source, resource), sk: orderedId(id) };
}

export function recordKeyOf({ pk, sk }: Key): RecordKey {
  const hash = pk.indexOf('#');
  return { source: pk.slice(0, hash), resource: pk.slice(hash + 1), id: sk.slice(sk.indexOf('#') + 1) };
}

/** `003#812`: the length first, so that ids sort as numbers. Three digits, because names used as ids may be long. */
export function orderedId(id: string): string {
  return `${String(id.length).padStart(3, '0')}#${id}`;
}

/**
 * The partition keys of the agenda indexes. One partition allows 1,000 writes a second; four are enough for a first sweep
 * or a burst of deliveries. Reading due items queries all of them.
 */
export const SHARDS = ['0', '1', '2', '3'] as const;

/** Derived from the last character: digits and hex digits spread evenly. */
export function shardOf(name: string): string {
  return SHARDS[name.charCodeAt(name.length - 1) % SHARDS.length] ?? SHARDS[0];
}

/** The ids of events and deliveries have the prefixes `evt_` and `dlv_`, so they need no other. Without its prefix, an id from a request could be another partition. */
export const isEventId = (id: string) => id.startsWith('evt_');
export const isDeliveryId = (id: string) => id.startsWith('dlv_');
export const eventKey = (id: string): Key => ({ pk: id, sk: 'event' });
/** Links an event to a delivery that the event's item does not name: replays, and deliveries of several events. */
export const linkKey = (event: string, delivery: string): Key => ({ pk: event, sk: `delivery#${delivery}` });
/** Names subscriptions that an event's item has no room for, or that got the event later. */
export const namesKey = (event: string, digest: string): Key => ({ pk: event, sk: `names#${digest}` });
export const deliveryKey = (id: string): Key => ({ pk: id, sk: 'delivery' });
export const subscriptionKey = (name: string): Key => ({ pk: 'subscriptions', sk: name });
export const scanKey = (source: string, resource: string): Key => ({ pk: `scan#${source}`, sk: resource });
/** Beside the resources, whose names are letters. */
export const scanRequestKey = (source: string): Key => ({ pk: `scan#${source}`, sk: '#request' });
export const leaseKey = (name: string): Key => ({ pk: `lease#${name}`, sk: 'lease' });
/** Items with the keys `turns#…` of earlier versions hold less than a minute of slots, and expire. */
export const rateLimitKey = (subscription: string): Key => ({ pk: `slots#${subscription}`, sk: 'slots' });
export const threadKey = (subscription: string, subject: string): Key => ({
  pk: `thread#${subscription}`,
  sk: subject,
});

export const sourceKey = (name: string): Key => ({ pk: SOURCES_PARTITION, sk: name });
/** How often sources were changed. Beside them: their names have no #. */
export const sourceChangesKey: Key = { pk: SOURCES_PARTITION, sk: '#changes' };
export const apiKeyKey = (id: string): Key => ({ pk: 'api-keys', sk: id });
export const idempotencyKey = (id: string): Key => ({ pk: `request#${id}`, sk: 'request' });
export const CONSOLE_PARTITION = 'console';
export const consolePassKey = (hash: string): Key => ({ pk: CONSOLE_PARTITION, sk: hash });
export const documentKey = (kind: string, id: string): Key => ({ pk: `document#${kind}#${id}`, sk: 'document' });
/** What the subscriptions of an API key take up. */
export const keyUsageKey = (key: string): Key => ({ pk: `usage#${key}`, sk: 'usage' });
export const bucketKey = (caller: string): Key => ({ pk: `bucket#${caller}`, sk: 'bucket' });

/** One partition per month, as on the timeline. */
export function auditPartition(month: string): string {
  return `audit#${month}`;
}

/** One partition per month: few enough to read them all, and none grows without limit. */
export function timelinePartition(month: string): string {
  return `timeline#${month}`;
}

/** Batches of deliveries alone, which readers of events do not read. */
export function deliveriesPartition(month: string): string {
  return `deliveries#${month}`;
}

export function manifestPartition({ source, resource, scope }: ManifestKey): string {
  return `manifest#${source}#${resource}#${scope}`;
}

/** `chunk#000012`: sorts by page. */
export function chunkKey(key: ManifestKey, index: number): Key {
  return { pk: manifestPartition(key), sk: `chunk#${String(index).padStart(6, '0')}` };
}

/** Contains the digest of the content, so that a part never changes, and the chunk, so that chunks share no parts. */
export function partKey(key: ManifestKey, index: number, digest: string): Key {
  return { pk: manifestPartition(key), sk: `${partPrefix(index)}${digest}` };
}

export function partPrefix(index: number): string {
  return `part#${String(index).padStart(6, '0')}#`;
}

/**
 * Dirty ids are grouped by all but their last three digits: a bulk edit takes few writes, and a set stays within a few
 * kilobytes.
 */
export function dirtyIdsKey(key: ManifestKey, id: string): Key {
  return { pk: manifestPartition(key), sk: `doubt#${String(id.length).padStart(3, '0')}#${id.slice(0, -3)}` };
}
