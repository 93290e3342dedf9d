/** What a removed subscription leaves unsent, and how that is reported. */

import { changeHealth } from '../delivery/receivers/subscription-state.ts';
import { formatUnsentCount } from '../model/delivery.ts';
import type { VerbPorts } from './verb-ports.ts';

export interface DroppedBacklog {
  readonly subscription: string;
  /** At most `MAX_UNSENT_COUNT`. */
  readonly deliveries: number;
}

/** `12 unsent deliveries of 'ops'` */
export function describeDropped({ subscription, deliveries }: DroppedBacklog): string {
  return `${formatUnsentCount(deliveries)} unsent ${deliveries === 1 ? 'delivery' : 'deliveries'} of '${subscription}'`;
}

/** Its health says so, which causes the event `subscription.removed`. */
export async function reportDropped(
  ports: Pick<VerbPorts, 'snapshots' | 'clock'>,
  { subscription, deliveries }: DroppedBacklog,
): Promise<void> {
  await changeHealth(ports, subscription, 'person', (before) =>
    before.removedAt === undefined ? { ...before, removedAt: ports.clock.now(), dropped: deliveries } : before,
  );
}
