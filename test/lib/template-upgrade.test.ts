/**
 * What CloudFormation does with the templates of 1.0.0 (`fixtures/templates-1.0.0.json`) and of this version: an upgrade and a
 * rollback replace nothing that holds data, and need no change that CloudFormation refuses. Compares the snapshots that
 * tidings-stack.test.ts keeps equal to the synthesis.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}
type Resources = Readonly<Record<string, Resource>>;

interface Index {
  readonly IndexName: string;
}

const read = (path: string) => JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8'));
const before: Readonly<Record<'Tidings' | 'Functions', Resources>> = read('fixtures/templates-1.0.0.json');
const after = {
  Tidings: read('snapshots/Tidings.json').Resources as Resources,
  Functions: read('snapshots/Functions.json').Resources as Resources,
};

/** The properties whose change replaces the resource. */
const CREATE_ONLY: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::GlobalTable': ['TableName', 'KeySchema', 'LocalSecondaryIndexes'],
  'AWS::SQS::Queue': ['QueueName', 'FifoQueue'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled'],
};

/** The property with the name that must be unique in the account. */
const OWN_NAME: Readonly<Record<string, string>> = {
  'AWS::SSM::Parameter': 'Name',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::SQS::Queue': 'QueueName',
  'AWS::SNS::Topic': 'TopicName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::Scheduler::Schedule': 'Name',
  'AWS::SES::ConfigurationSet': 'Name',
};

const data = Object.entries(before.Tidings).filter(([, { DeletionPolicy }]) => DeletionPolicy === 'Retain');

describe('an upgrade from 1.0.0, and its rollback', () => {
  it.each(data)('keeps %s, its type, its retention and what cannot be changed', (id, old) => {
    const { Type, DeletionPolicy, UpdateReplacePolicy, Properties = {} } = old;
    const now = after.Tidings[id];
    expect(now).toMatchObject({ Type, DeletionPolicy, UpdateReplacePolicy });
    const createOnly = CREATE_ONLY[Type] ?? [];
    expect(createOnly.length).toBeGreaterThan(0);
    for (const name of createOnly) expect([name, now?.Properties?.[name]]).toEqual([name, Properties[name]]);
  });

  const tables = data.filter(([, { Type }]) => Type === 'AWS::DynamoDB::GlobalTable');

  it.each(tables)('changes no index of %s, adds or removes at most one, and keeps its stream', (id, old) => {
    const indexesOf = ({ Properties }: Resource) =>
      new Map(((Properties?.GlobalSecondaryIndexes ?? []) as readonly Index[]).map((one) => [one.IndexName, one]));
    const [was, is] = [indexesOf(old), indexesOf(after.Tidings[id] ?? old)];
    for (const [name, index] of was) if (is.has(name)) expect(is.get(name)).toEqual(index);
    const added = [...is.keys()].filter((name) => !was.has(name));
    const removed = [...was.keys()].filter((name) => !is.has(name));
    // DynamoDB creates or deletes one index per update of a table, so CloudFormation refuses two.
    expect([...added, ...removed].length).toBeLessThanOrEqual(1);
    const streamOf = ({ Properties }: Resource) => Properties?.StreamSpecification;
    expect(streamOf(after.Tidings[id] ?? old)).toEqual(streamOf(old));
  });

  it('keeps the nested stack and the trigger of setup', () => {
    const idsOf = (resources: Resources, type: string) =>
      Object.entries(resources).flatMap(([id, { Type }]) => (Type === type ? [id] : []));
    for (const [stack, type] of [
      ['Tidings', 'AWS::CloudFormation::Stack'],
      ['Functions', 'Custom::Trigger'],
    ] as const) {
      expect(idsOf(before[stack], type)).toHaveLength(1);
      expect(idsOf(after[stack], type)).toEqual(idsOf(before[stack], type));
    }
  });

  // A new resource is created before the old one is deleted, and the name is taken.
  it('gives no name of a resource to another one', () => {
    const namesOf = (resources: Resources) =>
      new Map(
        Object.entries(resources).flatMap(([id, { Type, Properties = {} }]) => {
          const name = Properties[OWN_NAME[Type] ?? ''];
          return name === undefined ? [] : [[`${Type} ${JSON.stringify(name)}`, id] as const];
        }),
      );
    const [was, is] = [namesOf(before.Functions), namesOf(after.Functions)];
    expect(was.size).toBeGreaterThan(0);
    for (const [name, id] of was) if (is.has(name)) expect([name, is.get(name)]).toEqual([name, id]);
  });
});
