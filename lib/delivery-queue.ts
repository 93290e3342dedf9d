/** The queue of attempts to make now. Fair: jobs carry their subscription as group, and a crowded one waits for itself. */

import { Duration } from 'aws-cdk-lib';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** An attempt takes 15 s at the most; the rest is for a batch whose receiver wants one message a second. */
export const DELIVER_TIMEOUT = Duration.minutes(1);

/** Six times the function's timeout, as Lambda wants it: its own tries of a batch happen within. */
const VISIBILITY_TIMEOUT = Duration.seconds(6 * DELIVER_TIMEOUT.toSeconds());

/** Receivers' failures end in the ledger. What comes back this often meets a fault of ours. */
const MAX_RECEIVES = 5;

export class DeliveryQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { deadLetters }: { readonly deadLetters: IQueue }) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: VISIBILITY_TIMEOUT,
      // The agenda knows every attempt that is due: a job nobody took in a day has long been put here again.
      retentionPeriod: Duration.days(1),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
  }
}
