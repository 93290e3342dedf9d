/** Each option has its effect, and none if it is not set. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CfnParameter, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { afterAll, describe, expect, it } from 'vitest';
import { DAY } from '../../core/model/time.ts';
import { Tidings, type TidingsProps } from '../../lib/index.ts';
import { resolveOptions } from '../../lib/options.ts';
import { loadConfigForAws } from '../../runtime/config/load.ts';
import { allowedTo, EXAMPLE, makeStacks, newApp, resourceOf, type Synthesized, synthesize } from './stacks.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-options-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export const optionsSuite = ({ functions: plain }: Synthesized) =>
  describe('options', () => {
    const stack = new Stack(newApp({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Theirs');
    const tidings = new Tidings(stack, 'News', {
      config: EXAMPLE,
      environment: {},
      removalPolicy: RemovalPolicy.DESTROY,
      logRetention: RetentionDays.ONE_YEAR,
      sourceMaps: true,
      maxConcurrency: 2,
    });
    const template = Template.fromStack(stack);
    const propertiesOf = (type: string) =>
      Object.values(template.findResources(type)).map(({ Properties }) => Properties);

    it('are read with the variables of .env beside the config, unless the environment has them', () => {
      const config = join(folder, 'with-variables.json');
      writeFileSync(config, JSON.stringify({ source: { baseUrl: 'https://${HOST}/api', token: 'ssm:/token' } }));
      writeFileSync(join(folder, '.env'), 'HOST=file.example.com\n');
      const urlWith = (environment: TidingsProps['environment']) =>
        resolveOptions({ config, environment }).config.config.sources[0]?.baseUrl;
      expect(urlWith({})).toBe('https://file.example.com/api');
      expect(urlWith({ HOST: 'process.example.com' })).toBe('https://process.example.com/api');
      rmSync(join(folder, '.env'));
    });

    it('work for one construct in another app, with its data', () => {
      template.resourceCountIs('AWS::DynamoDB::GlobalTable', 2);
      expect(Object.keys(template.findOutputs('*'))).toEqual(
        ['ManageUrl', 'AlarmTopic', 'DashboardUrl'].map((name) => expect.stringMatching(`^News${name}`)),
      );
      expect(stack.resolve(tidings.monitoring.topic.topicArn)).toEqual({
        Ref: expect.stringMatching(/^NewsWatchTopic/),
      });
      expect(JSON.stringify(template.toJSON())).not.toContain('Fn::ImportValue');
    });

    it('use the name of that stack for the stores parameter and for rotated secrets', () => {
      const [stores, ...others] = propertiesOf('AWS::SSM::Parameter');
      expect(others).toEqual([]);
      expect(stores).toMatchObject({ Name: '/tidings/Theirs/stores', Type: 'String' });
      const [, parts] = stores?.Value['Fn::Join'] ?? [];
      const text = parts.map((part: unknown) => (typeof part === 'string' ? part : 'name')).join('');
      expect(JSON.parse(text)).toEqual({
        snapshotsTable: 'name',
        ledgerTable: 'name',
        queueUrl: 'name',
        retention: 90 * DAY,
      });
      expect(JSON.stringify(propertiesOf('AWS::IAM::Policy'))).toContain(':parameter/tidings/secrets/Theirs/*');
    });

    it('removalPolicy: DESTROY deletes everything, without protection of tables', () => {
      const kept = Object.entries(template.toJSON().Resources as Record<string, { DeletionPolicy?: string }>).filter(
        ([, { DeletionPolicy }]) => DeletionPolicy === 'Retain',
      );
      expect(kept.map(([id]) => id)).toEqual([]);
      for (const { Replicas } of propertiesOf('AWS::DynamoDB::GlobalTable')) {
        expect(Replicas[0].DeletionProtectionEnabled).toBe(false);
      }
    });

    it('logRetention: applies to functions and API', () => {
      const groups = propertiesOf('AWS::Logs::LogGroup');
      expect(groups).toHaveLength(8);
      expect(new Set(groups.map(({ RetentionInDays }) => RetentionInDays))).toEqual(new Set([365]));
    });

    it('sourceMaps: enables them in Node, and only then', () => {
      const poll = resourceOf(template, 'AWS::Lambda::Function', 'NewsPollerFunction');
      expect(poll.Environment).toMatchObject({ Variables: { NODE_OPTIONS: '--enable-source-maps' } });
      const without = resourceOf(plain, 'AWS::Lambda::Function', 'TidingsPollerFunction');
      expect(without.Environment).not.toHaveProperty('Variables.NODE_OPTIONS');
    });

    it('name of the stack: used for metrics, API and logs', () => {
      const poll = resourceOf(template, 'AWS::Lambda::Function', 'NewsPollerFunction');
      expect(poll.Environment).toMatchObject({ Variables: { TIDINGS_DEPLOYMENT: 'Theirs' } });
      const due = resourceOf(template, 'AWS::CloudWatch::Alarm', 'NewsWatchOldestDue');
      const [{ MetricStat }] = due.Metrics as [{ MetricStat: { Metric: { Dimensions: unknown } } }];
      expect(MetricStat.Metric.Dimensions).toEqual([
        { Name: 'function', Value: 'tick' },
        { Name: 'service', Value: 'Theirs' },
      ]);
      expect(resourceOf(template, 'AWS::ApiGatewayV2::Api', 'NewsManageApi').Name).toBe('Theirs');
    });

    it('paused: disables triggers and mutes the alarms on missing data and waiting jobs, and only then', () => {
      const { functions: resting } = synthesize(makeStacks({ paused: true, alarmEmail: 'ops@example.com' }));
      const every = (one: Template, type: string, key: string) =>
        Object.values(one.findResources(type)).map(({ Properties }) => Properties[key]);
      expect(every(resting, 'AWS::Scheduler::Schedule', 'State')).toEqual(['DISABLED', 'DISABLED']);
      expect(every(resting, 'AWS::Lambda::EventSourceMapping', 'Enabled')).toEqual([false, false]);
      expect(every(plain, 'AWS::Scheduler::Schedule', 'State')).toEqual(['ENABLED', 'ENABLED']);
      expect(every(plain, 'AWS::Lambda::EventSourceMapping', 'Enabled')).toEqual([true, true]);
      const silent = Object.entries(resting.findResources('AWS::CloudWatch::Alarm'))
        .filter(([, { Properties }]) => Properties.ActionsEnabled === false)
        .map(([id]) => id.replace(/^TidingsWatch(.*)[0-9A-F]{8}$/, '$1'));
      expect(silent.sort()).toEqual(['PollHeartbeat', 'QueueAge', 'TickHeartbeat']);
      expect(every(plain, 'AWS::CloudWatch::Alarm', 'ActionsEnabled')).not.toContain(false);
      // All resources stay, such as the API and the queue.
      const kinds = (one: Template) =>
        Object.keys(one.toJSON().Resources).map((id) => id.replace(/CurrentVersion.*/, ''));
      expect(kinds(resting)).toEqual(kinds(plain));
    });

    it('of the config section aws: used unless the app sets them', () => {
      const config = join(folder, 'tidings.yaml');
      writeFileSync(
        config,
        `source: { baseUrl: "https://work.example.com/api", token: "ssm:/tidings/token" }
aws:
  alarmEmail: ops@example.com
  runbookUrl: https://wiki.example.com/runbook
  secretsKeyArn: arn:aws:kms:eu-central-1:123456789012:key/of-ours
  moreSecrets: ["ssm:/tidings/old"]
  maxConcurrency: 5
  domainName: api.example.com
  certificateArn: arn:aws:acm:eu-central-1:123456789012:certificate/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e
  rateLimits: { api: 5 }
  logRetention: 90d
  sourceMaps: true
  paused: true
  removalPolicy: destroy
`,
      );
      const { functions, storage, stacks } = synthesize(makeStacks({ config, maxConcurrency: 7, paused: false }));
      functions.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: 'ops@example.com' });
      const { AlarmDescription } = resourceOf(functions, 'AWS::CloudWatch::Alarm', 'TidingsWatchDeadLetters');
      expect(AlarmDescription).toMatch(/ https:\/\/wiki\.example\.com\/runbook#dead-letters$/);
      const deliver = allowedTo(functions, 'Deliverer');
      expect(deliver['kms:Decrypt']).toContain('key/of-ours');
      expect(deliver['ssm:GetParameter']).toContain('/tidings/old');
      const groups = Object.values(functions.findResources('AWS::Logs::LogGroup'));
      expect(new Set(groups.map((one) => `${one.Properties.RetentionInDays} ${one.DeletionPolicy}`))).toEqual(
        new Set(['90 Delete']),
      );
      const poll = resourceOf(functions, 'AWS::Lambda::Function', 'TidingsPollerFunction');
      expect(poll.Environment).toHaveProperty('Variables.NODE_OPTIONS');
      functions.hasResourceProperties('AWS::Lambda::EventSourceMapping', { ScalingConfig: { MaximumConcurrency: 7 } });
      functions.hasResourceProperties('AWS::ApiGatewayV2::DomainName', { DomainName: 'api.example.com' });
      functions.hasResourceProperties('AWS::Scheduler::Schedule', { State: 'ENABLED' });
      expect(stacks.stack.terminationProtection).toBe(false);
      storage.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
    });

    const errorOf = (run: () => unknown) => {
      try {
        run();
      } catch (error) {
        return error;
      }
      return undefined;
    };

    it.each<[Partial<TidingsProps>, Readonly<Record<string, unknown>>]>([
      [{ alarmEmail: 'nobody' }, { alarmEmail: 'nobody' }],
      [{ runbookUrl: 'runbook' }, { runbookUrl: 'runbook' }],
      [{ secretsKeyArn: 'alias/x' }, { secretsKeyArn: 'alias/x' }],
      [{ maxConcurrency: 1 }, { maxConcurrency: 1 }],
      [{ domainName: 'api.example.com' }, { domainName: 'api.example.com' }],
      [{ disableExecuteApiEndpoint: true }, { disableExecuteApiEndpoint: true }],
      [{ rateLimits: { links: 0 } }, { rateLimits: { links: 0 } }],
      // The number that means "never expire" for logs.
      [{ maxConcurrency: 9999 }, { maxConcurrency: 9999 }],
      [{ logRetention: 5000 as RetentionDays }, { logRetention: '5000d' }],
      [{ removalPolicy: RemovalPolicy.SNAPSHOT }, { removalPolicy: 'snapshot' }],
      [{ moreSecrets: ['ssm:/tidings/old', 'whsec_hunter2'] }, { moreSecrets: ['ssm:/tidings/old', 'whsec_hunter2'] }],
      [
        { alarmEmail: 'nobody', logRetention: 31 as RetentionDays },
        { alarmEmail: 'nobody', logRetention: '31d' },
      ],
    ])('%j: rejected with the same message as -c options', (props, options) => {
      const error = errorOf(() => loadConfigForAws(EXAMPLE, {}, { options }));
      expect(error).toMatchObject({ code: 'TIDINGS_CONFIG_INVALID' });
      expect(errorOf(() => makeStacks(props))).toEqual(error);
      const theirs = new Stack(newApp(), 'Theirs');
      expect(errorOf(() => new Tidings(theirs, 'News', { config: EXAMPLE, environment: {}, ...props }))).toEqual(error);
      expect(String(error)).not.toContain('hunter2');
    });

    it('known only at deployment: passed through, also in lists with others', () => {
      const theirs = new Stack(newApp(), 'Theirs');
      const later = (name: string) => new CfnParameter(theirs, name).valueAsString;
      new Tidings(theirs, 'News', {
        config: EXAMPLE,
        environment: {},
        alarmEmail: later('Mail'),
        runbookUrl: `https://${later('Host')}/runbook`,
        secretsKeyArn: later('Key'),
        moreSecrets: [`ssm:${later('Old')}`, `secret:ours/${later('Older')}#ops`, 'ssm:/tidings/oldest'],
      });
      const made = Template.fromStack(theirs);
      made.hasResourceProperties('AWS::SNS::Subscription', { Endpoint: { Ref: 'Mail' } });
      const { AlarmDescription } = resourceOf(made, 'AWS::CloudWatch::Alarm', 'NewsWatchDeadLetters');
      expect(JSON.stringify(AlarmDescription)).toContain('https://",{"Ref":"Host"},"/runbook#dead-letters');
      const deliver = JSON.stringify(resourceOf(made, 'AWS::IAM::Policy', 'NewsDelivererFunctionRoleDefaultPolicy'));
      for (const granted of [
        '"Action":"kms:Decrypt","Effect":"Allow","Resource":{"Ref":"Key"}',
        ':parameter",{"Ref":"Old"}]',
        ':secret:ours/",{"Ref":"Older"},"-??????"]',
        ':parameter/tidings/oldest"]',
      ]) {
        expect(deliver).toContain(granted);
      }
    });

    it.each([
      [
        'in a list with one that is none',
        (name: string) => [`ssm:/x/${name}`, 'whsec_hunter2'],
        'TIDINGS_CONFIG_INVALID',
      ],
      ['without a known store', (name: string) => [name], 'TIDINGS_SECRET_NOT_A_REFERENCE'],
      ['in a name that opens others', (name: string) => [`ssm:/*/${name}`], 'TIDINGS_SECRET_NOT_A_REFERENCE'],
    ])('moreSecrets, known only at deployment: rejected %s', (_, referencesTo, code) => {
      const theirs = new Stack(newApp(), 'Theirs');
      const moreSecrets = referencesTo(new CfnParameter(theirs, 'Name').valueAsString);
      const error = errorOf(() => new Tidings(theirs, 'News', { config: EXAMPLE, environment: {}, moreSecrets }));
      expect(error).toMatchObject({ code });
      expect(String(error)).toMatch(/moreSecrets(\[1\])?: expected 'ssm:/);
      expect(String(error)).not.toContain('hunter2');
    });

    it('that only CDK has: logs that never expire', () => {
      const { functions } = synthesize(makeStacks({ logRetention: RetentionDays.INFINITE }));
      expect(JSON.stringify(functions.findResources('AWS::Logs::LogGroup'))).not.toContain('RetentionInDays');
      expect(JSON.stringify(plain.findResources('AWS::Logs::LogGroup'))).toContain('RetentionInDays');
    });

    it('a cadence below a minute: a warning, because poll runs once a minute', () => {
      const config = join(folder, 'hurried.yaml');
      writeFileSync(
        config,
        `source: { baseUrl: "https://work.example.com/api", token: "ssm:/tidings/token", resources: { task: { every: 2s }, client: { every: 10s } } }\n`,
      );
      const theirs = new Stack(newApp(), 'Theirs');
      new Tidings(theirs, 'News', { config, environment: {} });
      const warnings = Annotations.fromStack(theirs).findWarning('/Theirs/News', Match.anyValue());
      expect(warnings.map(({ entry }) => entry.data)).toEqual(
        [
          ['task', '2s'],
          ['client', '10s'],
        ].map(
          ([name, every]) =>
            `source.resources.${name}.every: expected '1m' or more: in AWS polls run once a minute, got '${every}' [ack: TIDINGS_CADENCE_TOO_SHORT]`,
        ),
      );
      expect(Annotations.fromStack(stack).findWarning('/Theirs/News', Match.anyValue())).toEqual([]);
    });

    it('maxConcurrency: limits deliver, and announce per shard', () => {
      const mappings = propertiesOf('AWS::Lambda::EventSourceMapping');
      const bounds = mappings.map(({ ScalingConfig }) => ScalingConfig);
      expect(bounds.filter((bound) => bound !== undefined)).toEqual([{ MaximumConcurrency: 2 }]);
      // An account may have ten: two of deliver, one for each of the few shards, poll, tick and manage.
      const factors = mappings.map(({ ParallelizationFactor }) => ParallelizationFactor);
      expect(factors.filter((factor) => factor !== undefined)).toEqual([1]);
      // Reserved concurrency would be taken from an account that may have only ten.
      for (const { ReservedConcurrentExecutions } of propertiesOf('AWS::Lambda::Function')) {
        expect(ReservedConcurrentExecutions).toBeUndefined();
      }
    });

    it('none of them causes new findings of cdk-nag', () => {
      const acknowledged = tidings.announcer.node
        .findAll()
        .flatMap(({ node }) => node.metadata)
        .map(({ data }) => JSON.stringify(data))
        .filter((data) => data?.includes('aws/lambda/*'));
      expect(acknowledged.join()).toMatch(/Resource::<NewsDataUnannounced\w+\.Arn>\/aws\/lambda\/\*/);
    });
  });
