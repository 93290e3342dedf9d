/**
 * Messages that ask for late deliveries to be opened. They share the queue of attempts, in the group of their owner, so that those of one
 * owner do not delay others. Earlier versions cannot read them, and leave them on the queue.
 */

import type { LateDeliveries } from '../../core/events/late-deliveries.ts';
import { readJsonObject } from '../../core/model/json.ts';
import { toGroupId } from './queue.ts';
import { type QueueAccess, sendMessages } from './send-messages.ts';

/** Returns a function that sends them to the queue. */
export function sqsHandOver(queue: QueueAccess): (late: readonly LateDeliveries[]) => Promise<void> {
  return (late) =>
    sendMessages(
      queue,
      late.map((open) => ({ body: JSON.stringify({ open }), group: toGroupId(open.owner) })),
    );
}

/** Undefined for any other message. */
export function decodeLate(body: string): LateDeliveries | undefined {
  if (!body.startsWith('{"open":')) return undefined;
  const { open } = readJsonObject(body) ?? {};
  const { event, owner, subscriptions } = (open ?? {}) as Partial<Record<keyof LateDeliveries, unknown>>;
  if (typeof event !== 'string' || typeof owner !== 'string' || !Array.isArray(subscriptions)) return undefined;
  return { event, owner, subscriptions: subscriptions.filter((name) => typeof name === 'string') };
}
