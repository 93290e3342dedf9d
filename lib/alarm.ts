/** One alarm as we make them: it says what it means and where to read on, and tells the topic when it comes and goes. */

import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';

/** Chapters of the runbook, by the anchors they have there. */
export const RUNBOOK_SECTIONS = [
  'nothing-is-read',
  'scans-fail',
  'ticks-are-late',
  'events-are-late',
  'the-stream-is-not-read',
  'records-were-not-announced',
  'deliveries-are-late',
  'dead-letters',
  'missed-runs',
  'function-errors',
  'function-throttling',
  'mail-bounces',
] as const;

const MISSING_DATA = {
  well: TreatMissingData.NOT_BREACHING,
  bad: TreatMissingData.BREACHING,
  nothing: TreatMissingData.IGNORE,
} as const;

export interface AlarmSpec {
  readonly metric: IMetric;
  /** In one sentence, for whoever is woken by it. */
  readonly summary: string;
  readonly section: (typeof RUNBOOK_SECTIONS)[number];
  readonly threshold: number;
  /** Whether it is about too little of something. @default false */
  readonly below?: boolean;
  /** Periods that it is about. @default 1 */
  readonly periods?: number;
  /** How many of these have to be bad. @default - all of them */
  readonly datapointsToAlarm?: number;
  /** What no data means: that all is well, bad news itself, or nothing, so that it stays as it was. @default 'well' */
  readonly missingData?: keyof typeof MISSING_DATA;
  /** Whether it is no news while everything rests. @default false */
  readonly muteWhilePaused?: boolean;
}

export interface AlarmTarget {
  readonly topic: ITopic;
  /** An address whose end is a chapter's anchor. @default - the chapter is named, and found in docs/runbook.md */
  readonly runbookUrl?: string;
  /** Whether everything rests. */
  readonly paused: boolean;
}

/** A mail makes links of addresses only: without one, words that can be looked for. */
function runbookReference(chapter: AlarmSpec['section'], runbookUrl: string | undefined): string {
  if (runbookUrl !== undefined) return `${runbookUrl}#${chapter}`;
  const title = chapter.replaceAll('-', ' ');
  return `See "${title.charAt(0).toUpperCase()}${title.slice(1)}" in docs/runbook.md.`;
}

export function createAlarm(scope: Construct, id: string, worry: AlarmSpec, place: AlarmTarget): Alarm {
  const {
    metric,
    summary: meaning,
    section: chapter,
    threshold,
    below = false,
    periods = 1,
    datapointsToAlarm: bad,
  } = worry;
  const { topic, runbookUrl, paused } = place;
  const alarm = new Alarm(scope, id, {
    metric,
    alarmDescription: `${meaning} ${runbookReference(chapter, runbookUrl)}`,
    threshold,
    evaluationPeriods: periods,
    ...(bad === undefined ? {} : { datapointsToAlarm: bad }),
    actionsEnabled: !(paused && worry.muteWhilePaused === true),
    comparisonOperator: below
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: MISSING_DATA[worry.missingData ?? 'well'],
  });
  const tell = new SnsAction(topic);
  alarm.addAlarmAction(tell);
  alarm.addOkAction(tell);
  return alarm;
}
