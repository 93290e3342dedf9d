/** Retries work that AWS denies: permissions that a deployment has just granted take up to half a minute to propagate. */

import { classifyAwsError } from '../../adapters/aws/call.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import { describeError, type Invocation } from './lambda-handler.ts';

/** 31 s in total. */
const WAITS: readonly Duration[] = [1, 2, 4, 8, 16].map((seconds) => seconds * SECOND);

export interface RetryOptions {
  readonly sleep: (millis: Duration) => Promise<unknown>;
  readonly log: Pick<Invocation['log'], 'warn'>;
}

export async function retryWhileDenied<T>(work: () => Promise<T>, { sleep, log }: RetryOptions): Promise<T> {
  for (const wait of WAITS) {
    try {
      return await work();
    } catch (error) {
      if (!isDenied(error)) throw error;
      log.warn('access denied, new permissions may still be propagating', {
        retryInSeconds: wait / SECOND,
        error: describeError(error),
      });
    }
    await sleep(wait);
  }
  return work();
}

/** A store wraps the SDK's error as its cause. */
function isDenied(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return classifyAwsError(error.name) === 'denied' || isDenied(error.cause);
}
