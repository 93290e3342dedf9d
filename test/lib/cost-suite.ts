/** What `tidings cost` reckons with is what is deployed. */

import { describe, expect, it } from 'vitest';
import { METRICS } from '../../runtime/aws/metrics.ts';
import { DEPLOYED } from '../../runtime/cost/measured.ts';
import type { Synthesized } from './stacks.ts';

export const costSuite = (full: Synthesized, without: Synthesized) =>
  describe('the estimate of costs', () => {
    const count = ({ functions, storage }: Synthesized, type: string) =>
      [functions, storage].reduce((sum, template) => sum + Object.keys(template.findResources(type)).length, 0);

    /** An alarm is paid for by the metrics it looks at. */
    const alarmMetrics = ({ functions }: Synthesized) =>
      Object.values(functions.findResources('AWS::CloudWatch::Alarm'))
        .map(({ Properties }): { MetricStat?: unknown }[] => Properties.Metrics ?? [{ MetricStat: Properties }])
        .reduce((sum, metrics) => sum + metrics.filter(({ MetricStat }) => MetricStat !== undefined).length, 0);

    it('knows how many metrics of alarms, dashboards, keys, schedules and own metrics there are', () => {
      expect(alarmMetrics(without)).toBe(DEPLOYED.alarmMetrics);
      expect(alarmMetrics(full)).toBe(DEPLOYED.alarmMetrics + DEPLOYED.mailAlarmMetrics);
      expect(count(full, 'AWS::CloudWatch::Dashboard')).toBe(DEPLOYED.dashboards);
      expect(count(full, 'AWS::KMS::Key')).toBe(DEPLOYED.keys);
      expect(count(full, 'AWS::Scheduler::Schedule')).toBe(DEPLOYED.schedules);
      expect(Object.keys(METRICS)).toHaveLength(DEPLOYED.metrics);
    });

    it('knows the memory of the functions and the sizes of their batches', () => {
      const functions = Object.entries(full.functions.findResources('AWS::Lambda::Function'));
      const memoryOf = (name: string) =>
        functions.find(([id]) => id.startsWith(`Tidings${name}Function`))?.[1].Properties.MemorySize;
      const deployed = ['Poller', 'Ticker', 'Announcer', 'Deliverer'].map((name) => memoryOf(name) / 1024);
      expect(deployed).toEqual(Object.values(DEPLOYED.memoryGb));
      const mappings = Object.values(full.functions.findResources('AWS::Lambda::EventSourceMapping'));
      expect(mappings.map(({ Properties }) => Properties.BatchSize).toSorted((a, b) => a - b)).toEqual([
        DEPLOYED.queueBatch,
        DEPLOYED.streamBatch,
      ]);
    });
  });
