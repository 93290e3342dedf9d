/** The functions: how they are made, what starts them, and what becomes of what they cannot do. */

import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { resourceOf, type Synthesized } from './stacks.ts';

const NAMES = ['Announcer', 'Deliverer', 'Manage', 'Poller', 'Setup', 'Ticker'];
const reference = (start: string) => ({ Ref: expect.stringMatching(new RegExp(`^${start}`)) });
const attribute = (start: string) => ({ 'Fn::GetAtt': [expect.stringMatching(new RegExp(`^${start}`)), 'Arn'] });
const imported = (what: string) => ({ 'Fn::ImportValue': expect.stringContaining(what) });

export const functionsSuite = ({ functions: template }: Synthesized) =>
  describe('the functions', () => {
    const handlerOf = (name: string) => resourceOf(template, 'AWS::Lambda::Function', `Tidings${name}Function`);
    const ours = Object.entries(template.findResources('AWS::Lambda::Function')).filter(([id]) =>
      NAMES.some((name) => id.startsWith(`Tidings${name}Function`)),
    );

    it('are six, on Node 24 and arm64, and know their tables and their queue', () => {
      expect(ours).toHaveLength(6);
      for (const [, { Properties }] of ours) {
        expect(Properties).toMatchObject({
          Runtime: 'nodejs24.x',
          Architectures: ['arm64'],
          Handler: 'index.handler',
          Environment: {
            Variables: {
              TIDINGS_SNAPSHOTS_TABLE: imported('SnapshotsTable'),
              TIDINGS_LEDGER_TABLE: imported('LedgerTable'),
              TIDINGS_QUEUE_URL: reference('TidingsDeliveriesQueue'),
            },
          },
        });
        expect(Properties.VpcConfig).toBeUndefined();
      }
    });

    it('have the config in their code, not in their environment', () => {
      for (const [, { Properties }] of ours) {
        expect(Object.keys(Properties.Environment.Variables)).not.toContain('TIDINGS_CONFIG');
        expect(JSON.stringify(Properties)).not.toContain('ssm:/');
      }
    });

    it('have memory and time of their own', () => {
      const sizes = NAMES.map((name) => {
        const { MemorySize, Timeout } = handlerOf(name);
        return [name, MemorySize, Timeout];
      });
      expect(sizes).toEqual([
        ['Announcer', 1024, 60],
        ['Deliverer', 512, 60],
        ['Manage', 512, 15],
        ['Poller', 1024, 300],
        ['Setup', 512, 60],
        ['Ticker', 512, 120],
      ]);
    });

    it('have a role and a log group each, and logs go after a month', () => {
      const roles = ours.map(([, { Properties }]) => JSON.stringify(Properties.Role));
      expect(new Set(roles).size).toBe(6);
      const groups = ours.map(([, { Properties }]) => Properties.LoggingConfig.LogGroup.Ref);
      expect(new Set(groups).size).toBe(6);
      const all = template.findResources('AWS::Logs::LogGroup');
      for (const group of Object.values(all)) expect(group.Properties.RetentionInDays).toBe(30);
      expect(Object.keys(all)).toEqual(expect.arrayContaining(groups));
    });

    it.each(['Poller', 'Ticker'])('%s runs every minute on the minute, and a start that fails is kept', (name) => {
      const schedule = resourceOf(template, 'AWS::Scheduler::Schedule', `Tidings${name}EveryMinute`);
      expect(schedule).toMatchObject({
        ScheduleExpression: 'rate(1 minute)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        State: 'ENABLED',
        Target: {
          Arn: attribute(`Tidings${name}Function`),
          RoleArn: attribute(`Tidings${name}EveryMinuteRole`),
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 2 },
          DeadLetterConfig: { Arn: imported('MissedRuns') },
        },
      });
      const config = resourceOf(template, 'AWS::Lambda::EventInvokeConfig', `Tidings${name}Function`);
      expect(config).toMatchObject({
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: 60,
        DestinationConfig: { OnFailure: { Destination: imported('MissedRuns') } },
      });
    });

    it('the scheduler may start one function and write to one queue, for this account only', () => {
      const role = resourceOf(template, 'AWS::IAM::Role', 'TidingsPollerEveryMinuteRole');
      expect(role.AssumeRolePolicyDocument).toMatchObject({
        Statement: [
          {
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          },
        ],
      });
      const policy = resourceOf(template, 'AWS::IAM::Policy', 'TidingsPollerEveryMinuteRoleDefaultPolicy');
      expect(policy.PolicyDocument).toMatchObject({
        Statement: [
          { Action: 'lambda:InvokeFunction', Resource: attribute('TidingsPollerFunction') },
          { Action: 'sqs:SendMessage', Resource: imported('MissedRuns') },
        ],
      });
    });

    it('announce hears of commits that are news, and what it cannot announce is kept whole', () => {
      const mapping = resourceOf(template, 'AWS::Lambda::EventSourceMapping', 'TidingsAnnouncerFeed');
      expect(mapping).toMatchObject({
        EventSourceArn: imported('StreamArn'),
        BatchSize: 100,
        ParallelizationFactor: 10,
        StartingPosition: 'TRIM_HORIZON',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BisectBatchOnFunctionError: true,
        MaximumRecordAgeInSeconds: 6 * 3600,
        MaximumRetryAttempts: 100,
        DestinationConfig: { OnFailure: { Destination: imported('Unannounced') } },
        MetricsConfig: { Metrics: ['EventCount'] },
      });
      const { Filters } = mapping.FilterCriteria as { Filters: { Pattern: string }[] };
      expect(Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
        {
          eventName: ['INSERT', 'MODIFY'],
          dynamodb: { NewImage: { cause: { S: [{ 'anything-but': ['baseline'] }] } } },
        },
      ]);
    });

    it('deliver takes ten jobs at a time, hands back those that fail, and gives way after five tries', () => {
      template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
        EventSourceArn: Match.objectLike({ 'Fn::GetAtt': Match.anyValue() }),
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 20 },
      });
      const queue = resourceOf(template, 'AWS::SQS::Queue', 'TidingsDeliveriesQueue');
      expect(queue).toEqual({
        MessageRetentionPeriod: 86_400,
        SqsManagedSseEnabled: true,
        VisibilityTimeout: 6 * Number(handlerOf('Deliverer').Timeout),
        RedrivePolicy: { deadLetterTargetArn: imported('DeadLetters'), maxReceiveCount: 5 },
      });
    });

    it('setup runs when its code or the config changes, and its failure fails the deployment', () => {
      template.hasResourceProperties('Custom::Trigger', {
        HandlerArn: { Ref: Match.stringLikeRegexp('^TidingsSetupFunctionCurrentVersion') },
        InvocationType: 'RequestResponse',
        Timeout: '60000',
      });
    });
  });
