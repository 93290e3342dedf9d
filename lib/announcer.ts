/** The `announce` function on the stream of the snapshots table: derives events from commits. Records it cannot process are stored in a bucket. */

import { Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, MetricType, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { STREAM_FILTER } from '../adapters/dynamodb/tables.ts';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import type { DeploymentSettings } from './deployment-settings.ts';
import { nagFindingArn } from './nag-finding-arn.ts';
import { acknowledgeSynchronousCalls, TidingsFunction } from './tidings-function.ts';

/** Keys under which Lambda stores failed batches. Lambda chooses the names. */
const FAILED_BATCH_KEYS = 'aws/lambda/*';

export interface AnnouncerProps {
  readonly settings: DeploymentSettings;
  /** Concurrent invocations of deliver. An account with few gets fewer of announce as well. */
  readonly maxConcurrency: number;
  /** Batches per shard in parallel. @default - half of maxConcurrency, up to ten */
  readonly announceParallelism?: number | undefined;
}

/** Order is kept per record. Ten concurrent batches per shard, the maximum, process a bulk edit within seconds. */
const MAX_BATCHES_PER_SHARD = 10;

export class Announcer extends Construct {
  readonly handler: TidingsFunction;
  /** Id of the event source mapping, a dimension of its metrics. */
  readonly mappingId: string;

  constructor(scope: Construct, id: string, { settings, maxConcurrency, announceParallelism }: AnnouncerProps) {
    super(scope, id);
    const { snapshots, unannounced } = settings.data;
    const streamArn = snapshots.table.tableStreamArn ?? '';
    this.handler = new TidingsFunction(this, 'Function', {
      settings,
      name: 'announce',
      description: 'Tidings: derives events from changes and opens their deliveries',
    });
    this.grantReadStream(streamArn);
    this.grantWriteFailed(unannounced);
    const mapping = new EventSourceMapping(this, 'Feed', {
      target: this.handler,
      eventSourceArn: streamArn,
      // Also announce changes committed while the first deployment was still running.
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      parallelizationFactor: announceParallelism ?? batchesPerShard(maxConcurrency),
      // A reported failure repeats from that record on; only an invocation that throws is bisected. See announceBatch.
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // Enough to outlast an outage of the ledger, but a record that always fails must not block its shard for the 24
      // hours that the stream keeps it. No age limit: changes from before a pause are announced too.
      retryAttempts: 100,
      enabled: settings.paused !== true,
      filters: [FilterCriteria.filter(structuredClone(STREAM_FILTER))],
      onFailure: { bind: () => ({ destination: unannounced.bucketArn }) },
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
    });
    // Lambda checks the write permission when it creates the mapping.
    mapping.node.addDependency(this.handler.role ?? this.handler);
    this.mappingId = mapping.eventSourceMappingId;
    acknowledgeSynchronousCalls(this.handler, 'the stream');
  }

  private grantReadStream(streamArn: string): void {
    const actions = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
    this.handler.addToRolePolicy(new PolicyStatement({ actions, resources: [streamArn] }));
    this.handler.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
    this.acknowledgeWildcard('*', 'ListStreams does not support resources, and returns only names of streams.');
  }

  private grantWriteFailed(bucket: Bucket): void {
    const [put, list] = [['s3:PutObject'], ['s3:ListBucket']];
    const objects = bucket.arnForObjects(FAILED_BATCH_KEYS);
    this.handler.addToRolePolicy(new PolicyStatement({ actions: put, resources: [objects] }));
    this.handler.addToRolePolicy(new PolicyStatement({ actions: list, resources: [bucket.bucketArn] }));
    // A validation runs after references are resolved and before cdk-nag: only then the name of a bucket in another stack is known.
    this.node.addValidation({
      validate: () => {
        this.acknowledgeWildcard(nagFindingArn(Stack.of(this), objects), 'Lambda chooses the names of the objects.');
        return [];
      },
    });
  }

  private acknowledgeWildcard(resource: string, reason: string): void {
    const role = this.handler.role ?? this.handler;
    acknowledgeNagRules(role, { [`AwsSolutions-IAM5[Resource::${resource}]`]: reason });
  }
}

/** Half of deliver's concurrency. A stream has no limit for all shards, and a new table has several. */
function batchesPerShard(maxConcurrency: number): number {
  if (Token.isUnresolved(maxConcurrency)) return MAX_BATCHES_PER_SHARD;
  return Math.max(1, Math.min(MAX_BATCHES_PER_SHARD, Math.floor(maxConcurrency / 2)));
}
