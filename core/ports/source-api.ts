/** Port: the polled API. Calls throw RetryLater or GiveUp; a returned response is complete and valid. */

import type { Day } from '../model/calendar.ts';
import type { Fields } from '../model/record.ts';
import type { TokenIdentity } from '../model/scan.ts';
import type { Author, Change, Snapshot } from '../model/snapshot.ts';
import type { Duration, Instant } from '../model/time.ts';

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

/** How the lists of one resource can be read. */
export interface ResourceTraits {
  /** Whether lists can be sorted by id. A resource that cannot be sorted is read in one page. */
  readonly sortsById: boolean;
  /** Whether the API can list records modified since an instant. */
  readonly modifiedSince: boolean;
  /** Whether a list without filters contains every record. If not, a missing record may still exist. */
  readonly listsAll: boolean;
  /** Whether the API can list the records that can still change by themselves, such as unpaid invoices. @default false */
  readonly listsOpen?: boolean;
  /** Whether the API can list records by a range of due dates. @default false */
  readonly listsByDueDate?: boolean;
  /** What one request can read several records by. @default - each record takes a request of its own */
  readonly readsBy?: 'id' | 'localid';
  /** The most rows that the API returns in one page, whatever it is asked for. @default - no limit */
  readonly maxPageSize?: number;
}

/** The API's answer to whom the token belongs. */
export type FoundIdentity = Omit<TokenIdentity, 'checkedAt'>;

/** The requests that identify a token. The core may limit, share or watch them. */
export type ReadApi = Pick<SourceApi, 'list' | 'get'>;

/**
 * Who sees the records of a resource. `all`: who may list them sees all of them. `part`: this role sees a part only, such as
 * public ones. `by-parents`: who sees the records that they belong to.
 */
type RecordSight = 'all' | 'part' | 'by-parents';

/**
 * What the API of a source can do, and what its answers mean. Each source kind describes itself; the core asks these traits
 * and never which kind it is.
 */
export interface SourceTraits {
  /** The resources that it has, and how each can be read. */
  readonly resources: ReadonlyMap<string, ResourceTraits>;
  /** Undefined when the API does not say. Throws when it does not answer or refuses. */
  identify(api: ReadApi, signal?: AbortSignal): Promise<FoundIdentity | undefined>;
  /** The zone of the token's user; null when the API names none. */
  findTimeZone(api: ReadApi, signal?: AbortSignal): Promise<string | null>;
  /** Whether the identity is shown every record that exists. */
  seesEverything(identity: TokenIdentity | undefined): boolean;
  sightOf(resource: string, identity: TokenIdentity | undefined): RecordSight;
  /** Whether the API says "not found" of deleted records only, and something else of those that the token may not see. */
  readonly isAbsenceProof: boolean;
  /** Whether the names of statuses decide which tasks are closed (`rules.closedStatuses`). If not, the closing date does. */
  readonly hasClosedStatusNames: boolean;
  /** Finds the authors of the changes since an instant. Never fails. @default - changes have no author */
  readAuthors?(api: ReadApi, since: Instant, signal?: AbortSignal): Promise<FindAuthor>;
  /** Reads the changes of a record that its snapshot does not have, oldest first. @default - the API keeps none */
  readHistory?(api: ReadApi, change: RecordChange, signal?: AbortSignal): Promise<readonly HistoryStep[]>;
}

/** What a scan found out about one record. */
export interface RecordChange {
  readonly resource: string;
  readonly id: string;
  /** The snapshot before the change; undefined for a new record. */
  readonly before: Snapshot | undefined;
  readonly record: Fields;
  readonly changes: readonly Change[];
}

/** The author of everything that changed in a task since its last snapshot; undefined when that is not certain. */
export type FindAuthor = (change: Omit<RecordChange, 'resource'>) => Author | undefined;

/** One change in the history of a record. */
export interface HistoryStep {
  /** The record after the change, cleaned. */
  readonly record: Fields;
  readonly at: Instant;
  /** @default - unknown */
  readonly by?: Author;
}
