/** Derives events from the commits: a function on the stream of the snapshots. What it cannot announce is kept whole. */

import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, MetricType, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { STREAM_FILTER } from '../adapters/dynamodb/tables.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { nagFindingArn } from './nag-finding-arn.ts';
import { acknowledgeSynchronousCalls, TidingsFunction } from './tidings-function.ts';

/** Where Lambda puts what a stream's function could not do. It chooses the names. */
const FAILED_BATCH_KEYS = 'aws/lambda/*';

export class Announcer extends Construct {
  readonly handler: TidingsFunction;
  /** Names it in the metrics of what it carries. */
  readonly mappingId: string;

  constructor(scope: Construct, id: string, { settings }: { readonly settings: DeploymentSettings }) {
    super(scope, id);
    const { snapshots, unannounced } = settings.data;
    const streamArn = snapshots.table.tableStreamArn ?? '';
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'announce',
      description: 'Tidings: derives events from commits and opens their deliveries',
      // A hundred transitions are matched against every subscription, and written at once.
      memorySize: 1024,
      timeout: Duration.minutes(1),
    });
    this.grantReadStream(streamArn);
    this.grantWriteFailed(unannounced);
    const mapping = new EventSourceMapping(this, 'Feed', {
      target: this.handler,
      eventSourceArn: streamArn,
      // What was committed before the first deployment was over is news as well.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      // Records keep their order each for itself; ten at a time let a bulk edit through in seconds.
      parallelizationFactor: 10,
      // What is named comes again with all that is behind it; only a call that fell over is halved. See announceBatch.
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // An outage of the ledger outlasts a few tries. But a record that can never be announced must not hold up those
      // behind it for the day that the stream keeps them. No bound on age: what waited since before a pause is news too.
      retryAttempts: 100,
      enabled: !settings.paused,
      filters: [FilterCriteria.filter(structuredClone(STREAM_FILTER))],
      onFailure: { bind: () => ({ destination: unannounced.bucketArn }) },
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
    });
    // Lambda looks whether it may write there when the mapping is made.
    mapping.node.addDependency(this.handler.role ?? this.handler);
    this.mappingId = mapping.eventSourceMappingId;
    acknowledgeSynchronousCalls(this.handler, 'the stream');
  }

  private grantReadStream(streamArn: string): void {
    const actions = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
    this.handler.addToRolePolicy(new PolicyStatement({ actions, resources: [streamArn] }));
    this.handler.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
    this.acknowledgeWildcard('*', 'ListStreams takes no resource, and tells the names of streams only.');
  }

  private grantWriteFailed(bucket: Bucket): void {
    const [put, list] = [['s3:PutObject'], ['s3:ListBucket']];
    const objects = bucket.arnForObjects(FAILED_BATCH_KEYS);
    this.handler.addToRolePolicy(new PolicyStatement({ actions: put, resources: [objects] }));
    this.handler.addToRolePolicy(new PolicyStatement({ actions: list, resources: [bucket.bucketArn] }));
    // After references were settled and before cdk-nag looks: what another stack's bucket is called is not known now.
    this.node.addValidation({
      validate: () => {
        this.acknowledgeWildcard(
          nagFindingArn(Stack.of(this), objects),
          'Lambda chooses the names of what it puts there.',
        );
        return [];
      },
    });
  }

  private acknowledgeWildcard(resource: string, reason: string): void {
    const role = this.handler.role ?? this.handler;
    acknowledgeNagRules(role, { [`AwsSolutions-IAM5[Resource::${resource}]`]: reason });
  }
}
