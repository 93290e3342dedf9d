/** What the operators of a company's account ask for: a key of their own, a network of their own, reserved executions, tables that exist. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Stack, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { Tidings, TidingsData } from '../../lib/index.ts';
import { allowedTo, EXAMPLE, makeStacks, newApp, resourceOf, synthesize } from './stacks.ts';

const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e';
const VPC = { subnetIds: ['subnet-0123456789abcdef0'], securityGroupIds: ['sg-0123456789abcdef0'] };

const folder = mkdtempSync(join(tmpdir(), 'tidings-company-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FUNCTIONS = ['Poller', 'Ticker', 'Announcer', 'Deliverer', 'Manage', 'Setup'];

describe('encryptionKeyArn', () => {
  const { functions, storage } = synthesize(makeStacks({ encryptionKeyArn: KEY }));

  it('encrypts tables, queues, bucket, logs and topic, with no other key', () => {
    for (const { Properties } of Object.values(storage.findResources('AWS::DynamoDB::GlobalTable'))) {
      expect(Properties.SSESpecification).toEqual({ SSEEnabled: true, SSEType: 'KMS' });
      expect(Properties.Replicas).toMatchObject([{ SSESpecification: { KMSMasterKeyId: KEY } }]);
    }
    const properties = (template: Template, type: string) =>
      Object.values(template.findResources(type)).map((one) => one.Properties);
    const queues = [...properties(storage, 'AWS::SQS::Queue'), ...properties(functions, 'AWS::SQS::Queue')];
    expect(queues.map(({ KmsMasterKeyId }) => KmsMasterKeyId)).toEqual([KEY, KEY, KEY]);
    expect(properties(storage, 'AWS::S3::Bucket')).toMatchObject([
      {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { KMSMasterKeyID: KEY } }],
        },
      },
    ]);
    const logs = properties(functions, 'AWS::Logs::LogGroup');
    expect(logs.length).toBeGreaterThan(6);
    expect(new Set(logs.map(({ KmsKeyId }) => KmsKeyId))).toEqual(new Set([KEY]));
    expect(properties(functions, 'AWS::SNS::Topic')).toMatchObject([{ KmsMasterKeyId: KEY }]);
    functions.resourceCountIs('AWS::KMS::Key', 0);
  });

  it('lets each function, and the schedules, use it through the services alone', () => {
    for (const name of FUNCTIONS) expect(allowedTo(functions, name)['kms:Decrypt']).toContain(KEY);
    const policies = Object.entries(functions.findResources('AWS::IAM::Policy'));
    const statements = policies.flatMap(([id, { Properties }]) =>
      Properties.PolicyDocument.Statement.map((one: { Action: unknown; Resource: unknown; Condition?: unknown }) => ({
        id,
        ...one,
      })),
    );
    const ofKey = statements.filter(({ Action }) => JSON.stringify(Action).includes('kms:GenerateDataKey'));
    expect(ofKey.filter(({ id }) => id.includes('EveryMinute'))).toHaveLength(2);
    // None without the condition, also none that CDK adds for the readers of a queue.
    const withKey = statements.filter(({ Resource }) => JSON.stringify(Resource).includes(KEY));
    expect(withKey.length).toBeGreaterThanOrEqual(FUNCTIONS.length + 2);
    for (const { Condition } of withKey) expect(JSON.stringify(Condition)).toContain('kms:ViaService');
  });

  it('changes no logical id of what holds data', () => {
    const plain = synthesize(makeStacks());
    for (const type of ['AWS::DynamoDB::GlobalTable', 'AWS::SQS::Queue', 'AWS::S3::Bucket'])
      expect(Object.keys(storage.findResources(type))).toEqual(Object.keys(plain.storage.findResources(type)));
  });
});

describe('vpc', () => {
  const { functions } = synthesize(makeStacks({ vpc: VPC }));

  it('is that of the functions which connect to systems of others, and of no other one', () => {
    for (const name of FUNCTIONS) {
      const { VpcConfig } = resourceOf(functions, 'AWS::Lambda::Function', `Tidings${name}Function`);
      const isInside = name === 'Poller' || name === 'Deliverer';
      expect(VpcConfig, name).toEqual(
        isInside ? { SubnetIds: VPC.subnetIds, SecurityGroupIds: VPC.securityGroupIds } : undefined,
      );
      expect('ec2:CreateNetworkInterface' in allowedTo(functions, name), name).toBe(isInside);
    }
  });

  it('and all other options report nothing to cdk-nag that is not acknowledged', () => {
    const { app } = makeStacks(
      { vpc: VPC, encryptionKeyArn: KEY, tracing: 'xray', alarmsPerSource: true },
      { outdir: join(folder, 'nag') },
    );
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
    expect(() => app.synth()).not.toThrow();
  });
});

describe('concurrency', () => {
  it('is reserved for the functions that are named', () => {
    const { functions } = synthesize(
      makeStacks({ reservedConcurrency: { poll: 2, deliver: 30 }, announceParallelism: 3 }),
    );
    const reserved = FUNCTIONS.map(
      (name) => resourceOf(functions, 'AWS::Lambda::Function', `Tidings${name}Function`).ReservedConcurrentExecutions,
    );
    expect(reserved).toEqual([2, undefined, undefined, 30, undefined, undefined]);
    functions.hasResourceProperties('AWS::Lambda::EventSourceMapping', { ParallelizationFactor: 3 });
  });

  it('is refused for deliver where a queue would invoke more', () => {
    const { app } = makeStacks({ reservedConcurrency: { deliver: 1 } });
    expect(() => app.synth()).toThrow(/reservedConcurrency\.deliver: expected at least 2, got 1/);
  });

  it.each([
    [30, 20],
    [10, 10],
    [2, 2],
  ])('lets the queue invoke no more executions of deliver than the %s that are reserved', (deliver, expected) => {
    const { functions } = synthesize(makeStacks({ reservedConcurrency: { deliver } }));
    functions.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: Match.objectLike({ 'Fn::GetAtt': Match.arrayWith([Match.stringLikeRegexp('Deliveries')]) }),
      ScalingConfig: { MaximumConcurrency: expected },
    });
  });
});

describe('tracing', () => {
  it('gives the functions on the way of a change the permission to send spans, and no other one', () => {
    const { functions } = synthesize(makeStacks({ tracing: 'xray' }));
    const traced = FUNCTIONS.filter((name) => 'xray:PutTraceSegments' in allowedTo(functions, name));
    expect(traced).toEqual(['Poller', 'Announcer', 'Deliverer']);
    for (const name of FUNCTIONS) {
      const { Environment } = resourceOf(functions, 'AWS::Lambda::Function', `Tidings${name}Function`);
      const { Variables } = Environment as { readonly Variables: Readonly<Record<string, unknown>> };
      expect([name, Variables.TIDINGS_TRACING]).toEqual([name, traced.includes(name) ? 'xray' : undefined]);
    }
  });

  it('adds a saved query of the logs by trace', () => {
    const { functions } = synthesize(makeStacks({ tracing: 'xray' }));
    functions.hasResourceProperties('AWS::Logs::QueryDefinition', {
      Name: 'Tidings/Tidings/One trace, from poll to receiver',
    });
  });

  it('is off by default', () => {
    expect(JSON.stringify(synthesize(makeStacks()).functions)).not.toMatch(/xray|TIDINGS_TRACING/);
  });
});

describe('alarmsPerSource', () => {
  const { functions } = synthesize(makeStacks({ alarmsPerSource: true }));
  const alarms = Object.entries(functions.findResources('AWS::CloudWatch::Alarm')).filter(([id]) =>
    id.startsWith('TidingsWatchSource'),
  );

  it('replaces the alarm about all sources by two that find each source by themselves', () => {
    expect(alarms.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual([
      'TidingsWatchSourceFailing',
      'TidingsWatchSourceLagging',
    ]);
    for (const [, { Properties }] of alarms) {
      const [query] = Properties.Metrics;
      expect(Properties.Metrics).toHaveLength(1);
      // CloudWatch accepts several time series only from a query that groups and sorts them.
      expect(query.Expression).toMatch(
        /^SELECT MAX\("Source(Failing|Lagging)"\) FROM SCHEMA\("Tidings", "function", "service", "source"\) WHERE "service" = 'Tidings' GROUP BY "source" ORDER BY MAX\(\) DESC$/,
      );
      expect(query.Period).toBe(300);
      expect(Properties).toMatchObject({ Threshold: 1, EvaluationPeriods: 3, TreatMissingData: 'notBreaching' });
      expect(Properties.AlarmActions).toHaveLength(1);
    }
  });

  it('makes poll publish the metrics of single sources, which it does not by default', () => {
    const variablesOf = (template: Template) =>
      resourceOf(template, 'AWS::Lambda::Function', 'TidingsPollerFunction').Environment;
    expect(variablesOf(functions)).toMatchObject({ Variables: { TIDINGS_SOURCE_METRICS: 'true' } });
    expect(JSON.stringify(variablesOf(synthesize(makeStacks()).functions))).not.toContain('TIDINGS_SOURCE_METRICS');
  });
});

describe('saved queries', () => {
  it('search the logs of all functions, under the name of the deployment', () => {
    const { functions } = synthesize(makeStacks());
    const queries = Object.values(functions.findResources('AWS::Logs::QueryDefinition')).map((one) => one.Properties);
    expect(queries).toHaveLength(5);
    for (const { Name, LogGroupNames, QueryString } of queries) {
      expect(Name).toMatch(/^Tidings\/Tidings\/\w/);
      expect(LogGroupNames).toHaveLength(FUNCTIONS.length);
      expect(QueryString).toMatch(/(^fields|stats) .*/);
    }
  });
});

describe('secrets by ARN', () => {
  it('are granted as they are, also of another account', () => {
    const parameter = 'arn:aws:ssm:eu-central-1:210987654321:parameter/shared/token';
    const secret = 'arn:aws:secretsmanager:eu-central-1:210987654321:secret:shared/ops-AbC123';
    const config = join(folder, 'by-arn.yaml');
    const raw = parse(readFileSync(EXAMPLE, 'utf8'));
    writeFileSync(config, stringify({ ...raw, source: { ...raw.source, token: `ssm:${parameter}` } }));
    const { functions } = synthesize(makeStacks({ config, moreSecrets: [`secret:${secret}#key`] }));
    expect(allowedTo(functions, 'Poller')['ssm:GetParameter']).toContain(`"${parameter}"`);
    expect(allowedTo(functions, 'Deliverer')['secretsmanager:GetSecretValue']).toContain(`"${secret}"`);
  });
});

describe('tables that exist', () => {
  it('are used in place of new ones', () => {
    const stack = new Stack(newApp(), 'Theirs');
    const arn = (name: string) => `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`;
    const data = new TidingsData(stack, 'Data', {
      tables: {
        snapshotsArn: arn('snapshots-restored'),
        snapshotsStreamArn: `${arn('snapshots-restored')}/stream/2026-11-14T09:00:00.000`,
        ledgerArn: arn('ledger-restored'),
      },
    });
    expect([data.snapshots.table.tableName, data.ledger.table.tableName]).toEqual([
      'snapshots-restored',
      'ledger-restored',
    ]);
    new Tidings(stack, 'Tidings', { config: EXAMPLE, environment: {}, data });
    const functions = Template.fromStack(stack);
    functions.resourceCountIs('AWS::DynamoDB::GlobalTable', 0);
    functions.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: `${arn('snapshots-restored')}/stream/2026-11-14T09:00:00.000`,
    });
    functions.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ TIDINGS_SNAPSHOTS_TABLE: 'snapshots-restored' }) },
    });
    expect(allowedTo(functions, 'Poller')['dynamodb:PutItem']).toContain(arn('ledger-restored'));
  });
});
