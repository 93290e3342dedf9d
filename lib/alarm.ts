/** Creates one alarm with a description, a link to the runbook, and notifications to the topic. */

import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

/** Sections of docs/runbook.md, by their anchors. */
export const RUNBOOK_SECTIONS = [
  'nothing-is-read',
  'scans-fail',
  'polls-wait',
  'ticks-are-late',
  'events-are-late',
  'the-stream-is-not-read',
  'records-were-not-announced',
  'deliveries-are-late',
  'deliveries-are-given-up',
  'dead-letters',
  'missed-runs',
  'function-errors',
  'function-throttling',
  'tables-are-throttled',
  'mail-bounces',
] as const;

const MISSING_DATA = {
  ok: TreatMissingData.NOT_BREACHING,
  alarm: TreatMissingData.BREACHING,
  unchanged: TreatMissingData.IGNORE,
} as const;

export interface AlarmSpec {
  readonly metric: IMetric;
  /** What is wrong, in one or two sentences: the first line an operator reads. */
  readonly summary: string;
  readonly section: (typeof RUNBOOK_SECTIONS)[number];
  readonly threshold: number;
  /** Alarm below the threshold instead of at or above it. @default false */
  readonly below?: boolean;
  /** Number of periods evaluated. @default 1 */
  readonly periods?: number;
  /** How many of the periods must breach. @default - all of them */
  readonly datapointsToAlarm?: number;
  /** State when there is no data; `unchanged` keeps the last one. @default 'ok' */
  readonly missingData?: keyof typeof MISSING_DATA;
  /** Send no notifications while the deployment is paused. @default false */
  readonly muteWhilePaused?: boolean;
}

export interface AlarmTarget {
  readonly topic: ITopic;
  /** URL of the runbook, to which the section's anchor is added. @default - the section is named without a link */
  readonly runbookUrl?: string;
  /** Whether the deployment is paused. */
  readonly paused: boolean;
}

/** A link if there is a URL, otherwise the title of the section. */
function runbookReference(section: AlarmSpec['section'], runbookUrl: string | undefined): string {
  if (runbookUrl !== undefined) return `${runbookUrl}#${section}`;
  const title = section.replaceAll('-', ' ');
  return `See "${title.charAt(0).toUpperCase()}${title.slice(1)}" in docs/runbook.md.`;
}

export function createAlarm(scope: Construct, id: string, spec: AlarmSpec, target: AlarmTarget): Alarm {
  const { metric, summary, section, threshold, below = false, periods = 1, datapointsToAlarm } = spec;
  const { topic, runbookUrl, paused } = target;
  const alarm = new Alarm(scope, id, {
    metric,
    alarmDescription: `${summary} ${runbookReference(section, runbookUrl)}`,
    threshold,
    evaluationPeriods: periods,
    datapointsToAlarm,
    actionsEnabled: !(paused && spec.muteWhilePaused === true),
    comparisonOperator: below
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: MISSING_DATA[spec.missingData ?? 'ok'],
  });
  const notify = new SnsAction(topic);
  alarm.addAlarmAction(notify);
  alarm.addOkAction(notify);
  return alarm;
}
