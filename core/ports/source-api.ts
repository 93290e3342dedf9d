/** Port: the API we poll, one call per question. Throws RetryLater or GiveUp; an answer it returns can be trusted. */

/** A row as it came over the wire, before cleaning. */
export type WireRow = Readonly<Record<string, unknown>>;

export interface ListQuery {
  /** First record, counted from 0. */
  readonly offset: number;
  readonly limit: number;
  /** Sent as they are, e.g. `{ sortfield: 'id', sortdir: 'ASC' }`. */
  readonly filters: Readonly<Record<string, string>>;
}

export interface Page {
  readonly rows: readonly WireRow[];
  /** Matching records before offset and limit. */
  readonly listCount: number;
}

export interface SourceApi {
  list(resource: string, query: ListQuery, signal?: AbortSignal): Promise<Page>;
}
