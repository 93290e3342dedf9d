/** The data that must outlive a deployment. */

import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { TidingsData } from '../../lib/index.ts';
import { makeStacks, resourceOf, type Synthesized, synthesize } from './stacks.ts';

export const dataSuite = ({ stacks, storage: template, functions }: Synthesized) =>
  describe('TidingsData', () => {
    it('retains both tables, with deletion protection and point-in-time recovery', () => {
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

    it('streams the old and new image of every commit', () => {
      template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
        StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      });
    });

    it('has small indexes, and expires old items', () => {
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
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
        GlobalSecondaryIndexes: [
          Match.objectLike({
            IndexName: 'agenda',
            KeySchema: [
              { AttributeName: 'agenda', KeyType: 'HASH' },
              { AttributeName: 'nextMoment', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          }),
          Match.objectLike({
            IndexName: 'standing',
            KeySchema: [
              { AttributeName: 'standing', KeyType: 'HASH' },
              { AttributeName: 'sk', KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'KEYS_ONLY' },
          }),
        ],
      });
    });

    it('keeps all logical ids: another id would replace the resource', () => {
      const held = ['AWS::DynamoDB::GlobalTable', 'AWS::SQS::Queue', 'AWS::S3::Bucket'];
      expect(held.flatMap((type) => Object.keys(template.findResources(type)).sort())).toEqual([
        'DataLedgerTableD81DBB15',
        'DataSnapshotsTable01579267',
        'DataDeadLettersE8DA58CB',
        'DataMissedRunsC6638D5B',
        'DataUnannouncedCA6F14E3',
      ]);
    });

    it('states the encryption of every queue, also of those that the functions use', () => {
      const queues = [template, functions].flatMap((one) => Object.values(one.findResources('AWS::SQS::Queue')));
      expect(queues.length).toBeGreaterThan(2);
      expect(queues.filter(({ Properties }) => Properties.SqsManagedSseEnabled !== true)).toEqual([]);
    });

    it('keeps dead letters for the maximum time, encrypted, with TLS only', () => {
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

    it('keeps unannounced records private, and no longer than events', () => {
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

    it('is protected against deletion, unless the policy is DESTROY', () => {
      expect(stacks.stack.terminationProtection).toBe(true);
      const trial = synthesize(makeStacks({ removalPolicy: RemovalPolicy.DESTROY }));
      expect(trial.stacks.stack.terminationProtection).toBe(false);
      for (const table of Object.values(trial.storage.findResources('AWS::DynamoDB::GlobalTable'))) {
        expect(table.DeletionPolicy).toBe('Delete');
        expect(table.Properties.Replicas[0].DeletionProtectionEnabled).toBe(false);
      }
      // A bucket must be empty to be deleted. Only this policy adds the custom resource that empties it.
      trial.storage.resourceCountIs('Custom::S3AutoDeleteObjects', 1);
      template.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
      for (const kind of ['AWS::Lambda::Function', 'AWS::IAM::Role']) template.resourceCountIs(kind, 0);
    });

    it('is deleted with a failed first deployment if the policy says so', () => {
      const kept = synthesize(makeStacks({ removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE }));
      expect(kept.stacks.stack.terminationProtection).toBe(true);
      const tables = Object.values(kept.storage.findResources('AWS::DynamoDB::GlobalTable'));
      expect(tables).toHaveLength(2);
      for (const table of tables) {
        expect(table.DeletionPolicy).toBe('RetainExceptOnCreate');
        // The rollback cannot delete a protected table.
        expect(table.Properties.Replicas[0].DeletionProtectionEnabled).toBe(false);
      }
    });

    it('rejects a policy that tables do not support', () => {
      const removalPolicy = RemovalPolicy.SNAPSHOT;
      expect(() => new TidingsData(new Stack(), 'Data', { removalPolicy })).toThrow(
        expect.objectContaining({
          code: 'TIDINGS_REMOVAL_POLICY_UNKNOWN',
          message: expect.stringMatching(/expected RETAIN, .* got SNAPSHOT/),
        }),
      );
    });
  });
