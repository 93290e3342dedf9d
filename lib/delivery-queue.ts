/** The queue of delivery attempts that are due. A fair queue: the group of a job is its subscription, so a busy one does not delay the others. */

import { Duration } from 'aws-cdk-lib';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { FUNCTION_SIZES } from './function-sizes.ts';

/** Six times the function's timeout, as AWS recommends for Lambda. */
const VISIBILITY_TIMEOUT = Duration.seconds(6 * FUNCTION_SIZES.deliver.timeoutSeconds);

/** Failures of receivers are recorded in the ledger. A job received this often hits a bug or an outage of ours. */
const MAX_RECEIVES = 5;

export class DeliveryQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { deadLetters }: { readonly deadLetters: IQueue }) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: VISIBILITY_TIMEOUT,
      // The agenda holds every due attempt, and tick re-queues what was not attempted: older jobs are duplicates.
      retentionPeriod: Duration.days(1),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
  }
}
