/** The functions: their settings, their triggers and their failure destinations. */

import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { resourceOf, type Synthesized } from './stacks.ts';

const NAMES = ['Announcer', 'Deliverer', 'Manage', 'Poller', 'Setup', 'Ticker'];
const reference = (start: string) => ({ Ref: expect.stringMatching(new RegExp(`^${start}`)) });
const attribute = (start: string) => ({ 'Fn::GetAtt': [expect.stringMatching(new RegExp(`^${start}`)), 'Arn'] });
/** A parameter of the nested stack, set by its parent. */
const handedIn = (what: string) => ({ Ref: expect.stringMatching(new RegExp(`^referencetoTidingsData\\w*${what}$`)) });

/** Table names have up to 255 characters, URLs of queues and APIs fewer. */
const LONGEST_NAME = 255;

export const functionsSuite = ({ functions: template }: Synthesized, without: Synthesized) =>
  describe('the functions', () => {
    const handlerOf = (name: string) => resourceOf(template, 'AWS::Lambda::Function', `Tidings${name}Function`);
    const ours = Object.entries(template.findResources('AWS::Lambda::Function')).filter(([id]) =>
      NAMES.some((name) => id.startsWith(`Tidings${name}Function`)),
    );

    it('are six, on Node 24 and arm64, with the names of tables and queue', () => {
      expect(ours).toHaveLength(6);
      for (const [, { Properties }] of ours) {
        expect(Properties).toMatchObject({
          Runtime: 'nodejs24.x',
          Architectures: ['arm64'],
          Handler: 'index.handler',
          Environment: {
            Variables: {
              TIDINGS_SNAPSHOTS_TABLE: handedIn('SnapshotsTable\\w{8}Ref'),
              TIDINGS_LEDGER_TABLE: handedIn('LedgerTable\\w{8}Ref'),
              TIDINGS_QUEUE_URL: reference('TidingsDeliveriesQueue'),
              TIDINGS_DEPLOYMENT: 'Tidings',
            },
          },
        });
        expect(Properties.VpcConfig).toBeUndefined();
      }
    });

    it('contain the config in their code, not in their environment', () => {
      for (const [, { Properties }] of ours) {
        expect(Object.keys(Properties.Environment.Variables)).not.toContain('TIDINGS_CONFIG');
        expect(JSON.stringify(Properties)).not.toContain('ssm:/');
      }
    });

    it('have an environment below the 4 KB of Lambda, with the longest names that AWS gives', () => {
      for (const [, { Properties }] of ours) {
        const variables = Object.entries(Properties.Environment.Variables as Record<string, unknown>);
        const size = variables.reduce((sum, [name, value]) => {
          return sum + name.length + (typeof value === 'string' ? value.length : LONGEST_NAME);
        }, 0);
        expect(size).toBeLessThan(4096);
      }
    });

    it('have individual memory and timeouts', () => {
      const sizes = NAMES.map((name) => {
        const { MemorySize, Timeout } = handlerOf(name);
        return [name, MemorySize, Timeout];
      });
      expect(sizes).toEqual([
        ['Announcer', 1024, 60],
        ['Deliverer', 512, 60],
        ['Manage', 512, 15],
        ['Poller', 1024, 300],
        ['Setup', 1024, 300],
        ['Ticker', 512, 120],
      ]);
    });

    it('have a role and a log group each, with a log retention of one month', () => {
      const roles = ours.map(([, { Properties }]) => JSON.stringify(Properties.Role));
      expect(new Set(roles).size).toBe(6);
      const groups = ours.map(([, { Properties }]) => Properties.LoggingConfig.LogGroup.Ref);
      expect(new Set(groups).size).toBe(6);
      const all = template.findResources('AWS::Logs::LogGroup');
      for (const group of Object.values(all)) {
        expect(group).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
        expect(group.Properties.RetentionInDays).toBe(30);
      }
      expect(Object.keys(all)).toEqual(expect.arrayContaining(groups));
    });

    it('are updated in the order deliver, announce, poll, so that no function is older than those before it', () => {
      const dependencies = (name: string): string[] =>
        ours.find(([id]) => id.startsWith(`Tidings${name}Function`))?.[1].DependsOn ?? [];
      const idOf = (name: string) => ours.find(([id]) => id.startsWith(`Tidings${name}Function`))?.[0];
      expect(dependencies('Announcer')).toContain(idOf('Deliverer'));
      expect(dependencies('Poller')).toContain(idOf('Announcer'));
    });

    it.each(['Poller', 'Ticker'])('%s runs every minute, and failed runs are stored', (name) => {
      const schedule = resourceOf(template, 'AWS::Scheduler::Schedule', `Tidings${name}EveryMinute`);
      expect(schedule).toMatchObject({
        ScheduleExpression: 'rate(1 minute)',
        FlexibleTimeWindow: { Mode: 'OFF' },
        State: 'ENABLED',
        Target: {
          Arn: attribute(`Tidings${name}Function`),
          RoleArn: attribute(`Tidings${name}EveryMinuteRole`),
          RetryPolicy: { MaximumEventAgeInSeconds: 60, MaximumRetryAttempts: 2 },
          DeadLetterConfig: { Arn: handedIn('MissedRuns\\w{8}Arn') },
        },
      });
      const config = resourceOf(template, 'AWS::Lambda::EventInvokeConfig', `Tidings${name}Function`);
      expect(config).toMatchObject({
        MaximumRetryAttempts: 0,
        MaximumEventAgeInSeconds: 60,
        DestinationConfig: { OnFailure: { Destination: handedIn('MissedRuns\\w{8}Arn') } },
      });
    });

    it('the scheduler may invoke one function and write to one queue, for this account only', () => {
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
          { Action: 'sqs:SendMessage', Resource: handedIn('MissedRuns\\w{8}Arn') },
        ],
      });
    });

    it('announce gets all commits except baselines, and failed records are stored completely', () => {
      const mapping = resourceOf(template, 'AWS::Lambda::EventSourceMapping', 'TidingsAnnouncerFeed');
      expect(mapping).toMatchObject({
        EventSourceArn: handedIn('SnapshotsTable\\w{8}StreamArn'),
        BatchSize: 100,
        ParallelizationFactor: 10,
        StartingPosition: 'TRIM_HORIZON',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        BisectBatchOnFunctionError: true,
        MaximumRetryAttempts: 100,
        Enabled: true,
        DestinationConfig: { OnFailure: { Destination: handedIn('Unannounced\\w{8}Arn') } },
        MetricsConfig: { Metrics: ['EventCount'] },
      });
      // No age limit: changes from before a pause are announced too.
      expect(mapping.MaximumRecordAgeInSeconds).toBeUndefined();
      const { Filters } = mapping.FilterCriteria as { Filters: { Pattern: string }[] };
      expect(Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
        {
          eventName: ['INSERT', 'MODIFY'],
          dynamodb: {
            NewImage: { cause: { S: [{ 'anything-but': ['baseline'] }] }, copiedAt: { S: [{ exists: false }] } },
          },
        },
      ]);
    });

    it('deliver gets ten jobs at a time, reports failed ones, and moves them to the dead letters after five receives', () => {
      template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
        EventSourceArn: Match.objectLike({ 'Fn::GetAtt': Match.anyValue() }),
        BatchSize: 10,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 20 },
      });
      const queue = resourceOf(template, 'AWS::SQS::Queue', 'TidingsDeliveriesQueue');
      expect(queue).toEqual({
        MessageRetentionPeriod: 4 * 86_400,
        SqsManagedSseEnabled: true,
        VisibilityTimeout: 6 * Number(handlerOf('Deliverer').Timeout),
        RedrivePolicy: { deadLetterTargetArn: handedIn('DeadLetters\\w{8}Arn'), maxReceiveCount: 5 },
      });
    });

    it('setup runs when its code or the config changes, and its failure fails the deployment', () => {
      template.hasResourceProperties('Custom::Trigger', {
        HandlerArn: { Ref: Match.stringLikeRegexp('^TidingsSetupFunctionCurrentVersion') },
        InvocationType: 'RequestResponse',
        Timeout: '300000',
      });
    });

    it('setup runs after the other functions and its own permissions exist', () => {
      const [trigger] = Object.values(template.findResources('Custom::Trigger'));
      const after: string[] = trigger?.DependsOn ?? [];
      for (const start of [
        'TidingsDelivererFunction',
        'TidingsDelivererFunctionSqsEventSource',
        'TidingsAnnouncerFeed',
        'TidingsTickerFunctionEventInvokeConfig',
        'TidingsPollerFunctionEventInvokeConfig',
        'TidingsSetupFunctionRoleDefaultPolicy',
      ]) {
        expect(after.filter((id) => id.startsWith(start))).not.toEqual([]);
      }
    });

    it('the schedules start after setup, because events without subscriptions would be lost', () => {
      const [[trigger] = []] = Object.entries(template.findResources('Custom::Trigger'));
      const schedules = Object.values(template.findResources('AWS::Scheduler::Schedule'));
      expect(schedules).toHaveLength(2);
      for (const { DependsOn } of schedules) expect([DependsOn].flat()).toContain(trigger);
    });

    it('the trigger function of CDK has a log retention, and no managed policy', () => {
      const provider = 'AWSCDKTriggerCustomResourceProvider';
      const { LoggingConfig } = resourceOf(template, 'AWS::Lambda::Function', provider);
      expect(LoggingConfig).toEqual({ LogGroup: reference(provider), LogFormat: 'JSON' });
      expect(resourceOf(template, 'AWS::Logs::LogGroup', provider)).toMatchObject({ RetentionInDays: 30 });
      const { ManagedPolicyArns, Policies } = resourceOf(template, 'AWS::IAM::Role', provider);
      expect(ManagedPolicyArns).toBeUndefined();
      expect(Policies).toMatchObject([
        {
          PolicyDocument: {
            Statement: [
              { Action: ['lambda:InvokeFunction'] },
              { Action: ['logs:CreateLogStream', 'logs:PutLogEvents'], Resource: [attribute(provider)] },
            ],
          },
        },
      ]);
    });

    it('only deliver has the base URL of links and the configuration set', () => {
      const variables = (name: string) => handlerOf(name).Environment as { Variables: Record<string, unknown> };
      expect(variables('Deliverer').Variables).toMatchObject({
        TIDINGS_MANAGE_URL: { 'Fn::GetAtt': [expect.stringMatching(/^TidingsManageApi/), 'ApiEndpoint'] },
        TIDINGS_CONFIGURATION_SET: reference('TidingsDelivererMails'),
      });
      for (const name of NAMES.filter((one) => one !== 'Deliverer')) {
        expect(Object.keys(variables(name).Variables)).toHaveLength(4);
      }
    });

    it('mails require TLS, and are not sent to addresses that bounced or complained', () => {
      expect(resourceOf(template, 'AWS::SES::ConfigurationSet', 'TidingsDelivererMails')).toEqual({
        DeliveryOptions: { TlsPolicy: 'REQUIRE' },
        ReputationOptions: { ReputationMetricsEnabled: true },
        SuppressionOptions: { SuppressedReasons: ['BOUNCE', 'COMPLAINT'] },
      });
      without.functions.resourceCountIs('AWS::SES::ConfigurationSet', 0);
      const { Variables } = resourceOf(without.functions, 'AWS::Lambda::Function', 'TidingsDelivererFunction')
        .Environment as { Variables: Record<string, unknown> };
      expect(Variables).not.toHaveProperty('TIDINGS_CONFIGURATION_SET');
    });
  });
