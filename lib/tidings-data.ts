/**
 * Everything that must outlive the functions: tables, dead-letter queues and the bucket of failed records. Contains no
 * function, so that the stack of functions can be deleted and created again without it.
 */

import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledgeNagRules } from './acknowledge-nag-rules.ts';
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

  constructor(scope: Construct, id: string, { removalPolicy = RemovalPolicy.RETAIN }: TidingsDataProps = {}) {
    super(scope, id);
    this.snapshots = new Snapshots(this, 'Snapshots', { removalPolicy });
    this.ledger = new Ledger(this, 'Ledger', { removalPolicy });
    this.deadLetters = this.createDeadLetterQueue('DeadLetters', removalPolicy);
    this.missedRuns = this.createDeadLetterQueue('MissedRuns', removalPolicy);
    this.unannounced = new Bucket(this, 'Unannounced', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
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

  private createDeadLetterQueue(id: string, removalPolicy: RemovalPolicy): Queue {
    const queue = new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
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
