/**
 * One request to an AWS service, within a time, and what its failure means: throttled, denied, refused, or passing.
 * Knows the SDK's errors; what each means for a mail, a secret or an event is for the adapters to say.
 */

import type { Evidence } from '../../core/model/errors.ts';
import type { Duration } from '../../core/model/time.ts';

export interface AskOptions {
  /** For the whole of it, the SDK's own retries included. */
  readonly timeout: Duration;
  /** @default - nobody asks us to stop */
  readonly signal?: AbortSignal | undefined;
}

/**
 * `throttled`: too fast or too much; `denied`: the role lacks the right, or is not known; `refused`: never like this; `passing`: the
 * service's own trouble, the network, or no answer in time.
 */
export type AwsErrorKind = 'throttled' | 'denied' | 'refused' | 'passing';

/**
 * What an AWS service answered when it did not do as asked. It holds the service's words and nothing else: an error of the
 * SDK may carry the whole answer, and the answer may be a secret.
 */
export class AwsFault extends Error {
  override readonly name = 'AwsFault';
  readonly trouble: AwsErrorKind;
  /** The service's own name of it: `ThrottlingException`. */
  readonly fault: string;
  /** The service's own words. */
  readonly words: string;
  readonly evidence: Evidence;

  constructor(trouble: AwsErrorKind, fault: string, words: string, evidence: Evidence = {}) {
    super(words === '' ? fault : `${fault}: ${words}`);
    this.trouble = trouble;
    this.fault = fault;
    this.words = words;
    this.evidence = evidence;
  }

  /** What a service answered: its words, as much of them as is kept. */
  static answered(fault: string, words: string, status: number, requestId?: string): AwsFault {
    const kept = words.slice(0, KEPT);
    return new AwsFault(troubleOf(fault, status), fault, kept, {
      status,
      ...(kept === '' ? {} : { body: kept }),
      ...(requestId === undefined ? {} : { requestId }),
    });
  }
}

/** What is kept of the service's words. */
const KEPT = 500;

/** Resolves with the answer; rejects with an AwsFault, and with nothing else. */
export async function callAws<Answer>(
  send: (options: { readonly abortSignal: AbortSignal }) => Promise<Answer>,
  { timeout, signal }: AskOptions,
): Promise<Answer> {
  const deadline = AbortSignal.any([AbortSignal.timeout(timeout), ...(signal === undefined ? [] : [signal])]);
  const stopped = () =>
    signal?.aborted === true
      ? new AwsFault('passing', 'Stopped', 'we were asked to stop')
      : new AwsFault('passing', 'Timeout', `no answer within ${timeout / 1000} s`);
  if (deadline.aborted) throw stopped();
  try {
    return await orAborted(deadline, send({ abortSignal: deadline }));
  } catch (error) {
    throw deadline.aborted ? stopped() : faultOf(error);
  }
}

/** The SDK looks at the signal until the answer begins; an answer without end is left to itself here. */
function orAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('stopped'));
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

const THROTTLED = /Throttl|^TooMany(Requests|Updates)|^LimitExceeded|^RequestLimit|^SlowDown/;
const DENIED =
  /^(AccessDenied|NotAuthorized|Unauthorized|UnrecognizedClient|InvalidClientToken|MissingAuthenticationToken|InvalidSignature|SignatureDoesNotMatch)/;
/**
 * The credentials of a function are changed under it now and then; the next request has the new ones. A clock that is off
 * is set right by the SDK with the answer that says so, for its own clients.
 */
const PASSING =
  /^(ExpiredToken|ExpiredTokenException|RequestExpired|RequestTimeTooSkewed|RequestTimeTooSkewedException|RequestTimeout|RequestTimeoutException|Internal.*)$/;

/** Of the name a service gives its trouble, and the status where there is one. */
export function troubleOf(fault: string, status?: number): AwsErrorKind {
  if (THROTTLED.test(fault) || status === 429) return 'throttled';
  if (DENIED.test(fault)) return 'denied';
  if (PASSING.test(fault) || status === undefined || status >= 500 || status < 400) return 'passing';
  return 'refused';
}

function faultOf(error: unknown): AwsFault {
  if (error instanceof AwsFault) return error;
  if (!(error instanceof Error)) return new AwsFault('passing', 'Unknown', '');
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined;
  const status = read(metadata, 'httpStatusCode');
  const known = typeof status === 'number' ? status : undefined;
  const requestId = read(metadata, 'requestId');
  const traced = typeof requestId === 'string' ? requestId : undefined;
  // Only what the service itself said may be repeated: an answer that cannot be read is quoted by the parser's error.
  if ('$fault' in error && known !== undefined && known >= 400)
    return AwsFault.answered(error.name, error.message, known, traced);
  return new AwsFault(troubleOf(error.name, known), error.name, connectionWords(error), {
    ...(known === undefined ? {} : { status: known }),
    ...(traced === undefined ? {} : { requestId: traced }),
  });
}

/** `ECONNREFUSED`, and no more: such a code says where it broke. */
function connectionWords(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function read(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
}
