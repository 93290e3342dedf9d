/** Turns an unsuccessful response of Redmine into an error that says what to do next. */

import type { ErrorCode } from '../../../core/model/error-codes.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { readJsonObject } from '../../../core/model/json.ts';
import type { Excerpt } from '../http/excerpt.ts';
import { type ApiCall, type ApiResponse, describeCall, parseRetryAfter } from '../http/exchange.ts';

/** The request that shows whether a key is valid. */
export const CURRENT_USER = 'users/current.json';

const REFUSALS: Readonly<Record<number, readonly [code: ErrorCode, text: string]>> = {
  400: ['TIDINGS_SOURCE_REQUEST_INVALID', 'Redmine rejected the request'],
  403: ['TIDINGS_SOURCE_FORBIDDEN', 'the user of the API key may not do this'],
  404: ['TIDINGS_SOURCE_NOT_FOUND', 'not found'],
  422: ['TIDINGS_SOURCE_REQUEST_INVALID', 'Redmine rejected the request'],
};

export function toRedmineError(call: ApiCall, response: ApiResponse, excerpt: Excerpt): RetryLater | GiveUp {
  const { status, headers, body } = response;
  const where = describeCall(call);
  const evidence = { status, body: excerpt.ofBody(body) };
  const said = excerpt.ofText(errorsIn(body)).slice(0, 200);
  const quote = said === '' ? '' : `; it said: ${said}`;
  if (status === 401) return unauthorized(evidence.body);
  if (isFromRedmine(response)) {
    // While the REST API is off, nobody may ask who they are.
    if (status === 403 && call.path.endsWith(`/${CURRENT_USER}`)) return unauthorized(evidence.body);
    const [code, text] = REFUSALS[status] ?? [];
    if (code !== undefined) return new GiveUp(code, `${where}: ${text} (${status})${quote}`, { evidence });
  }
  const after = parseRetryAfter(headers['retry-after']);
  return new RetryLater('TIDINGS_SOURCE_STATUS', `${where}: the server answered ${status}${quote}`, {
    evidence,
    after,
  });
}

/** Redmine treats a request with a wrong key as anonymous: only this says so. */
export function unauthorized(body = ''): GiveUp {
  const message =
    'Redmine does not accept the API key: check the token of the source, and that the REST API is enabled (Administration, Settings, API)';
  return new GiveUp('TIDINGS_SOURCE_UNAUTHORIZED', message, { evidence: { status: 401, body } });
}

/** Rails names the request and answers the API as JSON, even without a body. The page of a proxy says nothing about records. */
function isFromRedmine({ headers }: ApiResponse): boolean {
  const isJson = /^application\/json\b/.test(String(headers['content-type'] ?? ''));
  return isJson && (headers['x-request-id'] ?? headers['x-runtime']) !== undefined;
}

function errorsIn(body: Buffer): string {
  const errors = readJsonObject(body.toString('utf8'))?.errors;
  return Array.isArray(errors) ? errors.join(', ') : '';
}
