/** CloudWatch metrics for alarms and dashboard. AWS's own metrics where possible: they exist even if our code does not run. */

import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import {
  FUNCTION_DIMENSION,
  METRICS,
  METRICS_BY_SOURCE,
  type MetricName,
  NAMESPACE,
  SOURCE_DIMENSION,
  type SourceMetricName,
} from '../runtime/aws/metrics.ts';

export const PERIOD = Duration.minutes(5);

/** Runs without an error. Without any run there is no data, not zero. `label` must be an identifier: the expression uses it. */
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
  /** The `service` dimension: all deployments of an account and region share the namespace. */
  readonly deployment: string;
  readonly statistic: string;
  /** @default PERIOD */
  readonly period?: Duration;
  /** @default - the metric's own name */
  readonly label?: string;
}

/** A metric that our functions publish. */
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
 * One time series per source, which exists only while something is wrong with it. An alarm on it notifies about each source by its
 * name, also about one that was added after the deployment.
 */
export function bySource(name: SourceMetricName, deployment: string): IMetric {
  const { name: metricName } = METRICS_BY_SOURCE[name];
  const dimensions = [FUNCTION_DIMENSION, 'service', SOURCE_DIMENSION].map((one) => `"${one}"`).join(', ');
  return new MathExpression({
    expression: `SELECT MAX("${metricName}") FROM SCHEMA("${NAMESPACE}", ${dimensions}) WHERE "service" = '${deployment}' GROUP BY "${SOURCE_DIMENSION}" ORDER BY MAX() DESC`,
    label: metricName,
    period: PERIOD,
  });
}

/** Failed scans where none succeeded, else 0. */
export function scansOnlyFailing(deployment: string): IMetric {
  const count = (name: MetricName) => customMetric(name, { deployment, statistic: Stats.SUM });
  return new MathExpression({
    expression: 'IF(FILL(good, 0) < 1, FILL(failed, 0), 0)',
    usingMetrics: { good: count('scans'), failed: count('failedScans') },
    label: 'scans failed, none succeeded',
    period: PERIOD,
  });
}

/** A poll reports its changes when it ends, minutes after the stream carried the first: a shorter period would separate the two. */
const STREAM_PERIOD = Duration.minutes(15);

/**
 * Changes where nothing was read from the stream, else 0. Every poll publishes the changes. What was read may never have been
 * published, and then FILL may have nothing to fill: the zeros beside it have the timestamps of the changes.
 */
export function streamNotRead(deployment: string, mappingId: string): IMetric {
  return new MathExpression({
    expression: 'IF(MAX([FILL(taken, 0), changes * 0]) < 1, changes, 0)',
    usingMetrics: {
      changes: customMetric('changes', { deployment, statistic: Stats.SUM, period: STREAM_PERIOD }),
      taken: mappingMetric(mappingId, 'PolledEventCount', 'read from the stream', STREAM_PERIOD),
    },
    label: 'changes not read from the stream',
    period: STREAM_PERIOD,
  });
}

/** How far the function is behind the stream, in milliseconds. */
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

/** Stream records that failed for good and were stored in the bucket. */
export function failedRecords(mappingId: string): IMetric {
  return mappingMetric(mappingId, 'OnFailureDestinationDeliveredEventCount', 'failed records');
}

/** Stream records dropped after too many attempts, or because of their age. */
export function droppedRecords(mappingId: string): IMetric {
  return mappingMetric(mappingId, 'DroppedEventCount', 'dropped');
}

export interface ThrottledResource {
  readonly table: ITable;
  /** @default - the table itself */
  readonly index?: string;
}

/** Requests that DynamoDB throttled. It publishes the metric only where there were any, and for an index separately. */
export function throttledEvents(kind: 'Read' | 'Write', { table, index }: ThrottledResource): IMetric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName: `${kind}ThrottleEvents`,
    dimensionsMap: { TableName: table.tableName, ...(index === undefined ? {} : { GlobalSecondaryIndexName: index }) },
    period: PERIOD,
    statistic: Stats.SUM,
    label: `throttled ${kind.toLowerCase()}s${index === undefined ? '' : ` of ${index}`}`,
  });
}

/** Age of the oldest queued job, in seconds. */
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

/** Missed runs as they arrive. The depth of the queue would also count old ones that were never purged. */
export function missedRuns(queue: IQueue): IMetric {
  return queue.metricNumberOfMessagesSent({
    period: Duration.minutes(15),
    statistic: Stats.SUM,
    label: 'missed runs',
  });
}

/** The account-wide rate, from 0 to 1. SES publishes it irregularly. */
export function sesReputation(kind: 'BounceRate' | 'ComplaintRate'): IMetric {
  return new Metric({
    namespace: 'AWS/SES',
    metricName: `Reputation.${kind}`,
    period: Duration.hours(1),
    statistic: Stats.MAXIMUM,
    label: kind,
  });
}
