/** Alarms: their conditions, their notifications, and their sections in the runbook. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RUNBOOK_SECTIONS } from '../../lib/alarm.ts';
import { METRICS } from '../../runtime/aws/metrics.ts';
import { resourceOf, root, type Synthesized } from './stacks.ts';

export const watchSuite = ({ functions: template }: Synthesized, without: Synthesized) =>
  describe('Monitoring', () => {
    const alarmsOf = ({ functions }: Pick<Synthesized, 'functions'>) =>
      Object.entries(functions.findResources('AWS::CloudWatch::Alarm'));
    const names = (synthesized: Pick<Synthesized, 'functions'>) =>
      alarmsOf(synthesized).map(([id]) => id.replace(/^TidingsWatch(.*)[0-9A-F]{8}$/, '$1'));
    const alarmOf = (name: string) => resourceOf(template, 'AWS::CloudWatch::Alarm', `TidingsWatch${name}`);
    const metrics = (name: string) => JSON.stringify(alarmOf(name).Metrics ?? alarmOf(name));

    it('has an alarm for each way in which events can stop', () => {
      // None for setup: if it fails, the deployment fails.
      const own = ['Poll', 'Tick', 'Announce', 'Deliver', 'Manage'].flatMap((one) => [
        `${one}Errors`,
        `${one}Throttles`,
      ]);
      const flow = [
        'PollHeartbeat',
        'ScansFail',
        'OldestDue',
        'TickHeartbeat',
        'StreamAge',
        'StreamStands',
        'Unannounced',
        'Dropped',
        'QueueAge',
        'DeadLetters',
        'MissedRuns',
        'SourceFails',
        'GivenUp',
      ];
      const tables = ['Snapshots', 'Ledger'].flatMap((one) => [
        `${one}ReadsThrottled`,
        `${one}WritesThrottled`,
        `${one}AgendaThrottled`,
      ]);
      flow.push(...tables, 'SnapshotsStandingThrottled', 'LedgerListsThrottled');
      expect(names({ functions: template }).sort()).toEqual([...own, ...flow, 'Bounces', 'Complaints'].sort());
    });

    it('has alarms on bounces only if mail is sent', () => {
      expect(names(without)).not.toContain('Bounces');
      expect(names(without)).toContain('PollHeartbeat');
    });

    it.each(['Poll', 'Tick'])('alarms without data of %s', (name) => {
      expect(alarmOf(`${name}Heartbeat`)).toMatchObject({
        TreatMissingData: 'breaching',
        ComparisonOperator: 'LessThanThreshold',
        Threshold: 1,
        EvaluationPeriods: 3,
      });
      expect(metrics(`${name}Heartbeat`)).toMatch(/"Period":300/);
    });

    it.each(['Bounces', 'Complaints'])('%s keep their state until SES publishes another value', (name) => {
      expect(alarmOf(name)).toMatchObject({ TreatMissingData: 'ignore', EvaluationPeriods: 1 });
      expect(metrics(name)).toMatch(
        /"MetricName":"Reputation\.\w+","Namespace":"AWS\/SES"\},"Period":3600,"Stat":"Maximum"/,
      );
    });

    it('alarms long before the stream drops records, and when a job waits ten minutes', () => {
      expect(alarmOf('StreamAge')).toMatchObject({ Threshold: 600_000 });
      expect(metrics('StreamAge')).toMatch(/"MetricName":"IteratorAge".*"Stat":"Maximum"/);
      expect(alarmOf('QueueAge')).toMatchObject({ Threshold: 600 });
      expect(metrics('QueueAge')).toMatch(/TidingsDeliveriesQueue.*"MetricName":"ApproximateAgeOfOldestMessage"/);
    });

    /** The metrics of an alarm on an expression, by their ids. */
    const terms = (name: string) => {
      const all = alarmOf(name).Metrics as { Id: string; Expression?: string; MetricStat?: Record<string, unknown> }[];
      const [sum] = all.flatMap(({ Expression }) => Expression ?? []);
      return {
        sum,
        stats: Object.fromEntries(all.flatMap(({ Id, MetricStat }) => (MetricStat ? [[Id, MetricStat]] : []))),
      };
    };
    const measured = (MetricName: string, Period: number, dimension: object) => ({
      Metric: { MetricName, Dimensions: expect.arrayContaining([dimension]) },
      Period,
      Stat: 'Sum',
    });
    const ofUs = { Name: 'service', Value: 'Tidings' };
    const ofStream = {
      Name: 'EventSourceMappingUUID',
      Value: { Ref: expect.stringMatching(/^TidingsAnnouncerFeed/) },
    };

    it('alarms when all scans fail in three of four periods, because retries are up to six minutes apart', () => {
      expect(alarmOf('ScansFail')).toMatchObject({
        Threshold: 1,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        EvaluationPeriods: 4,
        DatapointsToAlarm: 3,
        TreatMissingData: 'notBreaching',
      });
      expect(terms('ScansFail')).toMatchObject({
        sum: 'IF(FILL(good, 0) < 1, FILL(failed, 0), 0)',
        stats: { failed: measured('FailedScans', 300, ofUs), good: measured('Scans', 300, ofUs) },
      });
    });

    it('alarms when there are commits but the stream is not read', () => {
      expect(alarmOf('StreamStands')).toMatchObject({ Threshold: 1, EvaluationPeriods: 24, DatapointsToAlarm: 3 });
      expect(terms('StreamStands')).toMatchObject({
        sum: 'IF(MAX([FILL(taken, 0), changes * 0]) < 1, changes, 0)',
        stats: { changes: measured('Changes', 900, ofUs), taken: measured('PolledEventCount', 900, ofStream) },
      });
    });

    it('alarms when one source of many fails', () => {
      expect(alarmOf('SourceFails')).toMatchObject({
        Threshold: 1,
        EvaluationPeriods: 3,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
        TreatMissingData: 'notBreaching',
      });
      expect(terms('SourceFails').stats.m1).toMatchObject({
        ...measured('FailingSources', 300, ofUs),
        Stat: 'Maximum',
      });
    });

    it('alarms on the first delivery that is given up', () => {
      expect(alarmOf('GivenUp')).toMatchObject({
        Threshold: 1,
        EvaluationPeriods: 1,
        TreatMissingData: 'notBreaching',
      });
      expect(terms('GivenUp').stats.m1).toMatchObject(measured('DeliveriesGivenUp', 300, ofUs));
    });

    it('alarms when DynamoDB throttles a table, or writes to one of its indexes', () => {
      const ofTable = (name: string) => ({
        Name: 'TableName',
        Value: { Ref: expect.stringMatching(new RegExp(`${name}Table\\w+Ref$`)) },
      });
      for (const [name, table, kind, index] of [
        ['SnapshotsReads', 'Snapshots', 'Read', undefined],
        ['SnapshotsWrites', 'Snapshots', 'Write', undefined],
        ['SnapshotsStanding', 'Snapshots', 'Write', 'standing'],
        ['LedgerLists', 'Ledger', 'Write', 'lists'],
      ] as const) {
        const alarm = alarmOf(`${name}Throttled`);
        expect(alarm).toMatchObject({ Threshold: 1, EvaluationPeriods: 3, TreatMissingData: 'notBreaching' });
        const dimensions = index === undefined ? [] : [{ Name: 'GlobalSecondaryIndexName', Value: index }];
        expect(terms(`${name}Throttled`)).toEqual({
          sum: undefined,
          stats: {
            m1: {
              Metric: {
                Namespace: 'AWS/DynamoDB',
                MetricName: `${kind}ThrottleEvents`,
                Dimensions: [...dimensions, ofTable(table)],
              },
              Period: 300,
              Stat: 'Sum',
            },
          },
        });
      }
    });

    it('has no expression that rests on missing data counting as 0', () => {
      // Lambda publishes the invocations of each run, and poll its changes.
      const complete = ['polls', 'ticks', 'changes'];
      for (const [, { Properties }] of alarmsOf({ functions: template })) {
        const parts = (Properties.Metrics ?? []) as { Id: string; Expression?: string }[];
        const expression = parts.flatMap(({ Expression }) => Expression ?? []).join();
        const filled = expression.replaceAll(/FILL\((\w+), 0\)/g, '');
        const bare = parts.filter(({ Id, Expression }) => !Expression && new RegExp(`\\b${Id}\\b`).test(filled));
        expect(bare.map(({ Id }) => Id).filter((id) => !complete.includes(id))).toEqual([]);
      }
    });

    it('alarms on the first dead letter, and the first record that is stored or dropped', () => {
      expect(alarmOf('DeadLetters')).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
      expect(metrics('DeadLetters')).toContain('"MetricName":"ApproximateNumberOfMessagesVisible"');
      for (const [name, MetricName] of [
        ['Unannounced', 'OnFailureDestinationDeliveredEventCount'],
        ['Dropped', 'DroppedEventCount'],
      ] as const) {
        // One metric each: a sum with a metric that was never published has no value.
        expect(alarmOf(name)).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
        expect(terms(name)).toEqual({ sum: undefined, stats: { m1: expect.anything() } });
        expect(terms(name).stats.m1).toMatchObject(measured(MetricName, 300, ofStream));
      }
    });

    it('alarms on three missed runs in fifteen minutes, and recovers', () => {
      expect(alarmOf('MissedRuns')).toMatchObject({ Threshold: 3, EvaluationPeriods: 1 });
      const queue = { Name: 'QueueName', Value: { Ref: expect.stringMatching(/MissedRuns\w+QueueName$/) } };
      expect(terms('MissedRuns').stats.m1).toMatchObject(measured('NumberOfMessagesSent', 900, queue));
    });

    it('alarms on the first error of manage, and after three periods with errors of functions that retry', () => {
      expect(alarmOf('ManageErrors')).toMatchObject({ EvaluationPeriods: 1 });
      for (const name of ['Poll', 'Tick', 'Announce', 'Deliver']) {
        expect(alarmOf(`${name}Errors`)).toMatchObject({ EvaluationPeriods: 3 });
      }
    });

    it('notifies the topic when an alarm starts and ends, with a section of the runbook', () => {
      for (const [, { Properties }] of alarmsOf({ functions: template })) {
        expect(Properties.AlarmActions).toEqual([{ Ref: expect.stringMatching(/^TidingsWatchTopic/) }]);
        expect(Properties.OKActions).toEqual(Properties.AlarmActions);
        const [, chapter] =
          /^\S.+\. https:\/\/runbook\.example\.com\/#([a-z-]+)$/.exec(Properties.AlarmDescription) ?? [];
        expect(RUNBOOK_SECTIONS).toContain(chapter);
      }
    });

    it('names the section without a link if there is no runbook URL', () => {
      const titles = readFileSync(join(root, 'docs/runbook.md'), 'utf8').match(/(?<=^## ).*$/gm);
      for (const [, { Properties }] of alarmsOf(without)) {
        const [, title] = /\. See "([A-Z][a-z ]+)" in docs\/runbook\.md\.$/.exec(Properties.AlarmDescription) ?? [];
        expect(titles).toContain(title);
      }
    });

    it('has all its sections in the runbook', () => {
      const file = join(root, 'docs/runbook.md');
      expect(existsSync(file)).toBe(true);
      const headings = readFileSync(file, 'utf8').match(/^#+ .*$/gm) ?? [];
      const anchors = headings.map((heading) =>
        heading
          .replace(/^#+ /, '')
          .toLowerCase()
          .replaceAll(/[^a-z ]/g, '')
          .replaceAll(' ', '-'),
      );
      expect(anchors).toEqual(expect.arrayContaining([...RUNBOOK_SECTIONS]));
    });

    it('is named in its section of the runbook', () => {
      const chapters = readFileSync(join(root, 'docs/runbook.md'), 'utf8').split(/^## /m);
      for (const [id, { Properties }] of alarmsOf({ functions: template })) {
        const [, name] = /^TidingsWatch(.*)[0-9A-F]{8}$/.exec(id) ?? [];
        const [, anchor = ''] = /#([a-z-]+)$/.exec(Properties.AlarmDescription) ?? [];
        const chapter = chapters.find((one) => one.toLowerCase().startsWith(`${anchor.replaceAll('-', ' ')}\n`));
        expect(chapter).toContain(`\`${name}\``);
      }
    });

    it('has a topic with a key that CloudWatch may use, and with TLS only', () => {
      const topic = resourceOf(template, 'AWS::SNS::Topic', 'TidingsWatchTopic');
      expect(topic.KmsMasterKeyId).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/^TidingsWatchTopicKey/), 'Arn'] });
      const key = resourceOf(template, 'AWS::KMS::Key', 'TidingsWatchTopicKey');
      expect(key.EnableKeyRotation).toBe(true);
      const { Statement } = key.KeyPolicy as { Statement: Record<string, unknown>[] };
      expect(Statement.at(-1)).toEqual({
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Resource: '*',
      });
      const policy = resourceOf(template, 'AWS::SNS::TopicPolicy', 'TidingsWatchTopicPolicy');
      expect(JSON.stringify(policy.PolicyDocument)).toContain('"aws:SecureTransport":"false"');
      // A topic with its own policy must allow CloudWatch to publish.
      expect((policy.PolicyDocument as { Statement: unknown[] }).Statement).toContainEqual(
        expect.objectContaining({
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
        }),
      );
      template.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
      without.functions.resourceCountIs('AWS::SNS::Subscription', 0);
    });

    it('shows throughput, backlog and failures on one dashboard', () => {
      const { DashboardBody } = resourceOf(template, 'AWS::CloudWatch::Dashboard', 'TidingsWatchDashboard');
      const body = JSON.stringify(DashboardBody);
      const titles = [...body.matchAll(/\\"title\\":\\"([^\\]+)\\"/g)].map(([, title]) => title);
      expect(titles).toEqual([
        'Successful runs',
        'Stream lag',
        'Queued deliveries',
        'Scans',
        'Changes and events',
        'Delivery attempts',
        'Delivery latency, ms',
        'Dead letters and missed runs',
        'Errors',
        'Throttles',
        'Duration (maximum)',
        'Invocations',
        'Mail reputation',
      ]);
      for (const label of ['p50', 'p95', 'oldest due, s']) expect(body).toContain(label);
      // The dashboard uses every metric that functions publish.
      const read = body + JSON.stringify(template.findResources('AWS::CloudWatch::Alarm'));
      for (const { name } of Object.values(METRICS)) expect(read).toMatch(new RegExp(`\\W${name}\\W`));
    });
  });
