/**
 * What every function has around its work: a log whose lines know the invocation, metrics that are written at its end,
 * and the time that is left. Knows nothing of what the work is.
 */

import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics } from '@aws-lambda-powertools/metrics';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { errorMessage, TidingsError } from '../../core/model/errors.ts';
import type { Duration } from '../../core/model/time.ts';
import { DEPLOYMENT } from './environment.ts';
import {
  DEFAULT_SERVICE,
  FUNCTION_DIMENSION,
  type FunctionName,
  METRICS,
  type MetricName,
  NAMESPACE,
} from './metrics.ts';

export interface Invocation {
  readonly log: Logger;
  /** Adds a value to a metric of this invocation. */
  readonly count: (metric: MetricName, value: number) => void;
  /** Names this invocation in every line of its log. */
  readonly id: string;
  /** How long until Lambda ends it, whatever it is doing then. */
  readonly timeLeft: () => Duration;
  /** Fires when less than this much time is left. */
  readonly stopBefore: (margin: Duration) => AbortSignal;
}

export type Work<Event, Result> = (event: Event, call: Invocation) => Promise<Result>;

/** A failure is written down in our words and thrown on: Lambda counts it and tries again. */
export function createLambdaHandler<Event, Result>(name: FunctionName, work: Work<Event, Result>) {
  const serviceName = process.env[DEPLOYMENT] ?? DEFAULT_SERVICE;
  const log = new Logger({ serviceName, persistentKeys: { [FUNCTION_DIMENSION]: name } });
  const metrics = new Metrics({
    namespace: NAMESPACE,
    serviceName,
    defaultDimensions: { [FUNCTION_DIMENSION]: name },
  });
  const count = (metric: MetricName, value: number) => {
    metrics.addMetric(METRICS[metric].name, METRICS[metric].unit, value);
  };
  // Of nothing counted nothing is written: Powertools' own middleware would put a line of plain text into the log.
  const publish = () => {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
  return middy((event: Event, context: Context) => work(event, createInvocation(context, log, count)), {
    // The work stops by itself when its time is nearly over: nobody is left to save anything after a race is lost.
    timeoutEarlyInMillis: 0,
  })
    .use(injectLambdaContext(log))
    .use({ after: publish, onError: publish })
    .onError(({ error }) => log.error('failed', { error: describeError(error) }));
}

function createInvocation(context: Context, log: Logger, count: Invocation['count']): Invocation {
  const timeLeft = () => context.getRemainingTimeInMillis();
  return {
    log,
    count,
    id: context.awsRequestId,
    timeLeft,
    // Its timer does not keep the process, and one that fires after the end wakes nobody.
    stopBefore: (margin) => AbortSignal.timeout(Math.max(0, Math.floor(timeLeft() - margin))),
  };
}

/** Of an error of others its name and words, never the whole of it: the SDK's hold what was sent and what came back. */
export function describeError(error: unknown): { readonly code: string; readonly message: string } {
  const code = error instanceof TidingsError ? error.code : error instanceof Error ? error.name : 'TIDINGS_UNEXPECTED';
  return { code, message: errorMessage(error) };
}
