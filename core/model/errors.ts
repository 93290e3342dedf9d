/**
 * The errors of the domain: each carries a stable code, and its type says what to do next.
 * Knows nothing of where they are shown; exit codes and log lines are made at the edge.
 */

import type { ReceiverResponse } from './receiver-response.ts';

export type ErrorCode = `TIDINGS_${string}`;

export class TidingsError extends Error {
  override readonly name: string = 'TidingsError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Try the same thing again, not before `after`. */
export class RetryLater extends TidingsError {
  override readonly name = 'RetryLater';
  /** Milliseconds the other side asked us to wait. @default - the caller's own schedule */
  readonly after: number | undefined;
  readonly evidence: ReceiverResponse;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      readonly after?: number | undefined;
      readonly evidence?: ReceiverResponse;
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.after = options.after;
    this.evidence = options.evidence ?? {};
  }
}

/** Trying again cannot help: a person has to change something. */
export class GiveUp extends TidingsError {
  override readonly name = 'GiveUp';
  readonly evidence: ReceiverResponse;
  /** The receiver said that it wants nothing more, now or later. */
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

/** One thing wrong with the config, in the operator's words. */
export interface ConfigProblem {
  /** Where, as a path a person can follow: `subscriptions[0].to.http.url`. Empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
}

/** Every problem of a config at once, so that it is mended in one go. */
export class ConfigError extends TidingsError {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  /** @param hint what to do, said once after all of them */
  constructor(file: string, problems: readonly ConfigProblem[], hint?: string) {
    const lines = problems.map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
    const all = [`${file}: ${count(problems.length, 'problem')}`, ...lines, ...(hint === undefined ? [] : [hint])];
    super('TIDINGS_CONFIG_INVALID', all.join('\n'));
    this.problems = problems;
  }
}

/** The command was called wrongly, or pointed at something it cannot use: exit code 2, nothing changed. */
export class UsageError extends TidingsError {
  override readonly name = 'UsageError';
}

/** The message of anything that was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
