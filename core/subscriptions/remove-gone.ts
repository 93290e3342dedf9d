/** Removes a subscription whose receiver answered 410 Gone, if it was made as a REST hook. Others are disabled. */

import { UsageError } from '../model/errors.ts';
import { isSameValue } from '../model/json.ts';
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
