/** Checks the templates of `cdk synth` with cfn-lint and checkov, and the tables and queues made from them. */

import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand, DescribeTimeToLiveCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LEDGER_DEFINITION, SNAPSHOTS_DEFINITION, type TableDefinition } from '../../adapters/dynamodb/tables.ts';
import { type Finding, findOutdated, findUnacknowledged, runCheckov } from './checkov.ts';
import { makeQueues, makeTables } from './template.ts';
import { root, TOOLS } from './tools.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidings-templates-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Synthesizes without bundling: a template names its assets whether or not they exist. */
function synthesizeTo(outdir: string, options: Readonly<Record<string, string>>): void {
  const { app, context } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const all = { ...context, config: 'examples/aws.yaml', 'aws:cdk:bundling-stacks': [], ...options };
  const env = { PATH: process.env.PATH, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(all) };
  const [, ...argv] = app.split(' ');
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd: root, env, encoding: 'utf8', timeout: 60_000 });
  expect(status, stderr).toBe(0);
}

const isCi = (process.env.CI ?? '') !== '';
const ANYBODY = { CidrIp: '0.0.0.0/0', IpProtocol: 'tcp' };

/** Ignored findings of cfn-lint, each with its reason. Those of checkov are in checkov.ts. */
const IGNORED: Readonly<Record<string, string>> = {
  I1022: 'the CDK writes every text with a reference in it as a join; both forms mean the same',
  W3005: 'the CDK itself has every function depend on its role besides naming it',
};

/** Errors, warnings and informational findings of cfn-lint, one line each. */
function lint(files: readonly string[]): { readonly status: number | null; readonly found: string } {
  const argv = ['--include-checks', 'I', '--ignore-checks', ...Object.keys(IGNORED), '--format', 'parseable'];
  const regions = ['--regions', 'eu-central-1', 'us-east-1'];
  const options = { encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(TOOLS.cfnLint, [...argv, ...regions, '--', ...files], options);
  return { status, found: stdout + stderr };
}

/** The options of the deployments whose templates are checked. */
const DEPLOYMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'with nothing but a config': {},
  'with every option': {
    alarmEmail: 'ops@example.com',
    runbookUrl: 'https://runbook.example.com/',
    secretsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e',
    encryptionKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e',
    moreSecrets: 'ssm:/tidings/old',
    maxConcurrency: '2',
    announceParallelism: '3',
    reservedConcurrency: 'poll:2',
    vpc: 'subnet-0123456789abcdef0,sg-0123456789abcdef0',
    domainName: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0d6f6b3c-6a5e-4c1b-9d0e-2f3a4b5c6d7e',
    disableExecuteApiEndpoint: 'true',
    rateLimits: 'links:3',
    tracing: 'xray',
    alarmsPerSource: 'true',
    logRetention: '7d',
    sourceMaps: 'true',
    paused: 'true',
    removalPolicy: 'destroy',
  },
};

describe('the templates', () => {
  const filesOf = (name: string) => {
    const outdir = join(folder, name.replaceAll(' ', '-'));
    return globSync('*.template.json', { cwd: outdir }).map((file) => join(outdir, file));
  };

  beforeAll(() => {
    for (const [name, options] of Object.entries(DEPLOYMENTS))
      synthesizeTo(join(folder, name.replaceAll(' ', '-')), options);
  });

  it.each(Object.keys(DEPLOYMENTS))('have no findings of cfn-lint: %s', (name) => {
    const files = filesOf(name);
    expect(files).toHaveLength(2);
    expect(lint(files)).toEqual({ status: 0, found: '' });
  });

  // Without it in Python 3.10; in CI it is always there.
  if (isCi || existsSync(TOOLS.checkov)) {
    it('have no findings of checkov but those that are acknowledged with a reason', () => {
      // One that is open to everybody, to see that findings are found: its start takes most of the time of checkov.
      const faulty = join(folder, 'open.template.json');
      const Properties = { GroupDescription: 'x', SecurityGroupIngress: [{ ...ANYBODY, FromPort: 22, ToPort: 22 }] };
      writeFileSync(faulty, JSON.stringify({ Resources: { Open: { Type: 'AWS::EC2::SecurityGroup', Properties } } }));
      const findings = runCheckov([faulty, ...Object.keys(DEPLOYMENTS).flatMap(filesOf)]);
      const isFaulty = ({ resource }: Finding) => resource === 'AWS::EC2::SecurityGroup.Open';
      const unacknowledged = findUnacknowledged(findings);
      expect(unacknowledged.filter(isFaulty).map(({ check }) => check)).toContain('CKV_AWS_24');
      expect(unacknowledged.filter((one) => !isFaulty(one))).toEqual([]);
      expect(findOutdated(findings)).toEqual([]);
    });
  }

  it('are rejected if they have an error', () => {
    const file = join(folder, 'faulty.template.json');
    const Properties = { VisibilityTimeout: 'soon' };
    writeFileSync(file, JSON.stringify({ Resources: { Jobs: { Type: 'AWS::SQS::Queue', Properties } } }));
    const { status, found } = lint([file]);
    expect(status).not.toBe(0);
    expect(found).toMatch(/'soon' is not of type 'integer'/);
  });
});

describe('the resources made from the templates', () => {
  it('include the tables that the stores expect', async () => {
    const client = new DynamoDBClient();
    const tables = await makeTables(client);
    for (const [TableName, definition] of [
      [tables.snapshots, SNAPSHOTS_DEFINITION],
      [tables.ledger, LEDGER_DEFINITION],
    ] as const) {
      const { partitionKey, sortKey, indexes, timeToLive }: TableDefinition = definition;
      const { Table } = await client.send(new DescribeTableCommand({ TableName }));
      const keys = (hash: string, range: string) => [
        { AttributeName: hash, KeyType: 'HASH' },
        { AttributeName: range, KeyType: 'RANGE' },
      ];
      expect(Table?.KeySchema).toEqual(keys(partitionKey, sortKey));
      // DynamoDB lists indexes in any order.
      const byName = (a: { IndexName?: string | undefined }, b: { IndexName?: string | undefined }) =>
        String(a.IndexName).localeCompare(String(b.IndexName));
      expect(Table?.GlobalSecondaryIndexes?.toSorted(byName)).toMatchObject(
        indexes
          .map((index) => ({
            IndexName: index.name,
            KeySchema: keys(index.partitionKey, index.sortKey),
            Projection:
              index.include.length === 0 ? { ProjectionType: 'KEYS_ONLY' } : { NonKeyAttributes: index.include },
          }))
          .toSorted(byName),
      );
      const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
      expect(TimeToLiveDescription?.AttributeName).toBe(timeToLive);
      expect(Table?.StreamSpecification?.StreamViewType).toBe(
        TableName === tables.snapshots ? 'NEW_AND_OLD_IMAGES' : undefined,
      );
    }
    await tables.remove();
    client.destroy();
  });

  it('include a queue that moves messages to a dead-letter queue, which keeps them for two weeks', async () => {
    const client = new SQSClient();
    const { jobs, dead, remove } = await makeQueues(client);
    const attributesOf = async (QueueUrl: string) =>
      (await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes ?? {};
    const [ofJobs, ofDead] = [await attributesOf(jobs), await attributesOf(dead)];
    const redrive = JSON.parse(ofJobs.RedrivePolicy ?? '{}');
    expect(redrive.deadLetterTargetArn).toBe(ofDead.QueueArn);
    expect(Number(redrive.maxReceiveCount)).toBe(5);
    expect(ofDead.MessageRetentionPeriod).toBe(String(14 * 24 * 3600));
    await remove();
    client.destroy();
  });
});
