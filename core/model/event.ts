/** The envelope every receiver gets: CloudEvents 1.0, readable as a Standard Webhooks payload too. */

import type { Fields } from './record.ts';
import type { Author, Cause, Change } from './snapshot.ts';
import type { Instant } from './time.ts';

export interface TidingsEvent {
  readonly specversion: '1.0';
  /** Hash of source, record, version and type: the same transition always has the same id. */
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
  /** The name of the schema of `data`. @default - it has none: a ping, or what was recorded before there were schemas */
  readonly dataschema?: string;
  /** Made up to see whether it arrives: `tidings subscriptions test`. @default - it happened */
  readonly test?: true;
  readonly data: EventData;
}

export interface EventData {
  /** The snapshot's version: receivers may drop what is older than what they hold. */
  readonly version: number;
  readonly record: Fields;
  /** The old values of what changed; empty for a new record. */
  readonly previous: Fields;
  readonly changes: readonly Change[];
  /** What this type tells besides, e.g. who was assigned. @default - nothing */
  readonly details?: Fields;
  readonly occurred: { readonly after: Instant | null; readonly before: Instant };
  readonly cause: Cause;
  /** Who did it, where a source asks for it and it can be told without doubt. @default - nobody knows */
  readonly by?: Author;
}

/** Where records of our own are kept among those of the sources. No source of a config can have this name. */
export const OWN_SOURCE = '_tidings';

/** `/sources/main`; what tells of Tidings itself comes from `/tidings`. */
export function sourceUri(source: string): string {
  return source === OWN_SOURCE ? '/tidings' : `/sources/${source}`;
}
