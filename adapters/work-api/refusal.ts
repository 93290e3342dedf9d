/** What an answer that is no success means for whoever asked. Reads it; waits for nothing and tries nothing again. */

import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import type { ReceiverResponse } from '../../core/model/receiver-response.ts';
import { type Duration, MINUTE, SECOND } from '../../core/model/time.ts';
import { type ServiceError, serviceError } from './envelope.ts';
import type { Excerpt } from './excerpt.ts';
import { type ApiCall, type ApiResponse, told } from './exchange.ts';

/** The service's own codes that say more than the status they come with. */
const QUOTA_EXCEEDED = 11;
const TOO_FAST = 12;

/** Nobody can tell when the service's minute began, so a whole one is waited. */
export const TOO_FAST_WAIT: Duration = MINUTE;

interface Refused {
  readonly where: string;
  readonly said: string;
  readonly evidence: ReceiverResponse;
}

/** By status, for what only a person can mend. */
const GIVE_UP: Readonly<Record<number, (refused: Refused) => GiveUp>> = {
  401: ({ said, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_UNAUTHORIZED', `the API refused the token (401): check source.token${said}`, {
      evidence,
    }),
  402: ({ said, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_UNPAID', `the account is not paid for (402)${said}`, { evidence }),
  403: ({ where, said, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_FORBIDDEN', `${where}: the token's role may not do this (403)${said}`, { evidence }),
  418: ({ said, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_BANNED', `the API has banned this client (418): ask its support${said}`, { evidence }),
};

/** By status, for what counts only when the API itself says it: a proxy's page says nothing about requests or records. */
const GIVE_UP_OURS: Readonly<Record<number, (refused: Refused) => GiveUp>> = {
  400: ({ where, said, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', `${where}: the API calls the request wrong (400)${said}`, {
      evidence,
    }),
  404: ({ where, said, evidence }) =>
    new GiveUp('TIDINGS_SOURCE_NOT_FOUND', `${where}: the API has no such thing (404)${said}`, { evidence }),
};

/** The error of an answer; the service's code is read before anything is concluded from the status. */
export function refusal(call: ApiCall, { status, headers, body }: ApiResponse, excerpt: Excerpt): RetryLater | GiveUp {
  const error = status >= 400 ? serviceError(body.toString('utf8')) : undefined;
  const evidence = { status, body: excerpt.ofBody(body) };
  const refused = { where: told(call), said: saidBy(error, excerpt), evidence };
  if (status < 500 && error?.code === QUOTA_EXCEEDED) {
    const message = `the account's requests of the day are used up (${status})${refused.said}`;
    return new RetryLater('TIDINGS_SOURCE_QUOTA_EXHAUSTED', message, { evidence });
  }
  if (status < 500 && error?.code === TOO_FAST) {
    const message = `too many requests in a minute for the API (${status}): others may use the same address${refused.said}`;
    return new RetryLater('TIDINGS_SOURCE_TOO_FAST', message, { evidence, after: TOO_FAST_WAIT });
  }
  const giveUp = GIVE_UP[status] ?? (isOurs(error, status) ? GIVE_UP_OURS[status] : undefined);
  if (giveUp !== undefined) return giveUp(refused);
  const message = `${refused.where}: the API answered ${status}${refused.said}`;
  return new RetryLater('TIDINGS_SOURCE_STATUS', message, { evidence, after: retryAfter(headers['retry-after']) });
}

function isOurs(error: ServiceError | undefined, status: number): boolean {
  return error !== undefined && (error.status === null || error.status === status);
}

/** The service's own words, after ours. */
function saidBy(error: ServiceError | undefined, excerpt: Excerpt): string {
  if (error === undefined) return '';
  const message = excerpt.ofText(error.message).slice(0, 200);
  return `; it said: ${message === '' ? 'nothing' : message} (code ${error.code ?? 'unknown'})`;
}

/** Seconds, as most send it; a date is left to the caller's own schedule. */
function retryAfter(header: string | string[] | undefined): Duration | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * SECOND : undefined;
}
