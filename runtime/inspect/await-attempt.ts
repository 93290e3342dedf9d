/** Waits for somebody else to make an attempt at a delivery, by looking now and then. Makes none itself. */

import type { Delivered } from '../../core/delivery/deliver.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import type { Ledger } from '../../core/ports/ledger.ts';
import { createBell } from '../embedded/signal.ts';

export interface AwaitOptions {
  readonly stop: AbortSignal;
  /** @default 30 s */
  readonly wait?: Duration;
  /** Between two looks. @default 0.5 s */
  readonly every?: Duration;
}

/** Undefined when none was recorded in time. */
export async function awaitAttempt(
  ledger: Pick<Ledger, 'delivery' | 'eventsById'>,
  id: string,
  { stop, wait = 30 * SECOND, every = SECOND / 2 }: AwaitOptions,
): Promise<Delivered | undefined> {
  const until = performance.now() + wait;
  const bell = createBell();
  for (;;) {
    const delivery = await ledger.delivery(id);
    const attempt = delivery?.attempts.at(-1);
    if (delivery !== undefined && attempt !== undefined) {
      return { delivery, attempt, events: await ledger.eventsById(delivery.events) };
    }
    if (stop.aborted || performance.now() + every > until) return undefined;
    await bell.wait(every, stop);
  }
}
