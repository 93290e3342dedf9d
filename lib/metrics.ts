/** The measures that tell whether news flows: AWS's own where there is one, for they are there even when our code is not. */

import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { FUNCTION_DIMENSION, METRICS, type MetricName, NAMESPACE } from '../runtime/aws/metrics.ts';

export const PERIOD = Duration.minutes(5);

/** Runs that came to their end. None at all is no data, not zero. `label` is a word, for it names them in the formula too. */
export function successfulRuns(handler: IFunction, label: string): IMetric {
  return new MathExpression({
    expression: `${label} - FILL(${label}Errors, 0)`,
    usingMetrics: {
      [label]: handler.metricInvocations({ period: PERIOD, statistic: Stats.SUM }),
      [`${label}Errors`]: handler.metricErrors({ period: PERIOD, statistic: Stats.SUM }),
    },
    label,
    period: PERIOD,
  });
}

export interface CustomMetricOptions {
  /** Of which deployment: all of an account and region write to the same namespace. */
  readonly deployment: string;
  readonly statistic: string;
  /** @default PERIOD */
  readonly period?: Duration;
  /** @default - the metric's own name */
  readonly label?: string;
}

/** One of those that our functions write themselves. */
export function customMetric(
  name: MetricName,
  { deployment, statistic, period = PERIOD, label }: CustomMetricOptions,
): Metric {
  const { function: handler, name: metricName } = METRICS[name];
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    dimensionsMap: { service: deployment, [FUNCTION_DIMENSION]: handler },
    period,
    statistic,
    label: label ?? metricName,
  });
}

/**
 * 1 where there was some of the one and none at all of the other. In a comparison of two series CloudWatch takes what is
 * missing in either for 0, so that it holds where the other was never published too; FILL would have nothing to fill.
 */
function someWithoutAny(other: string, some: string): string {
  return `${some} > ${other} * 1000000`;
}

/** 1 where scans failed and not one came to its end. */
export function scansOnlyFailing(deployment: string): IMetric {
  const count = (name: MetricName) => customMetric(name, { deployment, statistic: Stats.SUM });
  return new MathExpression({
    expression: someWithoutAny('good', 'failed'),
    usingMetrics: { good: count('scans'), failed: count('failedScans') },
    label: 'failed scans and no good one',
    period: PERIOD,
  });
}

/** A poll tells its changes when it ends, minutes after the stream carried the first of them: a short period would tear the two apart. */
export const STREAM_PERIOD = Duration.minutes(15);

/** 1 where there were commits and nobody took anything from the stream. */
export function streamNotRead(deployment: string, mappingId: string): IMetric {
  return new MathExpression({
    expression: someWithoutAny('taken', 'changes'),
    usingMetrics: {
      changes: customMetric('changes', { deployment, statistic: Stats.SUM, period: STREAM_PERIOD }),
      taken: mappingMetric(mappingId, 'PolledEventCount', 'taken from the stream', STREAM_PERIOD),
    },
    label: 'commits that nobody took',
    period: STREAM_PERIOD,
  });
}

/** How far the function is behind the stream: milliseconds. */
export function streamAge(handler: IFunction): IMetric {
  return handler.metric('IteratorAge', { period: PERIOD, statistic: Stats.MAXIMUM, label: 'oldest unannounced, ms' });
}

function mappingMetric(mappingId: string, metricName: string, label: string, period = PERIOD): Metric {
  return new Metric({
    namespace: 'AWS/Lambda',
    metricName,
    dimensionsMap: { EventSourceMappingUUID: mappingId },
    period,
    statistic: Stats.SUM,
    label,
  });
}

/** Records of the stream that were given up, and kept in the bucket. */
export function failedRecords(mappingId: string): IMetric {
  return mappingMetric(mappingId, 'OnFailureDestinationDeliveredEventCount', 'put aside');
}

/** Records of the stream that were given up, for their tries or their age. */
export function droppedRecords(mappingId: string): IMetric {
  return mappingMetric(mappingId, 'DroppedEventCount', 'dropped');
}

/** How long the oldest job has been waiting: seconds. */
export function queueAge(queue: IQueue): IMetric {
  return queue.metricApproximateAgeOfOldestMessage({
    period: PERIOD,
    statistic: Stats.MAXIMUM,
    label: 'oldest job, s',
  });
}

export function visibleMessages(queue: IQueue, label: string): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: Stats.MAXIMUM, label });
}

/** Minutes that were missed, as they were told: what nobody cleared away since says nothing of today. */
export function missedRuns(queue: IQueue): IMetric {
  return queue.metricNumberOfMessagesSent({
    period: Duration.minutes(15),
    statistic: Stats.SUM,
    label: 'missed runs',
  });
}

/** Of all mail of the account, as SES judges it: a share from 0 to 1. It publishes them now and then only. */
export function sesReputation(kind: 'BounceRate' | 'ComplaintRate'): IMetric {
  return new Metric({
    namespace: 'AWS/SES',
    metricName: `Reputation.${kind}`,
    period: Duration.hours(1),
    statistic: Stats.MAXIMUM,
    label: kind,
  });
}
