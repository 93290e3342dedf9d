import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { TidingsStack } from '../../lib/tidings-stack.ts';

const root = join(import.meta.dirname, '../..');
const template = Template.fromStack(new TidingsStack(new App(), 'Test'));

describe('TidingsStack', () => {
  it('keeps both tables when the stack goes, protects them, and can bring back any second of the last weeks', () => {
    const tables = Object.values(template.findResources('AWS::DynamoDB::GlobalTable'));
    expect(tables).toHaveLength(2);
    for (const table of tables) {
      expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
      expect(table.Properties).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        Replicas: [
          { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
        ],
        SSESpecification: { SSEEnabled: true },
      });
      expect(table.Properties.TableName).toBeUndefined();
    }
  });

  it('feeds old and new image of every commit', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
  });

  it('has indexes with little in them, and lets old items of the ledger go by themselves', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      GlobalSecondaryIndexes: [
        Match.objectLike({
          IndexName: 'agenda',
          KeySchema: [
            { AttributeName: 'agenda', KeyType: 'HASH' },
            { AttributeName: 'dueAt', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['subscription', 'attempt', 'place'] },
        }),
        Match.objectLike({ IndexName: 'lists', Projection: { ProjectionType: 'KEYS_ONLY' } }),
      ],
    });
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      StreamSpecification: Match.anyValue(),
      TimeToLiveSpecification: Match.absent(),
      GlobalSecondaryIndexes: [
        Match.objectLike({
          IndexName: 'agenda',
          KeySchema: [
            { AttributeName: 'agenda', KeyType: 'HASH' },
            { AttributeName: 'nextMoment', KeyType: 'RANGE' },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        }),
      ],
    });
  });

  it('keeps the logical ids of its tables: another id would mean an empty table', () => {
    const ids = Object.keys(template.findResources('AWS::DynamoDB::GlobalTable')).sort();
    expect(ids).toEqual(['LedgerTable9343E4AA', 'SnapshotsTableAE12316E']);
  });

  it('is what cdk.json names, and needs no account, network or Docker to synthesize', () => {
    const { app } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
    const [command, ...argv] = app.split(' ');
    expect(command).toBe('node');
    const outdir = join(root, 'cdk.out/test');
    execFileSync(process.execPath, argv, { cwd: root, env: { PATH: process.env.PATH, CDK_OUTDIR: outdir } });
    const synthesized = JSON.parse(readFileSync(join(outdir, 'Tidings.template.json'), 'utf8'));
    expect(Object.keys(synthesized.Resources).sort()).toEqual(['LedgerTable9343E4AA', 'SnapshotsTableAE12316E']);
  });
});
