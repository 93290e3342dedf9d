/** The API over HTTP. Reads lists as JSON, and returns a page only when the answer is one. */

import { Agent, request } from 'undici';
import { GiveUp, messageOf, RetryLater } from '../../core/model/errors.ts';
import type { Page, SourceApi, WireRow } from '../../core/ports/source-api.ts';

export interface WorkApiOptions {
  readonly baseUrl: string;
  /** The API token: sent as the user name of HTTP Basic. */
  readonly token: string;
  /** Milliseconds for connecting, headers and body each. @default 30000 */
  readonly timeout?: number;
}

export interface WorkApi extends SourceApi {
  close(): Promise<void>;
}

export function workApi({ baseUrl, token, timeout = 30_000 }: WorkApiOptions): WorkApi {
  const agent = new Agent({ headersTimeout: timeout, bodyTimeout: timeout, connect: { timeout } });
  // The password may be anything but empty.
  const authorization = `Basic ${Buffer.from(`${token}:x`).toString('base64')}`;

  return {
    async list(resource, { offset, limit, filters }, signal) {
      const query = new URLSearchParams({ ...filters, offset: String(offset), limit: String(limit) });
      const url = `${baseUrl.replace(/\/$/, '')}/${resource}/?${query}`;
      const headers = { accept: 'application/json', authorization };
      const answer = await request(url, { dispatcher: agent, headers, signal: signal ?? null }).catch(
        (error: unknown) => {
          throw new RetryLater('TIDINGS_SOURCE_UNREACHABLE', `${baseUrl} did not answer: ${messageOf(error)}`, {
            cause: error,
          });
        },
      );
      const text = await answer.body.text().catch((error: unknown) => {
        throw new RetryLater('TIDINGS_SOURCE_CUT_OFF', `${resource}: the answer broke off: ${messageOf(error)}`);
      });
      if (answer.statusCode !== 200) throw refusal(resource, answer.statusCode, text);
      return readPage(resource, text);
    },
    close: () => agent.close(),
  };
}

function refusal(resource: string, status: number, text: string): Error {
  const evidence = { status, body: text.slice(0, 200) };
  if (status === 401) {
    return new GiveUp('TIDINGS_SOURCE_UNAUTHORIZED', 'the API refused the token (401): check source.token', {
      evidence,
    });
  }
  if (status === 403) {
    return new GiveUp('TIDINGS_SOURCE_FORBIDDEN', `${resource}: the token's role may not read it (403)`, { evidence });
  }
  return new RetryLater('TIDINGS_SOURCE_STATUS', `${resource}: the API answered ${status}: ${evidence.body}`, {
    evidence,
  });
}

function readPage(resource: string, text: string): Page {
  const envelope = parseJson(text);
  const rows = envelope?.[resource] ?? [];
  const listCount = Number(envelope?.listcount);
  if (envelope === undefined || !Array.isArray(rows) || !rows.every(isObject) || !Number.isSafeInteger(listCount)) {
    throw new RetryLater(
      'TIDINGS_SOURCE_ANSWER_INVALID',
      `${resource}: expected an envelope with listcount and a list, got: ${text.slice(0, 200)}`,
    );
  }
  return { rows, listCount };
}

function parseJson(text: string): WireRow | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is WireRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
