/**
 * Encodes a request to open late deliveries as the JSON body of an SQS message, and decodes it. Such messages share the queue of attempts.
 * Earlier versions cannot read them, and leave them on the queue.
 */

import type { LateDeliveries } from '../../core/events/late-deliveries.ts';
import { readJsonObject } from '../../core/model/json.ts';

export const encodeLate = (open: LateDeliveries): string => JSON.stringify({ open });

/** Undefined for any other message. */
export function decodeLate(body: string): LateDeliveries | undefined {
  if (!body.startsWith('{"open":')) return undefined;
  const { open } = readJsonObject(body) ?? {};
  const { event, owner, subscriptions } = (open ?? {}) as Partial<Record<keyof LateDeliveries, unknown>>;
  if (typeof event !== 'string' || typeof owner !== 'string' || !Array.isArray(subscriptions)) return undefined;
  return { event, owner, subscriptions: subscriptions.filter((name) => typeof name === 'string') };
}
