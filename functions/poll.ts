/** Every minute: polls what is due of every source, and stops in time for the next invocation to go on from there. */

import { SECOND } from '../core/model/time.ts';
import { type AwsContextOptions, lazy, openAwsContext } from '../runtime/aws/context.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { pollAll } from '../runtime/aws/poll.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';
import { openSources } from '../runtime/aws/sources.ts';

/** A request under way is broken off at once; this is for saving the place of a sweep and giving its lease back. */
const MARGIN = 5 * SECOND;

export function createPoll(options?: AwsContextOptions) {
  const open = lazy(() => {
    const aws = openAwsContext(options);
    return { aws, sources: openSources(aws, openSecrets(aws)) };
  });
  return createLambdaHandler('poll', async (_event: unknown, call) => {
    const { aws, sources } = open();
    await pollAll(aws, sources, call, call.stopBefore(MARGIN));
  });
}

export const handler = createPoll();
