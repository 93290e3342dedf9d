/**
 * Everything that must outlive a deployment: the tables, and what could not be worked on. Holds no function, so that a
 * stack of functions can go and come back without it.
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
   * What happens to tables, dead letters and unannounced records when their stack goes. With DESTROY the tables can be
   * deleted too, for trying things out, and the bucket is emptied first, by a function of CDK's that no other deployment
   * has. With RETAIN_ON_UPDATE_OR_DELETE they are kept but not guarded, so that a first deployment that fails takes them
   * away. SNAPSHOT is refused: tables do not have it.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** SQS keeps nothing longer: two weeks to come back from a holiday. */
const DEAD_LETTERS_KEPT = Duration.days(14);

/** Records that could not be announced hold people's data: no longer than events are kept by default. */
const UNANNOUNCED_KEPT = Duration.days(90);

export class TidingsData extends Construct {
  readonly snapshots: Snapshots;
  readonly ledger: Ledger;
  /** Jobs that were received again and again without an end: our own fault, for a receiver's failure is recorded. */
  readonly deadLetters: Queue;
  /** Minutes in which poll or tick could not be started, or fell over. */
  readonly missedRuns: Queue;
  /** Records of the stream that could not be announced, whole: a queue would get their position only, and that is void after a day. */
  readonly unannounced: Bucket;

  constructor(scope: Construct, id: string, { removalPolicy = RemovalPolicy.RETAIN }: TidingsDataProps = {}) {
    super(scope, id);
    this.snapshots = new Snapshots(this, 'Snapshots', { removalPolicy });
    this.ledger = new Ledger(this, 'Ledger', { removalPolicy });
    this.deadLetters = this.deadLetterQueue('DeadLetters', removalPolicy);
    this.missedRuns = this.deadLetterQueue('MissedRuns', removalPolicy);
    this.unannounced = new Bucket(this, 'Unannounced', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      lifecycleRules: [{ expiration: UNANNOUNCED_KEPT }],
      removalPolicy,
      autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
    });
    acknowledgeNagRules(this.unannounced, {
      'AwsSolutions-S1':
        'Lambda alone writes here, on a failure, and an alarm tells of each time. An access log would be a second bucket for that.',
    });
  }

  private deadLetterQueue(id: string, removalPolicy: RemovalPolicy): Queue {
    const queue = new Queue(this, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_LETTERS_KEPT,
      removalPolicy,
    });
    acknowledgeNagRules(queue, {
      'AwsSolutions-SQS3': 'It is a dead-letter queue.',
      'Serverless-SQSRedrivePolicy': 'It is a dead-letter queue.',
    });
    return queue;
  }
}
