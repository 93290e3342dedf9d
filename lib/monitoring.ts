/** Says when news does not flow: alarms, the topic they tell, and a page of graphs. Silence must be explained. */

import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type Dashboard, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { type AlarmSpec, type AlarmTarget, createAlarm } from './alarm.ts';
import { createDashboard, type MonitoredResources } from './dashboard.ts';
import {
  customMetric,
  droppedRecords,
  failedRecords,
  missedRuns,
  PERIOD,
  queueAge,
  scansOnlyFailing,
  sesReputation,
  streamAge,
  streamNotRead,
  successfulRuns,
  visibleMessages,
} from './metrics.ts';
import type { TidingsFunction } from './tidings-function.ts';

export interface MonitoringProps extends MonitoredResources {
  /** Whether everything rests. */
  readonly paused: boolean;
  /** @default - alarms name their chapter */
  readonly runbookUrl?: string;
  /** @default - nobody is told but who looks at the topic */
  readonly alarmEmail?: string;
}

export class Monitoring extends Construct {
  /** Told when an alarm comes and when it goes: for more subscribers than one address. */
  readonly topic: Topic;
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { alarmEmail, runbookUrl, paused } = props;
    this.topic = this.createTopic(alarmEmail);
    const place: AlarmTarget = { topic: this.topic, paused, ...(runbookUrl === undefined ? {} : { runbookUrl }) };
    for (const [name, worry] of Object.entries(alarmSpecs(props))) createAlarm(this, name, worry, place);
    this.dashboard = createDashboard(this, 'Dashboard', props);
  }

  /** With a key of its own: CloudWatch may not use the one that AWS keeps for SNS. */
  private createTopic(alarmEmail: string | undefined): Topic {
    const key = new Key(this, 'TopicKey', {
      description: 'Tidings: the topic of its alarms',
      enableKeyRotation: true,
      // It guards nothing that is kept.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Without a condition on the account: alarms are not known to send one along to KMS. The topic has it.
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: ['*'],
      }),
    );
    const topic = new Topic(this, 'Topic', { displayName: 'Tidings', masterKey: key, enforceSSL: true });
    // A topic without a policy lets the account's alarms in. One that asks for TLS has a policy, and has to say so itself.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (alarmEmail === undefined) return topic;
    const subscription = topic.addSubscription(new EmailSubscription(alarmEmail));
    acknowledgeNagRules(subscription, {
      'Serverless-SNSRedrivePolicy': 'A mail that cannot be sent loses nothing: the alarm stands in CloudWatch.',
    });
    return topic;
  }
}

function alarmSpecs({
  functions,
  queue,
  data,
  deployment,
  mappingId,
  mail,
}: MonitoringProps): Record<string, AlarmSpec> {
  const { setup: _, ...atWork } = functions;
  return {
    PollHeartbeat: {
      metric: successfulRuns(functions.poll, 'polls'),
      summary: 'No poll came to its end for a quarter of an hour.',
      section: 'nothing-is-read',
      threshold: 1,
      below: true,
      periods: 3,
      missingData: 'bad',
      muteWhilePaused: true,
    },
    ScansFail: {
      metric: scansOnlyFailing(deployment),
      summary: 'Polls run, but scans of the API fail and none is good.',
      section: 'scans-fail',
      threshold: 1,
      // A scan that fails is tried again every six minutes at last, so one period of five goes without.
      periods: 4,
      datapointsToAlarm: 3,
    },
    TickHeartbeat: {
      metric: successfulRuns(functions.tick, 'ticks'),
      summary: 'Due dates, retries and digests have not been looked at for a quarter of an hour.',
      section: 'ticks-are-late',
      threshold: 1,
      below: true,
      periods: 3,
      missingData: 'bad',
      muteWhilePaused: true,
    },
    OldestDue: {
      metric: customMetric('oldestDue', { deployment, statistic: Stats.MAXIMUM }),
      summary: 'What became due had waited more than ten minutes when it was looked at.',
      section: 'ticks-are-late',
      threshold: 10 * 60,
      periods: 3,
    },
    StreamAge: {
      metric: streamAge(functions.announce),
      summary: 'Commits wait more than ten minutes for their events. After a day the stream forgets them.',
      section: 'events-are-late',
      threshold: 10 * 60_000,
      periods: 2,
    },
    StreamStands: {
      metric: streamNotRead(deployment, mappingId),
      summary: 'There are commits, and nobody takes them from the stream. After a day it forgets them.',
      section: 'the-stream-is-not-read',
      threshold: 1,
      // Wherever little changes they are hours apart; and one alone may be a poll that ended in the next period.
      periods: 24,
      datapointsToAlarm: 3,
    },
    Unannounced: {
      metric: failedRecords(mappingId),
      summary: 'Commits could not be announced and were put aside.',
      section: 'records-were-not-announced',
      threshold: 1,
    },
    Dropped: {
      metric: droppedRecords(mappingId),
      summary: 'Commits were dropped: tried too often, or too old.',
      section: 'records-were-not-announced',
      threshold: 1,
    },
    QueueAge: {
      metric: queueAge(queue),
      summary: 'A delivery that is due has waited more than ten minutes for its attempt.',
      section: 'deliveries-are-late',
      threshold: 10 * 60,
      periods: 2,
      muteWhilePaused: true,
    },
    DeadLetters: {
      metric: visibleMessages(data.deadLetters, 'dead letters'),
      summary: 'Attempts fell over again and again without an outcome.',
      section: 'dead-letters',
      threshold: 1,
    },
    MissedRuns: {
      metric: missedRuns(data.missedRuns),
      summary: 'Three minutes of a quarter of an hour were missed: poll or tick could not be started, or fell over.',
      section: 'missed-runs',
      // One is the weather, and the next minute does what it left.
      threshold: 3,
    },
    // Setup runs once with a deployment, which fails with it.
    ...Object.assign({}, ...Object.entries(atWork).map(([name, handler]) => functionAlarmSpecs(name, handler))),
    ...(mail ? MAIL_ALARM_SPECS : {}),
  };
}

function functionAlarmSpecs(name: string, handler: TidingsFunction): Record<string, AlarmSpec> {
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  return {
    [`${title}Errors`]: {
      metric: handler.metricErrors({ period: PERIOD, statistic: Stats.SUM }),
      summary: `The function ${name} falls over.`,
      section: 'function-errors',
      threshold: 1,
      // Once is the weather: whatever it was is done again by itself. But a person who follows a link is not.
      periods: name === 'manage' ? 1 : 3,
    },
    [`${title}Throttles`]: {
      metric: handler.metricThrottles({ period: PERIOD, statistic: Stats.SUM }),
      summary: `The account has no room for the function ${name}.`,
      section: 'function-throttling',
      threshold: 1,
      periods: 3,
    },
  };
}

/** Where SES begins to look at an account: it may stop one soon after. It tells a share now and then only, and that counts until the next. */
const MAIL_ALARM_SPECS: Record<string, AlarmSpec> = {
  Bounces: {
    metric: sesReputation('BounceRate'),
    summary: 'Five of a hundred mails of this account come back.',
    section: 'mail-bounces',
    threshold: 0.05,
    missingData: 'nothing',
  },
  Complaints: {
    metric: sesReputation('ComplaintRate'),
    summary: 'One of a thousand mails of this account is called spam by its reader.',
    section: 'mail-bounces',
    threshold: 0.001,
    missingData: 'nothing',
  },
};
