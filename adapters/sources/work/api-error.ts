/** Turns an unsuccessful response of the API into an error that says what to do next. Waits and retries nothing. */

import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { ReceiverResponse } from '../../../core/model/receiver-response.ts';
import type { Excerpt } from '../http/excerpt.ts';
import { type ApiCall, type ApiResponse, describeCall, parseRetryAfter } from '../http/exchange.ts';
import { RATE_LIMIT_WAIT } from '../http/request-with-retries.ts';
import { readServiceError, type ServiceError } from './envelope.ts';

/** The API's own error codes that are more specific than the status they come with. */
const QUOTA_EXCEEDED = 11;
const RATE_LIMITED = 12;

interface ErrorContext {
  readonly where: string;
  /** The API's own message, as the end of ours. */
  readonly quote: string;
  readonly evidence: ReceiverResponse;
}

/** Errors that only a person can fix, by status. */
const GIVE_UP: Readonly<Record<number, (context: ErrorContext) => GiveUp>> = {
  401: ({ quote, evidence }) =>
    new GiveUp(
      'TIDINGS_SOURCE_UNAUTHORIZED',
      `the API refused the token (401): check the token of the source${quote}`,
      {
        evidence,
      },
    ),
};

/**
 * Statuses that count only in the API's own envelope: the error page of a proxy or a firewall says nothing about
 * requests, records or roles.
 */
const GIVE_UP_IF_FROM_API: Readonly<Record<number, (context: ErrorContext) => GiveUp>> = {
  400: ({ where, quote, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', `${where}: the API rejected the request (400)${quote}`, { evidence }),
  402: ({ quote, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_UNPAID', `the account has an unpaid subscription (402)${quote}`, { evidence }),
  403: ({ where, quote, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_FORBIDDEN', `${where}: the token's role does not allow this (403)${quote}`, {
      evidence,
    }),
  404: ({ where, quote, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_NOT_FOUND', `${where}: not found (404)${quote}`, { evidence }),
  418: ({ quote, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_BANNED', `the API has banned this client (418): contact its support${quote}`, {
      evidence,
    }),
};

/** Reads the API's own error code before the status. */
export function toApiError(call: ApiCall, response: ApiResponse, excerpt: Excerpt): RetryLater | GiveUp {
  const { status, headers, body } = response;
  const error = status >= 400 ? readServiceError(body.toString('utf8')) : undefined;
  const evidence = { status, body: excerpt.ofBody(body) };
  const context = { where: describeCall(call), quote: quoteService(error, excerpt), evidence };
  if (status < 500 && error?.code === QUOTA_EXCEEDED) {
    const message = `the account's daily request quota is used up (${status})${context.quote}`;
    return new RetryLater('TIDINGS_SOURCE_QUOTA_EXHAUSTED', message, { evidence });
  }
  if (status < 500 && error?.code === RATE_LIMITED) {
    const message = `the API's rate limit was exceeded (${status}): other clients may use the same IP address${context.quote}`;
    return new RetryLater('TIDINGS_SOURCE_TOO_FAST', message, { evidence, after: RATE_LIMIT_WAIT });
  }
  const giveUp = GIVE_UP[status] ?? (isFromApi(error, status) ? GIVE_UP_IF_FROM_API[status] : undefined);
  if (giveUp !== undefined) return giveUp(context);
  const foreign =
    status in GIVE_UP_IF_FROM_API ? "; the response is not the API's own: a proxy or firewall sent it" : '';
  const message = `${context.where}: the API answered ${status}${context.quote}${foreign}`;
  return new RetryLater('TIDINGS_SOURCE_STATUS', message, { evidence, after: parseRetryAfter(headers['retry-after']) });
}

function isFromApi(error: ServiceError | undefined, status: number): boolean {
  return error !== undefined && (error.status === null || error.status === status);
}

function quoteService(error: ServiceError | undefined, excerpt: Excerpt): string {
  if (error === undefined) return '';
  const message = excerpt.ofText(error.message).slice(0, 200);
  return `; it said: ${message === '' ? 'nothing' : message} (code ${error.code ?? 'unknown'})`;
}
