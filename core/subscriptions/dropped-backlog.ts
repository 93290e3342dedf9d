/** What a removed subscription leaves unsent, and how that is reported. */

import { changeHealth } from '../delivery/receivers/subscription-state.ts';
import { formatUnsentCount } from '../model/delivery.ts';
import type { VerbPorts } from './verb-ports.ts';

export interface DroppedBacklog {
  readonly subscription: string;
  /** At most `MAX_UNSENT_COUNT`. */
  readonly deliveries: number;
  /** The key or channel that owns it, if the config declares the name with another receiver. @default - the config has no subscription of the name */
  readonly replacedOf?: string;
}

/** `12 unsent deliveries of 'ops'` */
export function describeDropped({ subscription, deliveries }: DroppedBacklog): string {
  return `${formatUnsentCount(deliveries)} unsent ${deliveries === 1 ? 'delivery' : 'deliveries'} of '${subscription}'`;
}

/** Why a config drops it. */
export function describeDropCause({ replacedOf }: DroppedBacklog): string {
  return replacedOf === undefined
    ? 'the config no longer declares it'
    : `it belongs to '${replacedOf}', and the config declares another receiver under its name`;
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
