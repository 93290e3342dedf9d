/** The CloudWatch dashboard, in the order data flows: polled, announced, queued, delivered; then the health of the functions. */

import { Dashboard, GraphWidget, type IMetric, Row, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import type { FunctionName, MetricName } from '../runtime/aws/metrics.ts';
import {
  type CustomMetricOptions,
  customMetric,
  droppedRecords,
  failedRecords,
  missedRuns,
  PERIOD,
  queueAge,
  sesReputation,
  streamAge,
  successfulRuns,
  visibleMessages,
} from './metrics.ts';
import type { TidingsData } from './tidings-data.ts';
import type { TidingsFunction } from './tidings-function.ts';

/** The resources that dashboard and alarms cover. */
export interface MonitoredResources {
  readonly functions: Readonly<Record<FunctionName, TidingsFunction>>;
  readonly queue: IQueue;
  /** @default - one execution polls all sources */
  readonly pollQueues?: { readonly usual: IQueue; readonly slow: IQueue } | undefined;
  readonly data: TidingsData;
  /** The `service` dimension of the functions' own metrics. */
  readonly deployment: string;
  /** Id of the stream's event source mapping, a dimension of its metrics. */
  readonly mappingId: string;
  /** Whether mail is configured. */
  readonly mail: boolean;
}

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []) =>
  new GraphWidget({ title, left: [...left], right: [...right], width: 8, height: 6 });

export function createDashboard(scope: Construct, id: string, props: MonitoredResources): Dashboard {
  const { functions, queue, pollQueues, data, deployment, mappingId, mail } = props;
  const ours = (name: MetricName, statistic: string, more: Pick<CustomMetricOptions, 'label'> = {}) =>
    customMetric(name, { deployment, statistic, ...more });
  const of = (metric: (handler: TidingsFunction, label: string) => IMetric) =>
    Object.entries(functions).map(([name, handler]) => metric(handler, name));
  const rows = [
    new Row(
      graph('Successful runs', [successfulRuns(functions.poll, 'polls'), successfulRuns(functions.tick, 'ticks')]),
      graph('Stream lag', [streamAge(functions.announce)], [failedRecords(mappingId), droppedRecords(mappingId)]),
      graph('Queued deliveries', [visibleMessages(queue, 'jobs')], [queueAge(queue)]),
    ),
    new Row(
      graph(
        'Scans',
        [ours('scans', Stats.SUM), ours('failedScans', Stats.SUM), ours('failingSources', Stats.MAXIMUM)],
        [ours('quotaLeft', Stats.MINIMUM)],
      ),
      graph('Changes and events', [ours('changes', Stats.SUM), ours('events', Stats.SUM)]),
      graph('Delivery attempts', [ours('accepted', Stats.SUM), ours('retried', Stats.SUM), ours('givenUp', Stats.SUM)]),
    ),
    new Row(
      graph(
        'Delivery latency, ms',
        [ours('latency', 'p50', { label: 'p50' }), ours('latency', 'p95', { label: 'p95' })],
        [ours('oldestDue', Stats.MAXIMUM, { label: 'oldest due, s' })],
      ),
      graph('Dead letters and missed runs', [
        visibleMessages(data.deadLetters, 'dead letters'),
        missedRuns(data.missedRuns),
      ]),
      graph(
        'Errors',
        of((handler, label) => handler.metricErrors({ period: PERIOD, statistic: Stats.SUM, label })),
      ),
    ),
    new Row(
      graph(
        'Throttles',
        of((handler, label) => handler.metricThrottles({ period: PERIOD, statistic: Stats.SUM, label })),
      ),
      graph(
        'Duration (maximum)',
        of((handler, label) => handler.metricDuration({ period: PERIOD, statistic: Stats.MAXIMUM, label })),
      ),
      graph(
        'Invocations',
        of((handler, label) => handler.metricInvocations({ period: PERIOD, statistic: Stats.SUM, label })),
      ),
    ),
    ...(pollQueues === undefined
      ? []
      : [
          new Row(
            graph(
              'Sources waiting for a poll',
              [visibleMessages(pollQueues.usual, 'usual'), visibleMessages(pollQueues.slow, 'slow')],
              [queueAge(pollQueues.usual)],
            ),
          ),
        ]),
    ...(mail
      ? [new Row(graph('Mail reputation', [sesReputation('BounceRate')], [sesReputation('ComplaintRate')]))]
      : []),
  ];
  return new Dashboard(scope, id, { widgets: rows.map((row) => [row]) });
}
