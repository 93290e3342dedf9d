/** Wraps the work of a function into a Lambda handler with a structured log, metrics and the remaining time. */

import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics } from '@aws-lambda-powertools/metrics';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { errorMessage, TidingsError } from '../../core/model/errors.ts';
import type { Duration } from '../../core/model/time.ts';
import type { Tracer } from '../tracing/tracer.ts';
import { DEPLOYMENT } from './environment.ts';
import {
  DEFAULT_SERVICE,
  FUNCTION_DIMENSION,
  type FunctionName,
  METRICS,
  METRICS_BY_SOURCE,
  type MetricName,
  NAMESPACE,
  SOURCE_DIMENSION,
  type SourceMetricName,
} from './metrics.ts';

export interface Invocation {
  readonly log: Logger;
  /** Adds a value to a metric of this invocation. */
  readonly count: (metric: MetricName, value: number) => void;
  /** Publishes 1 for a metric about one source. @default - nobody reads it */
  readonly countSource?: (metric: SourceMetricName, source: string) => void;
  /** The AWS request id, part of every log line. */
  readonly id: string;
  /** Time until Lambda ends the invocation. */
  readonly timeLeft: () => Duration;
  /** Aborts when less than `margin` is left. */
  readonly stopBefore: (margin: Duration) => AbortSignal;
  /** @default - nothing is traced */
  readonly tracer?: Tracer | undefined;
}

export type Work<Event, Result> = (event: Event, call: Invocation) => Promise<Result>;

/**
 * Logs a failure and rethrows it, so that Lambda counts it as an error and retries.
 * @param tracerOf the tracer, whose spans are sent at the end of each invocation. @default - nothing is traced
 */
export function createLambdaHandler<Event, Result>(
  name: FunctionName,
  work: Work<Event, Result>,
  tracerOf: () => Promise<Tracer | undefined> = async () => undefined,
) {
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
  const countSource = (metric: SourceMetricName, source: string) => {
    const { name: metricName, unit } = METRICS_BY_SOURCE[metric];
    metrics.singleMetric().addDimension(SOURCE_DIMENSION, source).addMetric(metricName, unit, 1);
  };
  // Publishes only if there are metrics: Powertools' own middleware would log a plain-text warning.
  const publish = () => {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
  const findTracer = async () => tracerOf();
  const flush = async () => {
    // A function that cannot be opened reports that itself.
    const tracer = await findTracer().catch(() => undefined);
    for (const problem of (await tracer?.flush()) ?? []) log.warn('tracing failed', { problem });
  };
  const begin = async (context: Context): Promise<Invocation> => ({
    ...createInvocation(context, log, count),
    countSource,
    tracer: await findTracer(),
  });
  return middy(async (event: Event, context: Context) => work(event, await begin(context)), {
    // The work stops itself in time. Middy's early timeout would end it before its state is saved.
    timeoutEarlyInMillis: 0,
  })
    .use(injectLambdaContext(log))
    .use({ after: publish, onError: publish })
    .use({ after: flush, onError: flush })
    .onError(({ error }) => log.error('failed', { error: describeError(error) }));
}

function createInvocation(context: Context, log: Logger, count: Invocation['count']): Invocation {
  const timeLeft = () => context.getRemainingTimeInMillis();
  return {
    log,
    count,
    id: context.awsRequestId,
    timeLeft,
    // The timer does not keep the process alive, and firing after the end has no effect.
    stopBefore: (margin) => AbortSignal.timeout(Math.max(0, Math.floor(timeLeft() - margin))),
  };
}

/** Only name and message of a foreign error: SDK errors contain the request and the response. */
export function describeError(error: unknown): { readonly code: string; readonly message: string } {
  const code = error instanceof TidingsError ? error.code : error instanceof Error ? error.name : 'TIDINGS_UNEXPECTED';
  return { code, message: errorMessage(error) };
}
