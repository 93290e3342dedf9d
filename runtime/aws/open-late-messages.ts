/** Opens the late deliveries of a batch of the queue. Unlike an attempt they are not on the agenda: the queue keeps them until then. */

import type { LateDeliveries } from '../../core/events/late-deliveries.ts';
import { RetryLater } from '../../core/model/errors.ts';
import { takeTurns } from '../../core/model/take-turns.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import { describeError, type Invocation } from './lambda-handler.ts';
import type { ExecutionShare } from './share-executions.ts';

/** None is opened with less time left: those of one message take a second or two. */
const MIN_OPENING_TIME: Duration = 10 * SECOND;

export interface LateJobs {
  /** Returns how many deliveries there were. */
  open(late: LateDeliveries): Promise<number>;
  /** Puts them on the queue again. */
  putBack(late: LateDeliveries): Promise<void>;
}

export interface LateMessage {
  readonly id: string;
  readonly late: LateDeliveries;
  /** Whether it was received before. */
  readonly isRepeated: boolean;
}

/** One after the other, beside the attempts of the batch. Owners take turns: those of one may be all but one, and take a second or two each. */
export async function openLateMessages(
  { lateJobs }: { readonly lateJobs?: LateJobs | undefined },
  messages: readonly LateMessage[],
  { signalOf }: ExecutionShare,
  { log, timeLeft }: Invocation,
  fail: (messageId: string, error: unknown) => void,
): Promise<void> {
  const putBack = async (late: LateDeliveries): Promise<boolean> =>
    (await lateJobs?.putBack(late).then(
      () => true,
      () => false,
    )) ?? false;
  for (const { id, late, isRepeated } of takeTurns(messages, ({ late: { owner } }) => owner)) {
    const { event, owner } = late;
    try {
      if (lateJobs === undefined) throw new Error('the config lets nobody subscribe');
      if (timeLeft() < MIN_OPENING_TIME || signalOf(owner)?.aborted === true) {
        await lateJobs.putBack(late);
        continue;
      }
      const deliveries = await lateJobs.open(late);
      log.info('opened late deliveries', { event, owner, deliveries });
    } catch (error) {
      // A new message: during an outage of the tables this one would become a dead letter. The first failure waits on the queue.
      const isBack = error instanceof RetryLater && isRepeated && (await putBack(late));
      if (isBack) log.warn('put back late deliveries', { event, owner, error: describeError(error) });
      else fail(id, error);
    }
  }
}
