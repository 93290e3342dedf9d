/** Every minute: polls what is due of every source, and stops in time for the next invocation to go on from there. */

import { SECOND } from '../core/model/time.ts';
import { type AwsOptions, lazy, openAws } from '../runtime/aws/context.ts';
import { lambda } from '../runtime/aws/lambda.ts';
import { pollAll } from '../runtime/aws/poll.ts';
import { secretsOf } from '../runtime/aws/secrets.ts';
import { sourcesOf } from '../runtime/aws/sources.ts';

/** A request under way is broken off at once; this is for saving the place of a sweep and giving its lease back. */
const MARGIN = 5 * SECOND;

export function createPoll(options?: AwsOptions) {
  const open = lazy(() => {
    const aws = openAws(options);
    return { aws, sources: sourcesOf(aws, secretsOf(aws)) };
  });
  return lambda('poll', async (_event: unknown, call) => {
    const { aws, sources } = open();
    await pollAll(aws, sources, call, call.stopBefore(MARGIN));
  });
}

export const handler = createPoll();
