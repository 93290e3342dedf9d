/**
 * The queue of delivery attempts that are due. A fair queue: the group of a job is the key or the Slack channel that
 * made its subscription, else the subscription itself, so that one of them does not delay the others.
 */

import { Duration } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IQueue, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { FUNCTION_SIZES } from './function-sizes.ts';

/** Six times the function's timeout, as AWS recommends for Lambda. */
const VISIBILITY_TIMEOUT = Duration.seconds(6 * FUNCTION_SIZES.deliver.timeoutSeconds);

/** Failures of receivers are recorded in the ledger. A job received this often hits a bug or an outage of ours. */
const MAX_RECEIVES = 5;

interface DeliveryQueueProps {
  readonly deadLetters: IQueue;
  /** @default - a key of SQS */
  readonly encryptionKey?: IKey | undefined;
}

/** The keys of SQS are free of charge. */
export function queueEncryption(encryptionKey?: IKey): Pick<QueueProps, 'encryption' | 'encryptionMasterKey'> {
  return encryptionKey === undefined
    ? { encryption: QueueEncryption.SQS_MANAGED }
    : { encryption: QueueEncryption.KMS, encryptionMasterKey: withoutGrants(encryptionKey) };
}

/**
 * A queue would let each of its readers decrypt with the key by itself, whatever it encrypts. Who needs the key gets it through the
 * services alone, see `useOfKey`.
 */
function withoutGrants(key: IKey): IKey {
  const drop = (grantee: IGrantable) => Grant.drop(grantee, 'useOfKey grants it');
  return Object.assign(Object.create(key), {
    ...{ grant: drop, grantDecrypt: drop, grantEncrypt: drop, grantEncryptDecrypt: drop },
  }) as IKey;
}

export class DeliveryQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { deadLetters, encryptionKey }: DeliveryQueueProps) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      ...queueEncryption(encryptionKey),
      enforceSSL: true,
      visibilityTimeout: VISIBILITY_TIMEOUT,
      // The agenda holds every due attempt, and tick re-queues what was not attempted: older jobs are duplicates. Late deliveries are
      // on the queue alone, and outlast a pause of a few days. Less than dead letters are kept, whose age counts from here.
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
  }
}
