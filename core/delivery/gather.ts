/**
 * Gathers the waiting deliveries of one subscription into one. Safe to repeat: the group id is derived from the oldest
 * member, so every member's job finds the same group. Members are marked only if the group carries them, the oldest last.
 */

import { attemptsMade, type Delivery, groupId, openGroup, QUEUE_GRACE } from '../model/delivery.ts';
import { between, type Clock, type Instant, MINUTE, plus } from '../model/time.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { Lease, LeaseStore } from '../ports/lease-store.ts';
import { isTooEarly } from './find-wait.ts';
import { isPostponed } from './retry.ts';
import { type Stale, stale } from './unattempted.ts';

export interface GatherPorts {
  readonly deliveries: DeliveryStore;
  readonly leases: LeaseStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * Events of one message, and deliveries read for it: more than a person reads. The rest goes into the next message. A
 * DynamoDB item has room for five times as many ids.
 */
const MAX_EVENTS_PER_MESSAGE = 2000;

/** Gathering takes milliseconds. After this time a process that died while gathering is replaced. */
const LEASE = MINUTE;

/** Whether a message of now must not contain it: a person snoozed its record. */
type IsSnoozed = (delivery: Delivery) => Promise<boolean>;

export interface GatherOptions {
  /** @default - nothing is snoozed */
  readonly isSnoozed?: IsSnoozed;
  /** Whether a delivery is one of the subscription that has the name now. @default - all are */
  readonly isOwn?: (delivery: Delivery) => boolean;
  /** Former names of the subscription: a process that does not know the new one may gather the same deliveries. */
  readonly formerNames?: readonly string[];
}

/** Which of the waiting deliveries may be part of the message. */
type Included = Pick<GatherOptions, 'isSnoozed'> & Required<Pick<GatherOptions, 'isOwn'>>;

/**
 * Returns the delivery to attempt: the requested one alone, or a group. Stale while another job is gathering, or when a
 * half-gathered group has been sent since.
 */
export async function gather(
  { deliveries, leases, clock, random }: GatherPorts,
  asked: Delivery,
  { isSnoozed, isOwn = () => true, formerNames = [] }: GatherOptions,
): Promise<Delivery | Stale> {
  const now = clock.now();
  // In one order for all: the two names of a rename that is rolled back would block each other.
  const names = [asked.subscription, ...formerNames].toSorted();
  // The holder is this call: neither two jobs of one process nor two jobs of one delivery gather concurrently.
  const holder = `${asked.id} ${random()}`;
  const held: Lease[] = [];
  for (const name of names) {
    const lease = await leases.acquire(`gather/${name}`, holder, now, LEASE);
    if (lease === undefined) break;
    held.push(lease);
  }
  const isAlone = held.length === names.length;
  if (isAlone && held.some(({ isTakenOver }) => isTakenOver)) await finishInterrupted(deliveries, names);
  const delivery = isAlone
    ? await gatherWaiting({ deliveries, clock }, asked, now, { isSnoozed, isOwn })
    : stale('gathering');
  // Not after an error: the next holder must know that the marking may be unfinished.
  for (const lease of held) await leases.release(lease);
  return delivery;
}

async function gatherWaiting(
  { deliveries, clock }: Pick<GatherPorts, 'deliveries' | 'clock'>,
  asked: Delivery,
  now: Instant,
  included: Included,
): Promise<Delivery | Stale> {
  const members = await findMembers(deliveries, asked, now, included);
  if (members === undefined) return stale('changed');
  const unfinished = await findUnfinishedGroups(deliveries, members);
  if (unfinished.length > 0) return await finishGroups(deliveries, unfinished, members);
  // After a long stall another job may hold the lease.
  if (between(now, clock.now()) > LEASE / 2) return stale('gathering');
  const [first, ...others] = members;
  if (others.length === 0) return await sendAlone(deliveries, first, now);
  const group = await deliveries.gather(openGroup(members, now), members);
  return isUntried(group) ? group : stale('gathered');
}

/**
 * A process died while it marked the members of a group. Before anything else is sent, all of them are marked, also those
 * that are held or snoozed now: their events are in the group. The group is found through its first member, which is marked
 * last, and the others through its events, because a list may lag behind.
 */
async function finishInterrupted(deliveries: DeliveryStore, names: readonly string[]): Promise<void> {
  const lists = names.flatMap((subscription) =>
    UNMARKED.map((status) => deliveries.list({ status, subscription, end: 'oldest', limit: MAX_EVENTS_PER_MESSAGE })),
  );
  const unmarked = (await Promise.all(lists)).flat();
  for (const { group, named } of await findUnfinishedGroups(deliveries, unmarked)) {
    const carriers = (await mapInPages(group.events, (event) => deliveries.listByEvent(event, names))).flat();
    const members = new Map(carriers.filter((one) => isUnmarkedMember(group, one)).map((one) => [one.id, one]));
    members.delete(named.id);
    await deliveries.gather(group, [named, ...members.values()]);
  }
}

/** Reads at a time. */
const PAGE_SIZE = 50;

async function mapInPages<T, R>(items: readonly T[], read: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += PAGE_SIZE) {
    results.push(...(await Promise.all(items.slice(start, start + PAGE_SIZE).map(read))));
  }
  return results;
}

const UNMARKED = ['waiting', 'held'] as const;

function isUnmarkedMember(group: Delivery, { status, mark, person }: Delivery): boolean {
  return UNMARKED.some((one) => one === status) && mark === group.mark && person === group.person;
}

/** All deliveries that wait with the requested one, oldest first. Undefined if that one is no longer waiting. */
async function findMembers(
  deliveries: DeliveryStore,
  asked: Delivery,
  now: Instant,
  { isSnoozed, isOwn }: Included,
): Promise<readonly [Delivery, ...Delivery[]] | undefined> {
  const { subscription, mark, person, id } = asked;
  const waiting = await deliveries.list({
    status: 'waiting',
    subscription,
    end: 'oldest',
    limit: MAX_EVENTS_PER_MESSAGE,
  });
  const ready = waiting.filter((one) => one.mark === mark && one.person === person && isOwn(one) && isReady(one, now));
  const snoozed = await Promise.all(ready.map(async (one) => isSnoozed !== undefined && (await isSnoozed(one))));
  const [oldest, ...others] = ready.filter((_, at) => snoozed[at] !== true);
  if (oldest !== undefined && waiting.some((one) => one.id === id)) return fitMembers(oldest, others);
  // It is newer than everything listed, or the list lags; or our copy is stale and it was sent with another group. The
  // conditional update shows which.
  const still: Delivery = { ...asked, dueAt: plus(now, QUEUE_GRACE) };
  if (!(await deliveries.update(asked, still))) return undefined;
  return oldest === undefined ? [still] : fitMembers(oldest, [...others, still]);
}

/** Whether a message of now may contain it. The delivery of the next open digest waits for its own day. */
function isReady(delivery: Delivery, now: Instant): boolean {
  const isLater = delivery.standing !== undefined && isPostponed(delivery, now);
  return !isLater && !isTooEarly(delivery, now);
}

/** The oldest member and as many others as fit: a group that was held and released may bring thousands of events. */
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
  /** The member that the group id is derived from. */
  readonly named: Delivery;
}

/**
 * A process that dies while marking leaves members that a stored group already carries. Every member is checked, not the
 * oldest alone: with clock skew or a lagging list, an older one may have appeared since.
 */
async function findUnfinishedGroups(
  deliveries: DeliveryStore,
  members: readonly Delivery[],
): Promise<readonly UnfinishedGroup[]> {
  const groups = await mapInPages(members, (member) => deliveries.get(groupId(member)));
  return members.flatMap((named, at) => {
    const group = groups[at];
    return group === undefined ? [] : [{ group, named }];
  });
}

/** Marks the members of those groups. A group without an attempt is sent now; other members wait for the next run. */
async function finishGroups(
  deliveries: DeliveryStore,
  unfinished: readonly UnfinishedGroup[],
  members: readonly Delivery[],
): Promise<Delivery | Stale> {
  const finished: Delivery[] = [];
  for (const { group, named } of unfinished) {
    // A group that was held and released waits among the members itself.
    const others = members.filter(({ id }) => id !== named.id && id !== group.id);
    finished.push(await deliveries.gather(group, [named, ...others]));
  }
  return finished.find(isUntried) ?? stale('gathered');
}

const isUntried = (group: Delivery) => group.status === 'pending' && attemptsMade(group) === 0;

/** Conditional on the listed copy, not the job's: tick postpones what it queues, so the job's copy may be older. */
async function sendAlone(deliveries: DeliveryStore, listed: Delivery, now: Instant): Promise<Delivery | Stale> {
  const alone: Delivery = { ...listed, status: 'pending', dueAt: plus(now, QUEUE_GRACE) };
  return (await deliveries.update(listed, alone)) ? alone : stale('changed');
}
