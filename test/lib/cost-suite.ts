/** `tidings cost` counts what the template deploys. */

import { expect, it } from 'vitest';
import { DEPLOYED } from '../../cli/cost.ts';
import { METRICS } from '../../runtime/aws/metrics.ts';
import type { Synthesized } from './stacks.ts';

export const costSuite = (full: Synthesized, without: Synthesized, divided: Synthesized) =>
  it('deploys the metrics, alarms, dashboard, key and schedules that `tidings cost` counts', () => {
    const count = ({ functions, storage }: Synthesized, type: string) =>
      [functions, storage].reduce((sum, template) => sum + Object.keys(template.findResources(type)).length, 0);
    /** CloudWatch charges an alarm by the metrics it watches. */
    const alarmMetrics = ({ functions }: Synthesized) =>
      Object.values(functions.findResources('AWS::CloudWatch::Alarm'))
        .flatMap(({ Properties }): { MetricStat?: unknown }[] => Properties.Metrics ?? [{ MetricStat: Properties }])
        .filter(({ MetricStat }) => MetricStat !== undefined).length;
    expect(DEPLOYED).toEqual({
      schedules: count(full, 'AWS::Scheduler::Schedule'),
      metrics: Object.keys(METRICS).length,
      alarmMetrics: alarmMetrics(without),
      mailAlarmMetrics: alarmMetrics(full) - alarmMetrics(without),
      pollAlarmMetrics: alarmMetrics(divided) - alarmMetrics(full),
      dashboards: count(full, 'AWS::CloudWatch::Dashboard'),
      keys: count(full, 'AWS::KMS::Key'),
    });
  });
