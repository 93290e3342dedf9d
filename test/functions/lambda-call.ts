/** Invokes a function as Lambda does: with a context that has the remaining time. Captures all output. */

import type { Context } from 'aws-lambda';
import { vi } from 'vitest';

export interface CallOptions {
  /** Milliseconds until the timeout. @default 60000 */
  readonly time?: number;
  /** @default - a new one each time */
  readonly id?: string;
}

let calls = 0;

export function contextOf({ time = 60_000, id = `request-${++calls}` }: CallOptions = {}): Context {
  const endsAt = performance.now() + time;
  return {
    awsRequestId: id,
    functionName: 'tidings-function',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:tidings-function',
    memoryLimitInMB: '512',
    logGroupName: '/aws/lambda/tidings-function',
    logStreamName: 'stream',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, endsAt - performance.now()),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

export interface CapturedOutput {
  /** The raw output. */
  readonly text: () => string;
  /** Log lines with this message. */
  readonly lines: (message: string) => readonly Record<string, unknown>[];
  /** All values of a metric, in order. */
  readonly metric: (name: string) => readonly number[];
  /** Every set of dimensions and its values. */
  readonly dimensions: () => readonly Record<string, unknown>[];
  readonly clear: () => void;
}

/** Captures stdout and stderr of the process. */
export function captureOutput(): CapturedOutput {
  let text = '';
  const keep = (chunk: unknown) => {
    text += String(chunk);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(keep);
  vi.spyOn(process.stderr, 'write').mockImplementation(keep);
  const objects = (): Record<string, unknown>[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const metrics = () => objects().filter((line) => '_aws' in line);
  return {
    text: () => text,
    lines: (message) => objects().filter((line) => line.message === message),
    metric: (name) => metrics().flatMap((line) => (line[name] ?? []) as number | number[]),
    dimensions: () =>
      metrics().map((line) => {
        const { CloudWatchMetrics } = line._aws as { CloudWatchMetrics: { Dimensions: string[][] }[] };
        const names = CloudWatchMetrics.flatMap(({ Dimensions }) => Dimensions.flat());
        return Object.fromEntries(names.map((name) => [name, line[name]]));
      }),
    clear: () => {
      text = '';
    },
  };
}
