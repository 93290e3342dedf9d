/**
 * Lambda entry of `poll`, invoked every minute: polls what is due, and stops in time to save its progress. With several sources the
 * minute's invocation only finds those that are due, and a queue invokes the function with them.
 */

import { dynamoDocumentStore } from '../adapters/dynamodb/document-store.ts';
import { SECOND } from '../core/model/time.ts';
import type { AwsContextOptions } from '../runtime/aws/context.ts';
import { dispatchPolls, isPollBatch, openPollQueues, readPollBatch } from '../runtime/aws/dispatch-polls.ts';
import { createLambdaHandler, describeError, type Invocation } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';
import { pollAll, pollSome } from '../runtime/aws/poll.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';
import { openSources } from '../runtime/aws/sources.ts';
import { openWithSources } from '../runtime/aws/stored-sources.ts';
import { openTracer } from '../runtime/aws/tracing.ts';
import { commitVerification } from '../runtime/aws/verification.ts';

/** Reserved for saving the progress of a sweep and releasing its lease. Requests in flight are aborted. */
const SHUTDOWN_MARGIN = 5 * SECOND;

export function createPoll(options?: AwsContextOptions) {
  const open = openWithSources(options, (aws) => {
    const documents = dynamoDocumentStore(openLedger(aws).table);
    return {
      aws,
      documents,
      sources: openSources(aws, openSecrets(aws)),
      queues: openPollQueues(aws),
      tracer: openTracer(aws),
    };
  });
  const poll = async (event: unknown, call: Invocation) => {
    const { aws, documents, sources, queues } = await open();
    const signal = call.stopBefore(SHUTDOWN_MARGIN);
    if (isPollBatch(event)) {
      await pollSome(aws, sources, readPollBatch(event.Records, aws, call), call, signal);
      return;
    }
    try {
      const verification = await commitVerification({ ...aws, documents });
      if (verification !== undefined) call.log.info('committed a verification', { verification });
    } catch (error) {
      // It must not keep the sources from being polled. The next poll tries it again.
      call.log.warn('verification failed', { error: describeError(error) });
    }
    if (queues === undefined) await pollAll(aws, sources, call, signal);
    else await dispatchPolls(aws, sources, queues, call);
  };
  return createLambdaHandler('poll', poll, async () => (await open()).tracer);
}

export const handler = createPoll();
