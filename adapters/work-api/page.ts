/** Makes a page of an answer to a list: its digest at once, its rows when asked. Knows nothing of how it was fetched. */

import { hash } from 'node:crypto';
import { RetryLater } from '../../core/model/errors.ts';
import type { Duration, Instant } from '../../core/model/time.ts';
import type { ListQuery, Page, PageContent, PageRow, WireRow } from '../../core/ports/source-api.ts';
import { faultOf, idText, isObject, parseObject, wholeNumber } from './envelope.ts';
import type { Excerpt } from './excerpt.ts';
import { fingerprint, type Split, splitPage } from './split.ts';

/** What is known of an answer before it is read. */
export interface PageSource {
  readonly resource: string;
  readonly query: Pick<ListQuery, 'offset' | 'limit'>;
  /** Decompressed. */
  readonly body: Buffer;
  readonly took: Duration;
  readonly serverTime: Instant | null;
  readonly excerpt: Excerpt;
}

export function page(source: PageSource): Page {
  const { body, took, serverTime } = source;
  return {
    digest: hash('sha1', rowsIn(source), 'hex'),
    bytes: body.length,
    took,
    serverTime,
    content: () => splitContent(source) ?? parsedContent(source),
  };
}

/** The rows without the envelope around them, whose count moves with every record of the list, on whatever page. */
function rowsIn({ body, resource }: PageSource): Buffer {
  const start = body.indexOf(`"${resource}":[`);
  const end = body.lastIndexOf(']');
  return start === -1 || end < start ? body : body.subarray(start, end + 1);
}

/** The answer is not what was asked for. Never absence, never an empty page: the next look may be better. */
export function invalidAnswer(
  { resource, body, excerpt }: Pick<PageSource, 'resource' | 'body' | 'excerpt'>,
  reason: string,
): RetryLater {
  return new RetryLater('TIDINGS_SOURCE_ANSWER_INVALID', `${resource}: the API answered what is no answer: ${reason}`, {
    evidence: { body: excerpt.ofBody(body) },
  });
}

/** The fast way: rows are found by their bytes. Undefined when the page is not plain enough to be sure. */
export function splitContent(source: PageSource): PageContent | undefined {
  const { body, resource, query } = source;
  const split = splitPage(body, resource);
  if (split === undefined || faultOf(split.envelope) !== undefined) return undefined;
  const listCount = wholeNumber(split.envelope.listcount);
  // As many as there should be: a cheap look at whether bytes are missing somewhere. If not, parsing all of it will tell.
  if (listCount === undefined || split.ids.length !== rowsDue(listCount, query)) return undefined;
  return { rows: splitRows(source, split), listCount, personId: personOf(split.envelope) };
}

function rowsDue(listCount: number, { offset, limit }: PageSource['query']): number {
  return Math.max(0, Math.min(limit, listCount - offset));
}

function splitRows(source: PageSource, { ids, cuts }: Split): PageRow[] {
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
    throw invalidAnswer(this.#source, `row ${this.id} is no JSON object with that id`);
  }
}

/**
 * The slow way, for every page that is right and not plain: pretty-printed, id not first, lists in rows.
 * Its fingerprints are those of the rows written again, so that layout does not matter. They can differ from those of
 * the fast way; a row met in both ways is then parsed once more and found the same.
 */
export function parsedContent(source: PageSource): PageContent {
  const { body, resource, query } = source;
  const envelope = parseObject(body.toString('utf8'));
  const fault = envelope === undefined ? 'it is no JSON object' : faultOf(envelope);
  if (envelope === undefined || fault !== undefined) throw invalidAnswer(source, fault ?? '');
  const list = envelope[resource] ?? null;
  if (list !== null && !Array.isArray(list)) throw invalidAnswer(source, `${resource} is no list`);
  const rows = (list ?? []).map((row: unknown) => parsedRow(source, row));
  // The account's own person comes as a list of one, and some copies do not count it.
  const counted = envelope.listcount === undefined && resource === 'me' ? rows.length : envelope.listcount;
  const listCount = wholeNumber(counted);
  if (listCount === undefined) throw invalidAnswer(source, 'listcount is no whole number');
  if (list === null && rowsDue(listCount, query) > 0) {
    throw invalidAnswer(source, `${listCount} records, and no list of ${resource} from ${query.offset} on`);
  }
  return { rows, listCount, personId: personOf(envelope) };
}

function parsedRow(source: PageSource, row: unknown): PageRow {
  const id = isObject(row) ? idText(row.id) : undefined;
  if (!isObject(row) || id === undefined) throw invalidAnswer(source, 'a row is no object with a whole number as id');
  return { id, fingerprint: fingerprint(JSON.stringify(row)), parse: () => row };
}

function personOf(envelope: WireRow): string | null {
  return idText(envelope.personid) ?? null;
}
