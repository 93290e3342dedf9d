/**
 * Puts what waited for one subscription into one delivery. Harmless to repeat: the group's id follows from its first
 * member, and a member is marked only if the group carries it.
 */

import { type Delivery, openGroup, QUEUE_GRACE } from '../model/delivery.ts';
import { type Clock, MINUTE, plus } from '../model/time.ts';
import type { Ledger } from '../ports/ledger.ts';

export interface GatherPorts {
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/** More than anybody reads in one message; what is left over is gathered into the next. */
const MOST = 2000;

/** Gathering takes milliseconds; a process that died in it is waited for this long. */
const LEASE = MINUTE;

/** The delivery to attempt: this one alone, or a group it is part of. Undefined when somebody else is gathering. */
export async function gather({ ledger, clock }: GatherPorts, first: Delivery): Promise<Delivery | undefined> {
  const now = clock.now();
  const { subscription } = first;
  // Named after the delivery, not after the process: two jobs of one process must not gather at the same time either.
  const lease = await ledger.acquireLease(`gather/${subscription}`, first.id, now, LEASE);
  if (lease === undefined) return undefined;
  try {
    const waiting = await ledger.deliveries({ status: 'waiting', subscription, end: 'oldest', limit: MOST });
    const others = waiting.filter(({ id, mark }) => id !== first.id && mark === first.mark);
    if (others.length === 0) {
      const alone: Delivery = { ...first, status: 'pending', dueAt: plus(now, QUEUE_GRACE) };
      return (await ledger.changeDelivery(first, alone)) ? alone : undefined;
    }
    const members: [Delivery, ...Delivery[]] = [first, ...others];
    const group = await ledger.gather(openGroup(members, now), members);
    return group.status === 'pending' && group.attempts.length === 0 ? group : undefined;
  } finally {
    await ledger.releaseLease(lease);
  }
}
