/** Errors of the management API as problem details (RFC 9457): a status, a stable code and the fields that are wrong. */

import type { ErrorCode } from '../../../core/model/error-codes.ts';
import { UsageError } from '../../../core/model/errors.ts';

export interface FieldError {
  /** JSON pointer to the value in the request body: `/to/http/url`. For a query parameter its name: `limit`. */
  readonly pointer: string;
  readonly detail: string;
  /** In a query: the index of the first character of the word in question. @default - not in a query */
  readonly position?: number;
  /** In a query: that word. @default - the query as a whole */
  readonly word?: string;
}

export interface ProblemOptions {
  /** What happened and what to do. */
  readonly detail: string;
  /** @default - none */
  readonly errors?: readonly FieldError[];
  /** Further headers of the response. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response names this many errors; `detail` says how many there are. */
const MAX_ERRORS = 20;

/** A request of a few kilobytes must not get an answer of megabytes, whatever its parts are called. */
const MAX_DETAIL_LENGTH = 2000;

const clip = (text: string) => (text.length > MAX_DETAIL_LENGTH ? `${text.slice(0, MAX_DETAIL_LENGTH - 1)}…` : text);

/** Nothing was changed. */
export class Problem extends UsageError {
  override readonly name = 'Problem';
  readonly status: number;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: ErrorCode, { detail, errors = [], headers = {} }: ProblemOptions) {
    super(code, clip(detail));
    this.status = status;
    this.errors = errors
      .slice(0, MAX_ERRORS)
      .map((error) => ({ ...error, pointer: clip(error.pointer), detail: clip(error.detail) }));
    this.headers = headers;
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  412: 'Precondition failed',
  413: 'Content too large',
  415: 'Unsupported media type',
  422: 'Invalid request',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Unavailable',
};

/** The body of the response. */
export function problemBody({ status, code, message, errors }: Problem) {
  return {
    type: 'about:blank',
    title: TITLES[status] ?? 'Error',
    status,
    code,
    detail: message,
    ...(errors.length === 0 ? {} : { errors }),
  };
}

/** For anything that does not exist, or that the caller may not see. */
export function notFound(what: string, why?: string): Problem {
  const detail = `${what} not found${why === undefined ? '' : `: ${why}`}`;
  return new Problem(404, 'TIDINGS_API_NOT_FOUND', { detail });
}

export function invalid(errors: readonly FieldError[]): Problem {
  const [first] = errors;
  const more = errors.length > 1 ? `, and ${errors.length - 1} more` : '';
  const detail =
    first === undefined
      ? 'the request is not valid'
      : `${first.pointer === '' ? 'the body' : first.pointer}: ${first.detail}${more}`;
  return new Problem(422, 'TIDINGS_API_INVALID', { detail, errors });
}

/** The request is well formed, but names someone who is no reader there. */
export function notAReader(pointer: string, detail: string): Problem {
  return new Problem(409, 'TIDINGS_API_READER', { detail: `${pointer}: ${detail}`, errors: [{ pointer, detail }] });
}

/** `subscriptions[0].to.http.url` of a config is `/to/http/url` of a request. */
export function toPointer(path: string): string {
  const keys = path.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  return keys
    .filter((key) => key !== '')
    .map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
