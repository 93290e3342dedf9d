/** Builds a page from a list response: the digest at once, the rows on demand. Knows nothing of how it was fetched. */

import { hash } from 'node:crypto';
import { RetryLater } from '../../../core/model/errors.ts';
import { isJsonObject } from '../../../core/model/json.ts';
import type { Duration, Instant } from '../../../core/model/time.ts';
import type { ListQuery, Page, PageContent, PageRow, WireRow } from '../../../core/ports/source-api.ts';
import type { Excerpt } from '../http/excerpt.ts';
import { findEnvelopeProblem, idText, parseObject, wholeNumber } from './envelope.ts';
import { fingerprint, type PageSplit, splitPage } from './split-page.ts';

/** A list response before its body is parsed. */
export interface PageSource {
  readonly resource: string;
  readonly query: Pick<ListQuery, 'offset' | 'limit'>;
  /** Decompressed. */
  readonly body: Buffer;
  readonly took: Duration;
  readonly serverTime: Instant | null;
  /** @default 0 */
  readonly cachedFor?: Duration;
  readonly excerpt: Excerpt;
}

export function buildPage(source: PageSource): Page {
  const { body, took, serverTime, cachedFor = 0 } = source;
  return {
    digest: hash('sha1', sliceRows(source), 'hex'),
    bytes: body.length,
    took,
    serverTime,
    cachedFor,
    listCount: () => wholeNumber(readEnvelope(source)?.listcount),
    personId: () => {
      const envelope = readEnvelope(source);
      return envelope && readPersonId(envelope);
    },
    content: () => splitContent(source) ?? parsedContent(source),
  };
}

/** The rows without the envelope, whose count changes with every record of the list, on any page. */
function sliceRows(source: PageSource): Buffer {
  const { start, end } = findRows(source);
  return source.body.subarray(start, end);
}

/** The position of the list of rows, with its key; the whole body when there is no such list. */
function findRows({ body, resource }: PageSource): { readonly start: number; readonly end: number } {
  const start = body.indexOf(`"${resource}":[`);
  const end = body.lastIndexOf(']');
  return start === -1 || end < start ? { start: 0, end: body.length } : { start, end: end + 1 };
}

/** The envelope without the rows; undefined when the body does not have that form. */
function readEnvelope(source: PageSource): WireRow | undefined {
  const { start, end } = findRows(source);
  const { body, resource } = source;
  return parseObject(`${body.toString('utf8', 0, start)}"${resource}":[]${body.toString('utf8', end)}`);
}

/** An invalid response never counts as a missing record or an empty page: the next request may succeed. */
export function invalidResponse(
  { resource, body, excerpt }: Pick<PageSource, 'resource' | 'body' | 'excerpt'>,
  reason: string,
): RetryLater {
  return new RetryLater('TIDINGS_SOURCE_ANSWER_INVALID', `${resource}: invalid response from the API: ${reason}`, {
    evidence: { body: excerpt.ofBody(body) },
  });
}

/** The fast path finds rows by their bytes. Undefined when the layout is not simple enough to be certain. */
export function splitContent(source: PageSource): PageContent | undefined {
  const { body, resource, query } = source;
  const split = splitPage(body, resource);
  if (split === undefined || findEnvelopeProblem(split.envelope) !== undefined) return undefined;
  const listCount = wholeNumber(split.envelope.listcount);
  // A cheap check for missing bytes. If the count is wrong, the slow path decides.
  if (listCount === undefined || split.ids.length !== expectedRowCount(listCount, query)) return undefined;
  return { rows: splitRows(source, split), listCount, personId: readPersonId(split.envelope) };
}

function expectedRowCount(listCount: number, { offset, limit }: PageSource['query']): number {
  return Math.max(0, Math.min(limit, listCount - offset));
}

function splitRows(source: PageSource, { ids, cuts }: PageSplit): PageRow[] {
  return ids.map((id, index) => new SplitRow(source, id, cuts[index] ?? 0, (cuts[index + 1] ?? 0) - 1));
}

class SplitRow implements PageRow {
  readonly id: string;
  readonly fingerprint: bigint;
  readonly #source: PageSource;
  readonly #start: number;
  readonly #end: number;

  constructor(source: PageSource, id: string, start: number, end: number) {
    this.id = id;
    this.fingerprint = fingerprint(source.body.subarray(start, end));
    this.#source = source;
    this.#start = start;
    this.#end = end;
  }

  parse(): WireRow {
    const row = parseObject(this.#source.body.toString('utf8', this.#start, this.#end));
    if (row !== undefined && idText(row.id) === this.id) return row;
    throw invalidResponse(this.#source, `row ${this.id} is not a JSON object with that id`);
  }
}

/**
 * The slow path, for valid pages with another layout: pretty-printed, id not first, lists in rows.
 * Fingerprints are computed from the re-serialized rows, so that layout does not matter. They can differ from those of
 * the fast path; a row that was read both ways is then parsed again and found unchanged.
 */
export function parsedContent(source: PageSource): PageContent {
  const { body, resource, query } = source;
  const envelope = parseObject(body.toString('utf8'));
  const problem = envelope === undefined ? 'it is not a JSON object' : findEnvelopeProblem(envelope);
  if (envelope === undefined || problem !== undefined) throw invalidResponse(source, problem ?? '');
  const list = envelope[resource] ?? null;
  if (list !== null && !Array.isArray(list)) throw invalidResponse(source, `${resource} is not a list`);
  const rows = (list ?? []).map((row: unknown) => parsedRow(source, row));
  // `/me/` is a list of one, and some versions of the API omit its count.
  const counted = envelope.listcount === undefined && resource === 'me' ? rows.length : envelope.listcount;
  const listCount = wholeNumber(counted);
  if (listCount === undefined) throw invalidResponse(source, 'listcount is not an integer');
  if (list === null && expectedRowCount(listCount, query) > 0) {
    throw invalidResponse(
      source,
      `it counts ${listCount} records but has no ${resource} list from offset ${query.offset}`,
    );
  }
  return { rows, listCount, personId: readPersonId(envelope) };
}

/** A row without a valid id does not make the other rows unreadable. */
function parsedRow(source: PageSource, row: unknown): PageRow {
  const id = isJsonObject(row) ? idText(row.id) : undefined;
  const parse = () => {
    if (isJsonObject(row) && id !== undefined) return row;
    throw invalidResponse(source, 'a row is not an object with an integer id');
  };
  return { id: id ?? '', fingerprint: fingerprint(JSON.stringify(row) ?? ''), parse };
}

function readPersonId(envelope: WireRow): string | null {
  return idText(envelope.personid) ?? null;
}
