/** The measures that tell whether news flows: AWS's own where there is one, for they are there even when our code is not. */

import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { FUNCTION_DIMENSION, METRICS, type MetricName, NAMESPACE, SERVICE } from '../runtime/aws-metrics.ts';

export const PERIOD = Duration.minutes(5);

/** Runs that came to their end. None at all is no data, not zero. `label` is a word, for it names them in the formula too. */
export function goodRuns(handler: IFunction, label: string): IMetric {
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

/** One of those that our functions write themselves. All Tidings of an account and region write to the same. */
export function own(name: MetricName, statistic: string): IMetric {
  const { function: handler, name: metricName } = METRICS[name];
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    dimensionsMap: { service: SERVICE, [FUNCTION_DIMENSION]: handler },
    period: PERIOD,
    statistic,
    label: metricName,
  });
}

/** How far the function is behind the stream: milliseconds. */
export function streamAge(handler: IFunction): IMetric {
  return handler.metric('IteratorAge', { period: PERIOD, statistic: Stats.MAXIMUM, label: 'oldest unannounced, ms' });
}

/** Records of the stream that were given up, whether or not they could be kept. */
export function givenUp(mappingId: string): IMetric {
  const count = (metricName: string) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { EventSourceMappingUUID: mappingId },
      period: PERIOD,
      statistic: Stats.SUM,
    });
  return new MathExpression({
    expression: 'FILL(kept, 0) + FILL(dropped, 0)',
    usingMetrics: { kept: count('OnFailureDestinationDeliveredEventCount'), dropped: count('DroppedEventCount') },
    label: 'not announced',
    period: PERIOD,
  });
}

/** How long the oldest job has been waiting: seconds. */
export function queueAge(queue: IQueue): IMetric {
  return queue.metricApproximateAgeOfOldestMessage({
    period: PERIOD,
    statistic: Stats.MAXIMUM,
    label: 'oldest job, s',
  });
}

export function waiting(queue: IQueue, label: string): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: Stats.MAXIMUM, label });
}

/** Of all mail of the account, as SES judges it: a share from 0 to 1. It publishes them now and then only. */
export function reputation(kind: 'BounceRate' | 'ComplaintRate'): IMetric {
  return new Metric({
    namespace: 'AWS/SES',
    metricName: `Reputation.${kind}`,
    period: Duration.hours(1),
    statistic: Stats.MAXIMUM,
    label: kind,
  });
}
