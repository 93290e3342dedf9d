/** Removes a subscription whose receiver answered 410 Gone, if it was made as a REST hook. Others are disabled. */

import { UsageError } from '../model/errors.ts';
import { isSameValue } from '../model/json.ts';
import type { Pace } from '../model/pace.ts';
import type { Subscription } from '../model/subscription.ts';
import type { RemovalPorts } from './verb-ports.ts';
import { removeSubscription } from './verbs.ts';

/** @param attempted the subscription that the attempt was made for: one that has another receiver by now stays */
export async function removeGone(ports: RemovalPorts, attempted: Subscription): Promise<void> {
  const { name, to } = attempted;
  if (attempted.removeWhenGone !== true) return;
  const isUnchanged = (stored: Subscription) => !stored.declared && isSameValue(stored.to, to);
  const stored = await ports.subscriptions.get(name);
  if (stored === undefined || !isUnchanged(stored)) return;
  try {
    await removeSubscription(ports, { kind: 'receiver', id: name }, name, {
      assertAllowed: (latest) => {
        if (!isUnchanged(latest)) throw new UsageError('TIDINGS_API_CHANGED', `subscription '${name}' was changed`);
      },
      details: { because: '410 Gone' },
      // The receiver asks for no more messages.
      reportsUnsent: false,
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
}

/** The same, one after the other: hundreds of receivers may answer in the same moment, and each removal is a write that waits for the disk. */
export function createGoneRemover(ports: RemovalPorts, betweenRemovals: Pace) {
  let last: Promise<unknown> = Promise.resolve();
  return (attempted: Subscription): Promise<void> => {
    if (attempted.removeWhenGone !== true) return Promise.resolve();
    const removed = last.then(() => removeGone(ports, attempted));
    last = removed.then(betweenRemovals, betweenRemovals);
    return removed;
  };
}
