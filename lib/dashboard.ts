/** A page of graphs, in the order data flows: read, announced, waiting, delivered; then what the functions cost and break. */

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

/** What graphs and alarms are about. */
export interface MonitoredResources {
  readonly functions: Readonly<Record<FunctionName, TidingsFunction>>;
  readonly queue: IQueue;
  readonly data: TidingsData;
  /** Names this one in the metrics that its functions write. */
  readonly deployment: string;
  /** Names the stream's mapping in its metrics. */
  readonly mappingId: string;
  /** Whether mail is sent. */
  readonly mail: boolean;
}

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []) =>
  new GraphWidget({ title, left: [...left], right: [...right], width: 8, height: 6 });

export function createDashboard(scope: Construct, id: string, props: MonitoredResources): Dashboard {
  const { functions, queue, data, deployment, mappingId, mail } = props;
  const ours = (name: MetricName, statistic: string, more: Pick<CustomMetricOptions, 'label'> = {}) =>
    customMetric(name, { deployment, statistic, ...more });
  const of = (metric: (handler: TidingsFunction, label: string) => IMetric) =>
    Object.entries(functions).map(([name, handler]) => metric(handler, name));
  const rows = [
    new Row(
      graph('Runs that came to their end', [
        successfulRuns(functions.poll, 'polls'),
        successfulRuns(functions.tick, 'ticks'),
      ]),
      graph(
        'From commit to event',
        [streamAge(functions.announce)],
        [failedRecords(mappingId), droppedRecords(mappingId)],
      ),
      graph('Attempts that wait', [visibleMessages(queue, 'jobs')], [queueAge(queue)]),
    ),
    new Row(
      graph('Scans', [ours('scans', Stats.SUM), ours('failedScans', Stats.SUM)], [ours('quotaLeft', Stats.MINIMUM)]),
      graph('News', [ours('changes', Stats.SUM), ours('events', Stats.SUM)]),
      graph('Attempts', [ours('accepted', Stats.SUM), ours('retried', Stats.SUM), ours('givenUp', Stats.SUM)]),
    ),
    new Row(
      graph(
        'From event to acceptance, ms',
        [ours('latency', 'p50', { label: 'half within' }), ours('latency', 'p95', { label: '95 % within' })],
        [ours('oldestDue', Stats.MAXIMUM, { label: 'oldest due, s' })],
      ),
      graph('Put aside', [visibleMessages(data.deadLetters, 'dead letters'), missedRuns(data.missedRuns)]),
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
        'How long the slowest took',
        of((handler, label) => handler.metricDuration({ period: PERIOD, statistic: Stats.MAXIMUM, label })),
      ),
      graph(
        'Calls',
        of((handler, label) => handler.metricInvocations({ period: PERIOD, statistic: Stats.SUM, label })),
      ),
    ),
    ...(mail
      ? [new Row(graph('Mail that comes back', [sesReputation('BounceRate')], [sesReputation('ComplaintRate')]))]
      : []),
  ];
  return new Dashboard(scope, id, { widgets: rows.map((row) => [row]) });
}
