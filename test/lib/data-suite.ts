/** What must outlive a deployment, and how it is kept. */

import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { TidingsData } from '../../lib/index.ts';
import { makeStacks, resourceOf, type Synthesized, synthesize } from './stacks.ts';

export const dataSuite = ({ stacks, storage: template }: Synthesized) =>
  describe('TidingsData', () => {
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

    it('keeps the logical ids of all it holds: another id would mean an empty one', () => {
      const held = ['AWS::DynamoDB::GlobalTable', 'AWS::SQS::Queue', 'AWS::S3::Bucket'];
      expect(held.flatMap((type) => Object.keys(template.findResources(type)).sort())).toEqual([
        'DataLedgerTableD81DBB15',
        'DataSnapshotsTable01579267',
        'DataDeadLettersE8DA58CB',
        'DataMissedRunsC6638D5B',
        'DataUnannouncedCA6F14E3',
      ]);
    });

    it('keeps dead letters for as long as SQS can, encrypted, and speaks TLS only', () => {
      const queues = Object.values(template.findResources('AWS::SQS::Queue'));
      expect(queues).toHaveLength(2);
      for (const queue of queues) {
        expect(queue.DeletionPolicy).toBe('Retain');
        expect(queue.Properties).toEqual({ MessageRetentionPeriod: 14 * 86_400, SqsManagedSseEnabled: true });
      }
      const policies = Object.values(template.findResources('AWS::SQS::QueuePolicy'));
      expect(policies.map(({ Properties }) => Properties.PolicyDocument.Statement)).toEqual(
        [1, 2].map(() => [
          expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ]),
      );
    });

    it('keeps what was not announced to itself, and for no longer than events', () => {
      expect(resourceOf(template, 'AWS::S3::Bucket', 'DataUnannounced')).toMatchObject({
        BucketEncryption: { ServerSideEncryptionConfiguration: [expect.anything()] },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        LifecycleConfiguration: { Rules: [{ ExpirationInDays: 90, Status: 'Enabled' }] },
      });
      template.hasResourceProperties('AWS::S3::BucketPolicy', {
        PolicyDocument: {
          Statement: [Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } })],
        },
      });
    });

    it('cannot be deleted by mistake, unless it was made to be', () => {
      expect(stacks.stack.terminationProtection).toBe(true);
      const trial = synthesize(makeStacks({ removalPolicy: RemovalPolicy.DESTROY }));
      expect(trial.stacks.stack.terminationProtection).toBe(false);
      for (const table of Object.values(trial.storage.findResources('AWS::DynamoDB::GlobalTable'))) {
        expect(table.DeletionPolicy).toBe('Delete');
        expect(table.Properties.Replicas[0].DeletionProtectionEnabled).toBe(false);
      }
      // A bucket that holds something cannot be deleted: it is emptied, by what no other deployment has.
      trial.storage.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
      template.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
      for (const kind of ['AWS::Lambda::Function', 'AWS::IAM::Role']) template.resourceCountIs(kind, 0);
    });

    it('goes with a first deployment that failed where it was asked to, and with nothing else', () => {
      const kept = synthesize(makeStacks({ removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE }));
      expect(kept.stacks.stack.terminationProtection).toBe(true);
      const tables = Object.values(kept.storage.findResources('AWS::DynamoDB::GlobalTable'));
      expect(tables).toHaveLength(2);
      for (const table of tables) {
        expect(table.DeletionPolicy).toBe('RetainExceptOnCreate');
        // The rollback could not take away a table that is guarded.
        expect(table.Properties.Replicas[0].DeletionProtectionEnabled).toBe(false);
      }
    });

    it('takes no policy that tables do not have', () => {
      const removalPolicy = RemovalPolicy.SNAPSHOT;
      expect(() => new TidingsData(new Stack(), 'Data', { removalPolicy })).toThrow(
        expect.objectContaining({
          code: 'TIDINGS_REMOVAL_POLICY_UNKNOWN',
          message: expect.stringMatching(/expected RETAIN, .* got SNAPSHOT/),
        }),
      );
    });
  });
