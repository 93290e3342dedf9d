/** How things are named in the tables. Pure, and the only place that knows; docs/tables.md tells the same to people. */

import type { RecordKey } from '../../core/model/record.ts';
import type { ManifestKey } from '../../core/ports/manifest-store.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An item to write: its key, and plain attributes. What is undefined is not written. */
export type NewItem = Key & Readonly<Record<string, unknown>>;

/** Names of sources and resources are letters, digits, - and _: a # can stand between them. */
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

/** `003#812`: the length first, so that text sorts as whole numbers do. Ids of our own are names, and may be long. */
export function orderedId(id: string): string {
  return `${String(id.length).padStart(3, '0')}#${id}`;
}

/**
 * One key of an index takes 1,000 writes a second: an agenda is spread over four, so that a first sweep or a storm of
 * deliveries is not held up by it. Reading what is due asks each of them.
 */
export const SHARDS = ['0', '1', '2', '3'] as const;

/** Which of them follows from the last character: digits and hex spread evenly. */
export function shardOf(name: string): string {
  return SHARDS[name.charCodeAt(name.length - 1) % SHARDS.length] ?? SHARDS[0];
}

/** The ids of events and deliveries say themselves what they are of: `evt_…`, `dlv_…`. */
export const eventKey = (id: string): Key => ({ pk: id, sk: 'event' });
/** Says that a delivery carries an event, where the event itself does not: replays, and what carries several. */
export const linkKey = (event: string, delivery: string): Key => ({ pk: event, sk: `delivery#${delivery}` });
export const deliveryKey = (id: string): Key => ({ pk: id, sk: 'delivery' });
export const subscriptionKey = (name: string): Key => ({ pk: 'subscriptions', sk: name });
export const scanKey = (source: string, resource: string): Key => ({ pk: `scan#${source}`, sk: resource });
export const leaseKey = (name: string): Key => ({ pk: `lease#${name}`, sk: 'lease' });
export const rateLimitKey = (subscription: string): Key => ({ pk: `turns#${subscription}`, sk: 'turns' });
export const threadKey = (subscription: string, subject: string): Key => ({
  pk: `thread#${subscription}`,
  sk: subject,
});

/** Where the timeline of a month is kept: few enough to walk them all, many enough that none grows for ever. */
export function timelinePartition(month: string): string {
  return `timeline#${month}`;
}

export function manifestPartition({ source, resource, scope }: ManifestKey): string {
  return `manifest#${source}#${resource}#${scope}`;
}

/** `chunk#000012`: in the order of pages. */
export function chunkKey(key: ManifestKey, index: number): Key {
  return { pk: manifestPartition(key), sk: `chunk#${String(index).padStart(6, '0')}` };
}

/** Named by its content, so that a part never changes; and by its chunk, so that no two chunks share one. */
export function partKey(key: ManifestKey, index: number, digest: string): Key {
  return { pk: manifestPartition(key), sk: `${partsOf(index)}${digest}` };
}

export function partsOf(index: number): string {
  return `part#${String(index).padStart(6, '0')}#`;
}

/**
 * Doubtful ids are kept together by all but their last three digits: a bulk edit is a few writes, and a set stays a few
 * kilobytes at the most.
 */
export function doubtKey(key: ManifestKey, id: string): Key {
  return { pk: manifestPartition(key), sk: `doubt#${String(id.length).padStart(3, '0')}#${id.slice(0, -3)}` };
}
