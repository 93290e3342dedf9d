/** The event envelope: CloudEvents 1.0, and also a valid Standard Webhooks payload. */

import type { Fields } from './record.ts';
import type { Author, Cause, Change } from './snapshot.ts';
import type { Instant } from './time.ts';

export interface TidingsEvent {
  readonly specversion: '1.0';
  /** Hash of source, record, version, type and what changed: the same transition always has the same id. */
  readonly id: string;
  /** `task.closed` */
  readonly type: string;
  /** `/sources/main` */
  readonly source: string;
  /** `task/123` */
  readonly subject: string;
  /** When the transition was committed. */
  readonly time: Instant;
  readonly datacontenttype: 'application/json';
  /** Name of the schema of `data`. @default - none: a ping, or an event recorded before schemas existed */
  readonly dataschema?: string;
  /** A test event: `tidings subscriptions test`. @default - a real event */
  readonly test?: true;
  readonly data: EventData;
}

export interface EventData {
  /** The snapshot's version: receivers may drop events older than the version they hold. */
  readonly version: number;
  readonly record: Fields;
  /** Old values of the changed fields; empty for a new record. */
  readonly previous: Fields;
  readonly changes: readonly Change[];
  /** Further facts of this event type, e.g. who was assigned. @default - none */
  readonly details?: Fields;
  readonly occurred: { readonly after: Instant | null; readonly before: Instant };
  readonly cause: Cause;
  /** Who made the change, if the source has `attribution` and the author is certain. @default - unknown */
  readonly by?: Author;
}

/** The source name of Tidings' own records. A config cannot use this name. */
export const OWN_SOURCE = '_tidings';

/** The resource name of the health of a source. */
export const SOURCE_RESOURCE = 'source';

/** `/sources/main`; `/tidings` for Tidings' own records. */
export function sourceUri(source: string): string {
  return source === OWN_SOURCE ? '/tidings' : `/sources/${source}`;
}

/** The name of the source that an event is from. */
export function sourceName({ source }: Pick<TidingsEvent, 'source'>): string {
  return source.slice(source.lastIndexOf('/') + 1);
}

/** `task/123`: what the subject of an event looks like. */
export const SUBJECT_PATTERN = /^[A-Za-z0-9_-]+\/./;
