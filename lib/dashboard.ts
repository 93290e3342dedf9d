/** A page of graphs, in the order data flows: read, announced, waiting, delivered; then what the functions cost and break. */

import { Dashboard, GraphWidget, type IMetric, Row, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { givenUp, goodRuns, own, PERIOD, queueAge, reputation, streamAge, waiting } from './metrics.ts';
import type { TidingsFunction } from './tidings-function.ts';
import type { WatchProps } from './watch.ts';

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []) =>
  new GraphWidget({ title, left: [...left], right: [...right], width: 8, height: 6 });

export function drawDashboard(scope: Construct, id: string, props: WatchProps): Dashboard {
  const { functions, queue, data, mappingId, mail } = props;
  const of = (metric: (handler: TidingsFunction, label: string) => IMetric) =>
    Object.entries(functions).map(([name, handler]) => metric(handler, name));
  const rows = [
    new Row(
      graph('Runs that came to their end', [goodRuns(functions.poll, 'polls'), goodRuns(functions.tick, 'ticks')]),
      graph('From commit to event', [streamAge(functions.announce)], [givenUp(mappingId)]),
      graph('Attempts that wait', [waiting(queue, 'jobs')], [queueAge(queue)]),
    ),
    new Row(
      graph('News', [own('changes', Stats.SUM), own('events', Stats.SUM)], [own('quotaLeft', Stats.MINIMUM)]),
      graph('Attempts', [own('accepted', Stats.SUM), own('retried', Stats.SUM), own('givenUp', Stats.SUM)]),
      graph(
        'From event to acceptance, ms',
        [own('latency', 'p50'), own('latency', 'p95')],
        [own('oldestDue', Stats.MAXIMUM)],
      ),
    ),
    new Row(
      graph('Put aside', [waiting(data.deadLetters, 'dead letters'), waiting(data.missedRuns, 'missed runs')]),
      graph(
        'Errors',
        of((handler, label) => handler.metricErrors({ period: PERIOD, statistic: Stats.SUM, label })),
      ),
      graph(
        'Throttles',
        of((handler, label) => handler.metricThrottles({ period: PERIOD, statistic: Stats.SUM, label })),
      ),
    ),
    new Row(
      graph(
        'How long the slowest took',
        of((handler, label) => handler.metricDuration({ period: PERIOD, statistic: Stats.MAXIMUM, label })),
      ),
      graph(
        'Calls',
        of((handler, label) => handler.metricInvocations({ period: PERIOD, statistic: Stats.SUM, label })),
      ),
      ...(mail ? [graph('Mail that comes back', [reputation('BounceRate')], [reputation('ComplaintRate')])] : []),
    ),
  ];
  return new Dashboard(scope, id, { widgets: rows.map((row) => [row]) });
}
