/** The alarms about sources: one for all of them, or alarms that name the source. */

import { type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmSpec } from './alarm.ts';
import { bySource, customMetric } from './metrics.ts';

/** A source fails after three scans in a row, and may recover with the next. */
const SOURCE_PERIODS = 3;

/** An alarm per source in the template would cost as much for each, and miss sources that are added later. */
export function sourceAlarmSpecs(deployment: string, isPerSource: boolean): Record<string, AlarmSpec> {
  const spec = (metric: IMetric, summary: string): AlarmSpec => ({
    metric,
    summary,
    section: 'scans-fail',
    threshold: 1,
    periods: SOURCE_PERIODS,
  });
  if (!isPerSource)
    return {
      SourceFails: spec(
        customMetric('failingSources', { deployment, statistic: Stats.MAXIMUM }),
        'At least one source fails: its changes are not detected. The others may be fine.',
      ),
    };
  return {
    SourceFailing: spec(
      bySource('sourceFailing', deployment),
      'The named source fails: its changes are not detected. The others may be fine.',
    ),
    SourceLagging: spec(
      bySource('sourceLagging', deployment),
      'A resource of the named source was not read for three of its intervals: its changes are found late.',
    ),
  };
}
