/** Port: the polled API. Calls throw RetryLater or GiveUp; a returned response is complete and valid. */

import type { Day } from '../model/calendar.ts';
import type { Duration, Instant } from '../model/time.ts';
import type { SourceTraits } from './source-traits.ts';

/** A row in the fields of our model, before cleaning. */
export type WireRow = Readonly<Record<string, unknown>>;

export interface ListQuery {
  /** The first record, from 0. */
  readonly offset: number;
  readonly limit: number;
  readonly filters: ListFilters;
}

/** Which records are listed, and in which order. The traits of a resource say what its API supports. */
export interface ListFilters {
  /** By id. @default - the API's own order */
  readonly order?: 'ascending' | 'descending';
  /** Records that can still change by themselves, such as unpaid invoices. @default - all records */
  readonly open?: true;
  /** Modified after the second of this instant. @default - at any time */
  readonly modifiedAfter?: Instant;
  /** Modified before the second of this instant. @default - at any time */
  readonly modifiedBefore?: Instant;
  /** Due on this day or later. @default - on any day */
  readonly dueFrom?: Day;
  /** Due on this day or earlier. @default - on any day */
  readonly dueUntil?: Day;
  /** @default - any */
  readonly ids?: readonly string[];
  /** The numbers that people see, which need not be unique. @default - any */
  readonly localIds?: readonly string[];
  /** Records of these projects. @default - of any project */
  readonly projectIds?: readonly string[];
}

/** A row of a page. Parsed on demand, because most rows are unchanged. */
export interface PageRow {
  /** '' when the row has none. */
  readonly id: string;
  /** A 64-bit hash of the row's bytes. */
  readonly fingerprint: bigint;
  /** Throws RetryLater when the row is not a record with this id. */
  parse(): WireRow;
}

export interface PageContent {
  /** In the order of the response. */
  readonly rows: readonly PageRow[];
  /** The API's count of matching records, before offset and limit. */
  readonly listCount: number;
  /** The token's user; null when the envelope does not name one. */
  readonly personId: string | null;
}

export interface Page {
  /** Hash of all rows. A page with an unchanged digest need not be parsed. */
  readonly digest: string;
  readonly bytes: number;
  /** Response time. */
  readonly took: Duration;
  /** The API's clock; null when the response has no date. */
  readonly serverTime: Instant | null;
  /** How long a cache on the way has kept the response: its date is older than the API's clock by this much. @default 0 */
  readonly cachedFor?: Duration;
  /** The API's count of matching records, read without the rows; undefined when that is not possible. @default - unknown */
  listCount?(): number | undefined;
  /** The token's person, read without the rows; null or undefined when the response does not say. @default - unknown */
  personId?(): string | null | undefined;
  /** Parses the envelope and finds the rows. Throws RetryLater when the response is not a page. */
  content(): PageContent;
}

export interface Quota {
  /** Requests per day for the whole account. */
  readonly limit: number;
  readonly used: number;
  /** When the counter resets; null when unknown. */
  readonly resetsAt: Instant | null;
}

export interface SourceApi {
  readonly traits: SourceTraits;
  list(resource: string, query: ListQuery, signal?: AbortSignal): Promise<Page>;
  /** Undefined only when the API responds that the record does not exist. */
  get(resource: string, id: string, signal?: AbortSignal): Promise<WireRow | undefined>;
  /** Does not count against the quota. null: the API has none. */
  quota(signal?: AbortSignal): Promise<Quota | null>;
  /** Requests so far that count against the quota, including retries. */
  requests(): number;
  /** A digest of the token: another token may be of another account. Undefined: not known yet. @default - unknown */
  tokenDigest?(): string | undefined;
}
