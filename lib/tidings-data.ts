/**
 * Everything that must outlive the functions: tables, dead-letter queues and the bucket of failed records. Contains no
 * function, so that the stack of functions can be deleted and created again without it.
 */

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
import { queueEncryption } from './delivery-queue.ts';
import { Ledger } from './ledger.ts';
import { Snapshots } from './snapshots.ts';

export interface TidingsDataProps {
  /**
   * What happens to tables, dead letters and unannounced records when the stack is deleted. DESTROY also empties the
   * bucket, with a custom resource of CDK: for experiments. RETAIN_ON_UPDATE_OR_DELETE retains them without deletion
   * protection, so that a failed first deployment removes them. SNAPSHOT is refused: tables do not support it.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * ARN of the KMS key that encrypts tables, queues and the bucket.
   *
   * @default - keys of AWS
   */
  readonly encryptionKeyArn?: string;

  /**
   * Tables that exist, for example restored ones, in place of new ones. They must have the keys and indexes that docs/tables.md
   * describes, and the snapshots a stream with old and new images. CDK neither changes nor deletes them.
   *
   * @default - tables of this construct
   */
  readonly tables?: ExistingTables;
}

/** ARNs of tables that this app does not create. */
export interface ExistingTables {
  readonly snapshotsArn: string;
  /** The stream of the snapshots. */
  readonly snapshotsStreamArn: string;
  readonly ledgerArn: string;
}

/** The maximum of SQS. */
const DEAD_LETTER_RETENTION = Duration.days(14);

/** The records contain personal data: the same as the default retention of events. */
const UNANNOUNCED_RETENTION = Duration.days(90);

export class TidingsData extends Construct {
  readonly snapshots: Snapshots;
  readonly ledger: Ledger;
  /** Jobs that failed repeatedly because of a bug or outage of ours. Failures of receivers are recorded in the ledger. */
  readonly deadLetters: Queue;
  /** Runs of poll or tick that could not be started or failed. */
  readonly missedRuns: Queue;
  /** Stream records that could not be announced. A bucket, because a queue would get only their position in the stream, which expires after a day. */
  readonly unannounced: Bucket;

  constructor(scope: Construct, id: string, props: TidingsDataProps = {}) {
    super(scope, id);
    const { removalPolicy = RemovalPolicy.RETAIN, encryptionKeyArn, tables } = props;
    const encryptionKey = encryptionKeyArn === undefined ? undefined : Key.fromKeyArn(this, 'Key', encryptionKeyArn);
    this.snapshots = new Snapshots(this, 'Snapshots', {
      removalPolicy,
      encryptionKey,
      existing: tables && { tableArn: tables.snapshotsArn, tableStreamArn: tables.snapshotsStreamArn },
    });
    this.ledger = new Ledger(this, 'Ledger', {
      removalPolicy,
      encryptionKey,
      existing: tables && { tableArn: tables.ledgerArn },
    });
    this.deadLetters = this.createDeadLetterQueue('DeadLetters', removalPolicy, encryptionKey);
    this.missedRuns = this.createDeadLetterQueue('MissedRuns', removalPolicy, encryptionKey);
    this.unannounced = new Bucket(this, 'Unannounced', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      ...(encryptionKey === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryption: BucketEncryption.KMS, encryptionKey, bucketKeyEnabled: true }),
      enforceSSL: true,
      lifecycleRules: [{ expiration: UNANNOUNCED_RETENTION }],
      removalPolicy,
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    });
    acknowledgeNagRules(this.unannounced, {
      'AwsSolutions-S1':
        'Only Lambda writes here, after a failure, and each write raises an alarm. An access log would need a second bucket.',
    });
  }

  private createDeadLetterQueue(id: string, removalPolicy: RemovalPolicy, encryptionKey?: IKey): Queue {
    const queue = new Queue(this, id, {
      ...queueEncryption(encryptionKey),
      enforceSSL: true,
      retentionPeriod: DEAD_LETTER_RETENTION,
      removalPolicy,
    });
    acknowledgeNagRules(queue, {
      'AwsSolutions-SQS3': 'It is a dead-letter queue.',
      'Serverless-SQSRedrivePolicy': 'It is a dead-letter queue.',
    });
    return queue;
  }
}
