/** Lambda entry of `poll`, invoked every minute: polls what is due, and stops in time to save its progress. */

import { dynamoDocumentStore } from '../adapters/dynamodb/document-store.ts';
import { SECOND } from '../core/model/time.ts';
import type { AwsContextOptions } from '../runtime/aws/context.ts';
import { createLambdaHandler, describeError } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';
import { pollAll } from '../runtime/aws/poll.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';
import { openSources } from '../runtime/aws/sources.ts';
import { openWithSources } from '../runtime/aws/stored-sources.ts';
import { commitVerification } from '../runtime/aws/verification.ts';

/** Reserved for saving the progress of a sweep and releasing its lease. Requests in flight are aborted. */
const SHUTDOWN_MARGIN = 5 * SECOND;

export function createPoll(options?: AwsContextOptions) {
  const open = openWithSources(options, (aws) => {
    const documents = dynamoDocumentStore(openLedger(aws).table);
    return { aws, documents, sources: openSources(aws, openSecrets(aws)) };
  });
  return createLambdaHandler('poll', async (_event: unknown, call) => {
    const { aws, documents, sources } = await open();
    try {
      const verification = await commitVerification({ ...aws, documents });
      if (verification !== undefined) call.log.info('committed a verification', { verification });
    } catch (error) {
      // It must not keep the sources from being polled. The next poll tries it again.
      call.log.warn('verification failed', { error: describeError(error) });
    }
    await pollAll(aws, sources, call, call.stopBefore(SHUTDOWN_MARGIN));
  });
}

export const handler = createPoll();
