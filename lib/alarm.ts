/** One alarm as we make them: it says what it means and where to read on, and tells the topic when it comes and goes. */

import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

/** Chapters of the runbook, by the anchors they have there. */
export const CHAPTERS = [
  'nothing-is-read',
  'time-stands-still',
  'events-are-late',
  'records-were-not-announced',
  'deliveries-are-late',
  'dead-letters',
  'missed-runs',
  'a-function-fails',
  'a-function-is-throttled',
  'mail-bounces',
] as const;

export interface Worry {
  readonly metric: IMetric;
  /** In one sentence, for whoever is woken by it. */
  readonly meaning: string;
  readonly chapter: (typeof CHAPTERS)[number];
  readonly threshold: number;
  /** Whether it is about too little of something. @default false */
  readonly below?: boolean;
  /** Periods in a row. @default 1 */
  readonly periods?: number;
  /** Whether no data is bad news itself. @default false */
  readonly silenceIsBad?: boolean;
}

export interface AlarmPlace {
  readonly topic: ITopic;
  /** Where the runbook is: an address whose end is a chapter's anchor. */
  readonly runbookUrl: string;
}

export function raise(scope: Construct, id: string, worry: Worry, { topic, runbookUrl }: AlarmPlace): Alarm {
  const { metric, meaning, chapter, threshold, below = false, periods = 1, silenceIsBad = false } = worry;
  const alarm = new Alarm(scope, id, {
    metric,
    alarmDescription: `${meaning} ${runbookUrl}#${chapter}`,
    threshold,
    evaluationPeriods: periods,
    comparisonOperator: below
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: silenceIsBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
  });
  const tell = new SnsAction(topic);
  alarm.addAlarmAction(tell);
  alarm.addOkAction(tell);
  return alarm;
}
