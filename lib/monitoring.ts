/** Alarms, the SNS topic they notify, and the dashboard. */

import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type Dashboard, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { LEDGER_DEFINITION, SNAPSHOTS_DEFINITION, type TableDefinition } from '../adapters/dynamodb/tables.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { type AlarmSpec, type AlarmTarget, createAlarm } from './alarm.ts';
import { createDashboard, type MonitoredResources } from './dashboard.ts';
import { createLogQueries } from './log-queries.ts';
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
  throttledEvents,
  visibleMessages,
} from './metrics.ts';
import { sourceAlarmSpecs } from './source-alarms.ts';
import type { TidingsFunction } from './tidings-function.ts';

export interface MonitoringProps extends MonitoredResources {
  /** Whether the deployment is paused. */
  readonly paused: boolean;
  /** @default - alarms name the runbook section without a link */
  readonly runbookUrl?: string;
  /** Whether log lines name the traces of changes. @default false */
  readonly isTraced?: boolean;
  /** Alarms that name the source. @default false */
  readonly alarmsPerSource?: boolean | undefined;
  /** @default - the topic has no subscribers */
  readonly alarmEmail?: string;
  /** The key of the topic. Its policy must admit CloudWatch. @default - a key of its own */
  readonly encryptionKey?: IKey | undefined;
}

export class Monitoring extends Construct {
  /** Notified when an alarm starts and when it ends. Subscribe more recipients here. */
  readonly topic: Topic;
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: MonitoringProps) {
    super(scope, id);
    const { alarmEmail, runbookUrl, paused } = props;
    this.topic = this.createTopic(props.encryptionKey ?? this.createTopicKey(), alarmEmail);
    const target: AlarmTarget = { topic: this.topic, paused, runbookUrl };
    for (const [name, spec] of Object.entries(alarmSpecs(props))) createAlarm(this, name, spec, target);
    this.dashboard = createDashboard(this, 'Dashboard', props);
    const { deployment, isTraced = false } = props;
    createLogQueries(this, Object.values(props.functions), { deployment, isTraced });
  }

  /** CloudWatch may not use the AWS managed key of SNS. */
  private createTopicKey(): Key {
    const key = new Key(this, 'TopicKey', {
      description: 'Tidings: the topic of its alarms',
      enableKeyRotation: true,
      // It encrypts nothing that is stored.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Without a condition on the account: alarms are not documented to pass one to KMS. The topic has that condition.
    key.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: ['*'],
      }),
    );
    return key;
  }

  private createTopic(key: IKey, alarmEmail: string | undefined): Topic {
    const topic = new Topic(this, 'Topic', { displayName: 'Tidings', masterKey: key, enforceSSL: true });
    // The default policy admits the account's alarms. `enforceSSL` replaces it, so they must be allowed explicitly.
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
      'Serverless-SNSRedrivePolicy': 'If a notification is lost, the alarm is still visible in CloudWatch.',
    });
    return topic;
  }
}

function alarmSpecs({
  functions,
  queue,
  pollQueues,
  data,
  deployment,
  mappingId,
  mail,
  alarmsPerSource = false,
}: MonitoringProps): Record<string, AlarmSpec> {
  // Setup runs only during a deployment, which fails with it.
  const { setup: _, ...running } = functions;
  return {
    PollHeartbeat: {
      metric: successfulRuns(functions.poll, 'polls'),
      summary: 'No poll has succeeded for 15 minutes: no changes are detected.',
      section: 'nothing-is-read',
      threshold: 1,
      below: true,
      periods: 3,
      missingData: 'alarm',
      muteWhilePaused: true,
    },
    ScansFail: {
      metric: scansOnlyFailing(deployment),
      summary: 'Polls run, but every scan of the API fails. Check the token, the quota and the status of the API.',
      section: 'scans-fail',
      threshold: 1,
      // A failing scan is retried every six minutes at the longest, so a period of five minutes may have none.
      periods: 4,
      datapointsToAlarm: 3,
    },
    ...(pollQueues === undefined ? {} : pollAlarmSpecs(pollQueues)),
    ...sourceAlarmSpecs(deployment, alarmsPerSource),
    TickHeartbeat: {
      metric: successfulRuns(functions.tick, 'ticks'),
      summary: 'No tick has succeeded for 15 minutes: retries and digests are not sent.',
      section: 'ticks-are-late',
      threshold: 1,
      below: true,
      periods: 3,
      missingData: 'alarm',
      muteWhilePaused: true,
    },
    OldestDue: {
      metric: customMetric('oldestDue', { deployment, statistic: Stats.MAXIMUM }),
      summary: 'Due dates, retries and digests are processed more than 10 minutes late.',
      section: 'ticks-are-late',
      threshold: 10 * 60,
      periods: 3,
    },
    StreamAge: {
      metric: streamAge(functions.announce),
      summary: 'Changes wait more than 10 minutes to become events. The stream drops them after 24 hours.',
      section: 'events-are-late',
      threshold: 10 * 60_000,
      periods: 2,
    },
    StreamStands: {
      metric: streamNotRead(deployment, mappingId),
      summary: 'There are changes, but nothing reads the stream. It drops them after 24 hours.',
      section: 'the-stream-is-not-read',
      threshold: 1,
      // In a quiet account changes are hours apart. A single datapoint may be a poll that ended in the next period.
      periods: 24,
      datapointsToAlarm: 3,
    },
    Unannounced: {
      metric: failedRecords(mappingId),
      summary:
        'Changes could not be announced. They are stored in the bucket of unannounced records; replay them from there.',
      section: 'records-were-not-announced',
      threshold: 1,
    },
    Dropped: {
      metric: droppedRecords(mappingId),
      summary: 'Changes were dropped after too many attempts, or because of their age: their events are missing.',
      section: 'records-were-not-announced',
      threshold: 1,
    },
    QueueAge: {
      metric: queueAge(queue),
      summary: 'Due deliveries wait more than 10 minutes for an attempt.',
      section: 'deliveries-are-late',
      threshold: 10 * 60,
      periods: 2,
      muteWhilePaused: true,
    },
    GivenUp: {
      metric: customMetric('givenUp', { deployment, statistic: Stats.SUM }),
      summary: 'Deliveries were given up: a receiver refused them, or did not accept them for days.',
      section: 'deliveries-are-given-up',
      threshold: 1,
    },
    ...tableAlarmSpecs('Snapshots', data.snapshots.table, SNAPSHOTS_DEFINITION),
    ...tableAlarmSpecs('Ledger', data.ledger.table, LEDGER_DEFINITION),
    DeadLetters: {
      metric: visibleMessages(data.deadLetters, 'dead letters'),
      summary: 'Delivery jobs failed repeatedly without an outcome and are in the dead-letter queue.',
      section: 'dead-letters',
      threshold: 1,
    },
    MissedRuns: {
      metric: missedRuns(data.missedRuns),
      summary: 'At least three runs of poll or tick in 15 minutes could not be started or failed.',
      section: 'missed-runs',
      // A single miss is noise: the next run catches up.
      threshold: 3,
    },
    ...Object.fromEntries(
      Object.entries(running).flatMap(([name, handler]) => Object.entries(functionAlarmSpecs(name, handler))),
    ),
    ...(mail ? MAIL_ALARM_SPECS : {}),
  };
}

/** Of the usual queue only: sources that take long may wait. */
function pollAlarmSpecs({ usual }: NonNullable<MonitoringProps['pollQueues']>): Record<string, AlarmSpec> {
  return {
    PollsWait: {
      metric: queueAge(usual),
      summary: 'Sources wait two minutes or longer for their poll, so their changes are found late.',
      section: 'polls-wait',
      threshold: 120,
      periods: 3,
      muteWhilePaused: true,
    },
  };
}

/** One alarm per metric: a sum with a metric that was never published has no value. */
function tableAlarmSpecs(title: string, table: ITable, { indexes }: TableDefinition): Record<string, AlarmSpec> {
  const spec = (metric: IMetric, what: string): AlarmSpec => ({
    metric,
    summary: `DynamoDB throttles ${what}. Requests are retried, so events and deliveries are late.`,
    section: 'tables-are-throttled',
    threshold: 1,
    // The SDK retries a burst.
    periods: 3,
  });
  const name = title.toLowerCase();
  return {
    [`${title}ReadsThrottled`]: spec(throttledEvents('Read', { table }), `reads of the table ${name}`),
    [`${title}WritesThrottled`]: spec(throttledEvents('Write', { table }), `writes to the table ${name}`),
    ...Object.fromEntries(
      indexes.map(({ name: index }) => [
        `${title}${capitalize(index)}Throttled`,
        spec(throttledEvents('Write', { table, index }), `writes to the index ${index} of ${name}`),
      ]),
    ),
  };
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function functionAlarmSpecs(name: string, handler: TidingsFunction): Record<string, AlarmSpec> {
  const title = capitalize(name);
  return {
    [`${title}Errors`]: {
      metric: handler.metricErrors({ period: PERIOD, statistic: Stats.SUM }),
      summary: `Function ${name} is failing. Its log group shows the error.`,
      section: 'function-errors',
      threshold: 1,
      // A single error is noise: the work is retried. Requests of people are not, so manage alarms at once.
      periods: name === 'manage' ? 1 : 3,
    },
    [`${title}Throttles`]: {
      metric: handler.metricThrottles({ period: PERIOD, statistic: Stats.SUM }),
      summary: `Function ${name} is throttled: the account's Lambda concurrency is used up.`,
      section: 'function-throttling',
      threshold: 1,
      periods: 3,
    },
  };
}

/** The rates at which SES puts an account under review. SES publishes them irregularly, so the last value holds until the next. */
const MAIL_ALARM_SPECS: Record<string, AlarmSpec> = {
  Bounces: {
    metric: sesReputation('BounceRate'),
    summary: "5 % of the account's mail bounces. SES may pause sending.",
    section: 'mail-bounces',
    threshold: 0.05,
    missingData: 'unchanged',
  },
  Complaints: {
    metric: sesReputation('ComplaintRate'),
    summary: "0.1 % of the account's mail is marked as spam. SES may pause sending.",
    section: 'mail-bounces',
    threshold: 0.001,
    missingData: 'unchanged',
  },
};
