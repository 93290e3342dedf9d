/**
 * What the API of a source can do, and what its answers mean. Each source kind describes itself; the core asks these traits
 * and never which kind it is.
 */

import type { Fields } from '../model/record.ts';
import type { TokenIdentity } from '../model/scan.ts';
import type { Author, Change, Snapshot } from '../model/snapshot.ts';
import type { Instant } from '../model/time.ts';
import type { SourceApi } from './source-api.ts';

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
