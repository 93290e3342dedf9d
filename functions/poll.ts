/** Lambda entry of `poll`, invoked every minute: polls what is due, and stops in time to save its progress. */

import { SECOND } from '../core/model/time.ts';
import { type AwsContextOptions, lazy, openAwsContext } from '../runtime/aws/context.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { pollAll } from '../runtime/aws/poll.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';
import { openSources } from '../runtime/aws/sources.ts';

/** Reserved for saving the progress of a sweep and releasing its lease. Requests in flight are aborted. */
const SHUTDOWN_MARGIN = 5 * SECOND;

export function createPoll(options?: AwsContextOptions) {
  const open = lazy(() => {
    const aws = openAwsContext(options);
    return { aws, sources: openSources(aws, openSecrets(aws)) };
  });
  return createLambdaHandler('poll', async (_event: unknown, call) => {
    const { aws, sources } = open();
    await pollAll(aws, sources, call, call.stopBefore(SHUTDOWN_MARGIN));
  });
}

export const handler = createPoll();
