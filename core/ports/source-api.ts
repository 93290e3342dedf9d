/** Port: the polled API. Calls throw RetryLater or GiveUp; a returned response is complete and valid. */

import type { Duration, Instant } from '../model/time.ts';

/** A row as the API returned it, before cleaning. */
export type WireRow = Readonly<Record<string, unknown>>;

export interface ListQuery {
  /** The first record, from 0. */
  readonly offset: number;
  readonly limit: number;
  /** Query parameters, such as `{ sortfield: 'id', sortdir: 'ASC' }`. */
  readonly filters: Readonly<Record<string, string>>;
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
  list(resource: string, query: ListQuery, signal?: AbortSignal): Promise<Page>;
  /** Undefined only when the API responds that the record does not exist. */
  get(resource: string, id: string, signal?: AbortSignal): Promise<WireRow | undefined>;
  /** Does not count against the quota. */
  quota(signal?: AbortSignal): Promise<Quota>;
  /** Requests so far that count against the quota, including retries. */
  requests(): number;
  /** A digest of the token: another token may be of another account. Undefined: not known yet. @default - unknown */
  tokenDigest?(): string | undefined;
}
