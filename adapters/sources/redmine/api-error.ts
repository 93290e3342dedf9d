/** Turns an unsuccessful response of Redmine into an error that says what to do next. */

import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { readJsonObject } from '../../../core/model/json.ts';
import { SECOND } from '../../../core/model/time.ts';
import type { Excerpt } from '../http/excerpt.ts';
import { type ApiCall, type ApiResponse, describeCall } from '../http/exchange.ts';

/** The request that shows whether a key is valid. */
export const CURRENT_USER = 'users/current.json';

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
    if (status === 403)
      return new GiveUp('TIDINGS_SOURCE_FORBIDDEN', `${where}: the user of the API key may not do this (403)${quote}`, {
        evidence,
      });
    if (status === 404)
      return new GiveUp('TIDINGS_SOURCE_NOT_FOUND', `${where}: not found (404)${quote}`, { evidence });
    if (status === 422 || status === 400)
      return new GiveUp(
        'TIDINGS_SOURCE_REQUEST_INVALID',
        `${where}: Redmine rejected the request (${status})${quote}`,
        {
          evidence,
        },
      );
  }
  const seconds = headers['retry-after'];
  const after = typeof seconds === 'string' && /^\d{1,6}$/.test(seconds) ? Number(seconds) * SECOND : undefined;
  return new RetryLater('TIDINGS_SOURCE_STATUS', `${where}: the server answered ${status}${quote}`, {
    evidence,
    after,
  });
}

/** Redmine takes a request with a wrong key for one of nobody: only this says so. */
export function unauthorized(body = ''): GiveUp {
  const message =
    'Redmine does not accept the API key: check source.token, and that the REST API is enabled (Administration, Settings, API)';
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
