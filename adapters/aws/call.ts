/**
 * Sends one request to an AWS service with a deadline, and classifies its failure: throttled, denied, refused or
 * transient. Knows the SDK's errors; each adapter decides what a failure means for a mail, a secret or an event.
 */

import type { ReceiverResponse } from '../../core/model/receiver-response.ts';
import type { Duration } from '../../core/model/time.ts';
import { withinLimit } from './in-flight.ts';

export interface AwsCallOptions {
  /** For the whole call, including the SDK's retries, from its start: a call may wait for others of its client. */
  readonly timeout: Duration;
  /** Aborts the call. @default - only the timeout does */
  readonly signal?: AbortSignal;
}

/**
 * `throttled`: the request rate or a quota is exceeded. `denied`: the caller lacks a permission or is unknown. `refused`:
 * the request is invalid and always will be. `transient`: a server error, a network error or no response in time.
 */
export type AwsErrorKind = 'throttled' | 'denied' | 'refused' | 'transient';

/**
 * The error response of an AWS service. It holds only the service's own message: an SDK error may carry the whole
 * response, which may contain a secret.
 */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly kind: AwsErrorKind;
  /** The service's error code: `ThrottlingException`. */
  readonly awsCode: string;
  /** The service's error message, truncated. Empty if there is none. */
  readonly detail: string;
  readonly evidence: ReceiverResponse;

  constructor(kind: AwsErrorKind, awsCode: string, detail: string, evidence: ReceiverResponse = {}) {
    super(detail === '' ? awsCode : `${awsCode}: ${detail}`);
    this.kind = kind;
    this.awsCode = awsCode;
    this.detail = detail;
    this.evidence = evidence;
  }
}

export const MAX_DETAIL_LENGTH = 500;

/** `client`: its calls in flight are limited. Resolves with the response. Rejects with an AwsError and nothing else. */
export async function callAws<Output>(
  client: object,
  send: Send<Output>,
  { timeout, signal }: AwsCallOptions,
): Promise<Output> {
  try {
    signal?.throwIfAborted();
    const call = withinLimit(client, async () => {
      signal?.throwIfAborted();
      return sendBefore(timeout, send, signal);
    });
    return await (signal === undefined ? call : rejectOnAbort(signal, call));
  } catch (error) {
    if (signal?.aborted === true) throw new AwsError('transient', 'Aborted', 'the caller is shutting down');
    throw toAwsError(error);
  }
}

type Send<Output> = (options: { readonly abortSignal: AbortSignal }) => Promise<Output>;

async function sendBefore<Output>(timeout: Duration, send: Send<Output>, signal?: AbortSignal): Promise<Output> {
  const deadline = AbortSignal.any([AbortSignal.timeout(timeout), ...(signal === undefined ? [] : [signal])]);
  try {
    return await rejectOnAbort(deadline, send({ abortSignal: deadline }));
  } catch (error) {
    throw deadline.aborted ? new AwsError('transient', 'Timeout', `no response within ${timeout / 1000} s`) : error;
  }
}

/** The SDK ignores the signal once a response has started. This stops waiting for a response that never ends. */
function rejectOnAbort<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const THROTTLED = /Throttl|^TooMany(Requests|Updates)|^LimitExceeded|^RequestLimit|^SlowDown/;
const DENIED =
  /^(AccessDenied|NotAuthorized|Unauthorized|UnrecognizedClient|InvalidClientToken|MissingAuthenticationToken|InvalidSignature|SignatureDoesNotMatch)/;
/** Lambda rotates a function's credentials, and the SDK corrects its clock offset: the next request succeeds. */
const TRANSIENT =
  /^(ExpiredToken|ExpiredTokenException|RequestExpired|RequestTimeTooSkewed|RequestTimeTooSkewedException|RequestTimeout|RequestTimeoutException|Internal.*)$/;

/** Classifies a service's error code, with the HTTP status if there was a response. */
export function classifyAwsError(awsCode: string, status?: number): AwsErrorKind {
  if (THROTTLED.test(awsCode) || status === 429) return 'throttled';
  if (DENIED.test(awsCode)) return 'denied';
  if (TRANSIENT.test(awsCode) || status === undefined || status >= 500 || status < 400) return 'transient';
  return 'refused';
}

interface SdkError extends Error {
  readonly $fault?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  /** Of a network error: `ECONNREFUSED`. */
  readonly code?: unknown;
}

function toAwsError(thrown: unknown): AwsError {
  if (thrown instanceof AwsError) return thrown;
  if (!(thrown instanceof Error)) return new AwsError('transient', 'Unknown', '');
  const error: SdkError = thrown;
  const { httpStatusCode: status, requestId } = error.$metadata ?? {};
  const kind = classifyAwsError(error.name, status);
  // Only the service's own message may be repeated: if a response cannot be parsed, the parser's message quotes it.
  if (error.$fault !== undefined && status !== undefined && status >= 400) {
    const detail = error.message.slice(0, MAX_DETAIL_LENGTH);
    return new AwsError(kind, error.name, detail, { status, body: detail || undefined, requestId });
  }
  const detail = typeof error.code === 'string' ? error.code : '';
  return new AwsError(kind, error.name, detail, { status, requestId });
}
