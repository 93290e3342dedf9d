/**
 * Opens late deliveries for `deliver`. A module of its own, loaded only if the config lets keys or Slack channels subscribe: no other
 * subscription has an owner.
 */

import { createEventLoopPace } from '../adapters/event-loop-pace.ts';
import { type OpenLatePorts, openLate } from '../core/events/late-deliveries.ts';
import type { AwsContext } from '../runtime/aws/context.ts';
import type { LateJobs } from '../runtime/aws/open-late-messages.ts';
import { openHandOver, openQueue } from '../runtime/aws/queue.ts';

export function openLateParts(aws: AwsContext, ports: Omit<OpenLatePorts, 'queue'>): LateJobs {
  const queue = openQueue(aws);
  const handOver = openHandOver(aws);
  // The batch also has attempts of others.
  const betweenFilters = createEventLoopPace();
  return { open: (late) => openLate({ ...ports, queue, betweenFilters }, late), putBack: (late) => handOver([late]) };
}
