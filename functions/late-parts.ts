/**
 * Opens late deliveries for `deliver`. A module of its own, loaded only if the config lets keys or Slack channels subscribe: no other
 * subscription has an owner.
 */

import { type LateDeliveries, type OpenLatePorts, openLate } from '../core/events/late-deliveries.ts';
import type { AwsContext } from '../runtime/aws/context.ts';
import { openQueue } from '../runtime/aws/queue.ts';

/** Returns a function that opens them, and returns how many there were. */
export function openLateParts(aws: AwsContext, ports: Omit<OpenLatePorts, 'queue'>) {
  const queue = openQueue(aws);
  return (late: LateDeliveries) => openLate({ ...ports, queue }, late);
}
