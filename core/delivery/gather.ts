/**
 * Puts what waited for one subscription into one delivery. Harmless to repeat, whichever member's job comes then: the
 * group's id follows from the oldest that waits, that one is marked last, and a member is marked only if the group carries it.
 */

import { attemptsMade, type Delivery, groupId, openGroup, QUEUE_GRACE } from '../model/delivery.ts';
import { type Clock, type Instant, MINUTE, plus } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { LeaseStore } from '../ports/lease-store.ts';

export interface GatherPorts {
  readonly deliveries: DeliveryStore;
  readonly leases: LeaseStore;
  readonly clock: Clock;
}

/**
 * Events of one message, and deliveries that are looked at for it: more than anybody reads. What is left over is gathered
 * into the next. An item of DynamoDB holds the names of five times as many.
 */
const MAX_EVENTS_PER_MESSAGE = 2000;

/** Gathering takes milliseconds; a process that died in it is waited for this long. */
const LEASE = MINUTE;

/**
 * The delivery to attempt: the one asked for alone, or a group. Undefined when somebody else is gathering, or when a
 * group that was left half gathered has gone out since.
 */
export async function gather(
  { deliveries, leases, clock }: GatherPorts,
  asked: Delivery,
): Promise<Delivery | undefined> {
  const now = clock.now();
  // Named after the delivery, not after the process: two jobs of one process must not gather at the same time either.
  const lease = await leases.acquire(`gather/${asked.subscription}`, asked.id, now, LEASE);
  if (lease === undefined) return undefined;
  try {
    const members = await findMembers(deliveries, asked, now);
    if (members === undefined) return undefined;
    const left = await findUnfinishedGroups(deliveries, members);
    if (left.length > 0) return await finishGroups(deliveries, left, members);
    const [first, ...others] = members;
    if (others.length === 0) return await sendAlone(deliveries, first, now);
    const group = await deliveries.gather(openGroup(members, now), members);
    return isUntried(group) ? group : undefined;
  } finally {
    await leases.release(lease);
  }
}

/** All that wait with it, oldest first, whichever of them was asked for. Undefined when that one does not wait any longer. */
async function findMembers(
  deliveries: DeliveryStore,
  asked: Delivery,
  now: Instant,
): Promise<readonly [Delivery, ...Delivery[]] | undefined> {
  const { subscription, mark, id } = asked;
  const waiting = await deliveries.list({
    status: 'waiting',
    subscription,
    end: 'oldest',
    limit: MAX_EVENTS_PER_MESSAGE,
  });
  const [oldest, ...others] = waiting.filter((one) => one.mark === mark);
  if (oldest !== undefined && waiting.some((one) => one.id === id)) return fitMembers(oldest, others);
  // Younger than all that are read, or not listed yet; or our copy of it is old and it went out with another group, which
  // may be under way this very moment.
  const still: Delivery = { ...asked, dueAt: plus(now, QUEUE_GRACE) };
  if (!(await deliveries.update(asked, still))) return undefined;
  return oldest === undefined ? [still] : fitMembers(oldest, [...others, still]);
}

/** The oldest, and of the others as many as fit with it: a group that was held and let go brings thousands by itself. */
function fitMembers(oldest: Delivery, others: readonly Delivery[]): readonly [Delivery, ...Delivery[]] {
  let room = MAX_EVENTS_PER_MESSAGE - oldest.events.length;
  const isBeyond = ({ events }: Delivery) => {
    room -= events.length;
    return room < 0;
  };
  const end = others.findIndex(isBeyond);
  return [oldest, ...(end === -1 ? others : others.slice(0, end))];
}

interface UnfinishedGroup {
  readonly group: Delivery;
  /** The one it is named after. */
  readonly named: Delivery;
}

/**
 * Killed while it marked, a process leaves the one its group is named after, and others: the group carries them already.
 * Any of them is asked, not the oldest alone: an older one may have come to light since, where clocks differ or a list lags.
 */
async function findUnfinishedGroups(
  deliveries: DeliveryStore,
  members: readonly Delivery[],
): Promise<readonly UnfinishedGroup[]> {
  const groups = await Promise.all(members.map((member) => deliveries.get(groupId(member))));
  return members.flatMap((named, at) => {
    const group = groups[at];
    return group === undefined ? [] : [{ group, named }];
  });
}

/** Marks what those groups carry. One that was not tried yet goes out now; what nobody carries waits for the next time. */
async function finishGroups(
  deliveries: DeliveryStore,
  left: readonly UnfinishedGroup[],
  members: readonly Delivery[],
): Promise<Delivery | undefined> {
  const finished: Delivery[] = [];
  for (const { group, named } of left) {
    // Held and let go since, the group waits among them itself.
    const others = members.filter(({ id }) => id !== named.id && id !== group.id);
    finished.push(await deliveries.gather(group, [named, ...others]));
  }
  return finished.find(isUntried);
}

const isUntried = (group: Delivery) => group.status === 'pending' && attemptsMade(group) === 0;

/** As it was listed, not as the job found it: tick moves what it has just queued, and that copy may be the older one. */
async function sendAlone(deliveries: DeliveryStore, listed: Delivery, now: Instant): Promise<Delivery | undefined> {
  const alone: Delivery = { ...listed, status: 'pending', dueAt: plus(now, QUEUE_GRACE) };
  return (await deliveries.update(listed, alone)) ? alone : undefined;
}
