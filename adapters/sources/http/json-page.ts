/** Responses and pages whose content is JSON, for sources that parse the whole response. */

import { hash } from 'node:crypto';
import { RetryLater } from '../../../core/model/errors.ts';
import { isJsonObject, type JsonObject, readJsonObject } from '../../../core/model/json.ts';
import type { Page, WireRow } from '../../../core/ports/source-api.ts';
import type { Excerpt } from './excerpt.ts';
import type { ApiResponse } from './exchange.ts';
import { readResponseTimes } from './http-client.ts';

/** Throws RetryLater where it is not a JSON object. */
export function readJsonResponse(path: string, { body }: ApiResponse, excerpt: Excerpt): JsonObject {
  const content = readJsonObject(body.toString('utf8'));
  if (content !== undefined) return content;
  throw invalidJsonResponse(path, 'it is not a JSON object', excerpt.ofBody(body));
}

/** The rows of a list. Throws RetryLater where there are none. */
export function rowsIn(content: JsonObject, key: string, path: string): readonly JsonObject[] {
  const rows = content[key];
  if (Array.isArray(rows) && rows.every(isJsonObject)) return rows;
  throw invalidJsonResponse(path, `it has no list ${key}`);
}

export function invalidJsonResponse(path: string, reason: string, body?: string): RetryLater {
  return new RetryLater('TIDINGS_SOURCE_ANSWER_INVALID', `${path.replace(/\?.*/, '')}: invalid response: ${reason}`, {
    evidence: body === undefined ? {} : { body },
  });
}

export interface JsonPageOptions {
  readonly rows: readonly JsonObject[];
  /** The number of all rows, as the API counts them. */
  readonly listCount: number;
  /** More rows are left out. */
  readonly limit: number;
  /** Without headers and body where the page was made of several responses. */
  readonly response: Pick<ApiResponse, 'took'> & Partial<ApiResponse>;
  /** Makes a row of the model. */
  translate(row: JsonObject): WireRow;
}

export function jsonPage({ rows, listCount, limit, response, translate }: JsonPageOptions): Page {
  const texts = rows.map((row) => JSON.stringify(row));
  return {
    digest: hash('sha1', texts.join(), 'hex'),
    bytes: response.body?.length ?? texts.join().length,
    took: response.took,
    ...(response.headers === undefined ? { serverTime: null } : readResponseTimes({ headers: response.headers })),
    listCount: () => listCount,
    content: () => ({
      rows: rows.slice(0, limit).map((row, index) => ({
        id: String(row.id ?? ''),
        fingerprint: BigInt(`0x${hash('sha1', texts[index] ?? '', 'hex').slice(0, 16)}`),
        parse: () => translate(row),
      })),
      listCount,
      personId: null,
    }),
  };
}
