/**
 * The errors of the domain: each has a stable code, and its type says what to do next.
 * Exit codes and log lines are made where the errors are shown.
 */

import type { ErrorCode } from './error-codes.ts';
import type { ReceiverResponse } from './receiver-response.ts';

export class TidingsError extends Error {
  override readonly name: string = 'TidingsError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** A transient failure: retry, not before `after`. */
export class RetryLater extends TidingsError {
  override readonly name = 'RetryLater';
  /** Milliseconds to wait, as the other side asked. @default - the caller's own schedule */
  readonly after: number | undefined;
  readonly evidence: ReceiverResponse;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      readonly after?: number;
      readonly evidence?: ReceiverResponse;
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.after = options.after;
    this.evidence = options.evidence ?? {};
  }
}

/** A permanent failure: a retry cannot help, a person has to change something. */
export class GiveUp extends TidingsError {
  override readonly name = 'GiveUp';
  readonly evidence: ReceiverResponse;
  /** Whether the receiver no longer exists or wants no more messages. */
  readonly gone: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly evidence?: ReceiverResponse; readonly gone?: boolean; readonly cause?: unknown } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.gone = options.gone ?? false;
    this.evidence = options.evidence ?? {};
  }
}

/** One problem of the config. */
export interface ConfigProblem {
  /** Path of the invalid value: `subscriptions[0].to.http.url`. Empty for the whole file. */
  readonly path: string;
  readonly message: string;
}

/** All problems of a config, so that they can be fixed at once. */
export class ConfigError extends TidingsError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  /** @param hints - what to do, printed once after the problems */
  constructor(file: string, problems: readonly ConfigProblem[], ...hints: readonly string[]) {
    const lines = problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
    const all = [`${file}: ${count(problems.length, 'problem')}`, ...lines, ...hints];
    super('TIDINGS_CONFIG_INVALID', all.join('\n'));
    this.problems = problems;
  }
}

/** Invalid command, options or input: exit code 2, nothing was changed. */
export class UsageError extends TidingsError {
  override readonly name: string = 'UsageError';
}

/** The message of any thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error, such as ENOENT. Not by `instanceof`: in Jest, errors of Node have another class than those of the code. */
export function systemErrorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : undefined;
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
