/**
 * Moves what belongs to a renamed subscription to its new name: its health, with muted addresses, and its deliveries that
 * are not finished. Every step may be repeated, so a move that was interrupted is finished by the next one.
 */

import { type Delivery, MAX_UNSENT_COUNT } from '../../model/delivery.ts';
import { findSuccessor } from '../../model/former-names.ts';
import { isSameValue } from '../../model/json.ts';
import { incarnationOf, type Subscription } from '../../model/subscription.ts';
import { between, type Instant, MINUTE } from '../../model/time.ts';
import type { DeliveryStore } from '../../ports/delivery-store.ts';
import type { SubscriptionStore } from '../../ports/subscription-store.ts';
import { readPages } from '../read-pages.ts';
import { HEALTHY } from './health.ts';
import type { Health } from './health-state.ts';
import { changeHealth, type HealthPorts, readFreshHealth } from './subscription-state.ts';

export interface RenamePorts extends HealthPorts {
  readonly deliveries: DeliveryStore;
}

/** Deliveries that a rename moves. Finished ones stay under the old name, as history. */
const MOVED_STATUSES = ['waiting', 'pending', 'held', 'failed'] as const;

/** Deliveries that a removed subscription leaves unsent. */
const UNSENT_STATUSES = ['waiting', 'pending', 'held'] as const;

/** Returns the number of deliveries moved. */
export async function moveBacklog(ports: RenamePorts, from: string, to: Subscription): Promise<number> {
  const { deliveries } = ports;
  const incarnation = incarnationOf(to);
  await moveHealth(ports, from, to.name);
  let moved = 0;
  for (const status of MOVED_STATUSES) {
    for (let count = Number.POSITIVE_INFINITY; count > 0; ) {
      // Some may have been opened since the last round. What is still left when it is due follows then.
      count = 0;
      for await (const page of readPages(deliveries, { status, subscription: from })) {
        const outcomes = await Promise.all(page.map((delivery) => deliveries.rename(delivery, to.name, incarnation)));
        count += outcomes.filter(Boolean).length;
      }
      moved += count;
    }
  }
  return moved;
}

/** Before the deliveries, so that those of a paused subscription are not sent under its new name. Causes no event. */
async function moveHealth(ports: HealthPorts, from: string, to: string): Promise<void> {
  if (await copyHealth(ports, from, to)) await changeHealth(ports, from, 'baseline', () => HEALTHY);
}

/** Returns whether there was something to copy. Causes no event. */
export async function copyHealth(ports: HealthPorts, from: string, to: string): Promise<boolean> {
  const old = await readFreshHealth(ports, from);
  if (isDefault(old)) return false;
  await changeHealth(ports, to, 'baseline', (before) => {
    const muted = union(before.muted, old.muted);
    const after = isDefault({ ...before, muted: [] }) ? { ...old, muted } : { ...before, muted };
    return isSameValue(before, after) ? before : after;
  });
  return true;
}

function isDefault(health: Health): boolean {
  return isSameValue(health, HEALTHY);
}

const union = (a: readonly string[], b: readonly string[]) => [...new Set([...a, ...b])];

interface LookUp {
  readonly at: Instant;
  readonly found: Promise<Subscription | undefined>;
}

/** By name, of each store: a look-up reads all subscriptions, and one that was removed may leave thousands of deliveries. */
const lookUps = new WeakMap<object, Map<string, LookUp>>();

/** How long the look-up of a name that was not renamed is valid: a renamed subscription is stored before its old name is removed. */
const LOOK_UP_EVERY = MINUTE;
const MAX_LOOK_UPS = 1_000;

/** The subscription that a name has become; undefined if none was renamed from it. For names that no subscription has. */
export async function findRenamed(
  subscriptions: Pick<SubscriptionStore, 'list'>,
  name: string,
  now: Instant,
): Promise<Subscription | undefined> {
  const known = lookUps.get(subscriptions) ?? new Map<string, LookUp>();
  lookUps.set(subscriptions, known);
  const last = known.get(name);
  if (last !== undefined && Math.abs(between(last.at, now)) < LOOK_UP_EVERY) return last.found;
  if (known.size >= MAX_LOOK_UPS) known.clear();
  const found = listInTurn(subscriptions).then((all) => findSuccessor(all, name, now));
  known.set(name, { at: now, found });
  // What was found may change, and what failed is tried again.
  const forget = () => known.delete(name);
  found.then((renamed) => renamed !== undefined && forget(), forget);
  return found;
}

interface ListTurn {
  readonly running: Promise<unknown>;
  /** The list after it, for all who came meanwhile. */
  next?: Promise<readonly Subscription[]>;
}

/** Of each store. */
const turns = new WeakMap<object, ListTurn>();

/**
 * Reads all subscriptions, after the call: an earlier list may lack one that was renamed since. Calls that come while it is read share the
 * next list. A key may remove a thousand subscriptions that have deliveries left, and one list for each would delay everything else.
 */
function listInTurn(subscriptions: Pick<SubscriptionStore, 'list'>): Promise<readonly Subscription[]> {
  const start = () => {
    // Consistent: a delivery whose subscription is not found is given up for good.
    const running = subscriptions.list(true);
    const turn: ListTurn = { running };
    turns.set(subscriptions, turn);
    const end = () => {
      if (turn.next === undefined) turns.delete(subscriptions);
    };
    running.then(end, end);
    return running;
  };
  const turn = turns.get(subscriptions);
  if (turn === undefined) return start();
  turn.next ??= turn.running.then(start, start);
  return turn.next;
}

/**
 * Moves one delivery whose subscription has another name now: an older process may have opened it after the move. Returns
 * the delivery to attempt; undefined if it was changed meanwhile.
 */
export async function followRename(
  ports: RenamePorts,
  delivery: Delivery,
  to: Subscription,
): Promise<Delivery | undefined> {
  const { name } = to;
  const incarnation = incarnationOf(to);
  await moveHealth(ports, delivery.subscription, name);
  const isMoved = await ports.deliveries.rename(delivery, name, incarnation);
  return isMoved ? { ...delivery, subscription: name, incarnation } : undefined;
}

/** How many deliveries of a subscription are not sent yet, at most `MAX_UNSENT_COUNT`. */
export async function countUnsent(deliveries: Pick<DeliveryStore, 'listIds'>, subscription: string): Promise<number> {
  const limit = MAX_UNSENT_COUNT;
  const lists = UNSENT_STATUSES.map((status) => deliveries.listIds({ status, subscription, limit }));
  return (await Promise.all(lists)).reduce((sum, { length }) => Math.min(sum + length, limit), 0);
}

/** The events that a subscription did not get, in the order of its deliveries: those that wait, and those that failed. */
export async function listUnsentEvents(
  deliveries: Pick<DeliveryStore, 'list'>,
  subscription: string,
): Promise<readonly string[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  const lists = MOVED_STATUSES.map((status) => deliveries.list({ status, subscription, end: 'oldest', limit }));
  const unsent = (await Promise.all(lists))
    .flat()
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  return [...new Set(unsent.flatMap(({ events }) => events))];
}
