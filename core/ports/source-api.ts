/** Port: the API we poll, one call per question. Throws RetryLater or GiveUp; an answer it returns can be trusted. */

import type { Duration, Instant } from '../model/time.ts';

/** A row as it came over the wire, before cleaning. */
export type WireRow = Readonly<Record<string, unknown>>;

export interface ListQuery {
  /** First record, counted from 0. */
  readonly offset: number;
  readonly limit: number;
  /** Sent as they are, e.g. `{ sortfield: 'id', sortdir: 'ASC' }`. */
  readonly filters: Readonly<Record<string, string>>;
}

/** A row of a page, parsed only when somebody wants to know more than whether it is the same as last time. */
export interface PageRow {
  readonly id: string;
  /** 64 bits of a hash of the row's bytes: the same bytes, the same fingerprint. */
  readonly fingerprint: bigint;
  parse(): WireRow;
}

export interface PageContent {
  /** In the order of the answer. */
  readonly rows: readonly PageRow[];
  /** Matching records before offset and limit, as the API counts them. */
  readonly listCount: number;
  /** The person the token belongs to; null where the envelope does not say. */
  readonly personId: string | null;
}

export interface Page {
  /** Hash of all rows as they came: a page whose digest is that of last time needs no reading. */
  readonly digest: string;
  readonly bytes: number;
  /** How long the API took to answer. */
  readonly took: Duration;
  /** What the API's own clock said; null where it did not. */
  readonly serverTime: Instant | null;
  /** Reads the envelope and finds the rows. Throws RetryLater when this is not a page. */
  content(): PageContent;
}

export interface Quota {
  /** Requests a day for the whole account. */
  readonly limit: number;
  readonly used: number;
  /** When the count starts anew; null where the API does not say. */
  readonly resetsAt: Instant | null;
}

export interface SourceApi {
  list(resource: string, query: ListQuery, signal?: AbortSignal): Promise<Page>;
  /** Undefined when the API says that there is no such record. Nothing else counts as absence. */
  get(resource: string, id: string, signal?: AbortSignal): Promise<WireRow | undefined>;
  /** Costs nothing of what it tells about. */
  quota(signal?: AbortSignal): Promise<Quota>;
  /** Requests made so far that count against the quota, repetitions included. */
  requests(): number;
}
