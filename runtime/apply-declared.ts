/**
 * Applies the subscriptions of a config to the stores: a replaced signing secret keeps signing during its rotation, a
 * renamed subscription keeps its backlog, and what a removed one leaves unsent is reported. May be repeated at any point.
 */

import { signingSecretOf } from '../adapters/channels/registry.ts';
import { HEALTHY } from '../core/delivery/receivers/health.ts';
import { countUnsent, moveBacklog, type RenamePorts } from '../core/delivery/receivers/rename.ts';
import { changeHealth, type HealthPorts } from '../core/delivery/receivers/subscription-state.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { Applied, SubscriptionStore } from '../core/ports/subscription-store.ts';
import { carryOverRotation } from '../core/subscriptions/rotate.ts';
import type { Config } from './config/config.ts';

export interface ApplyPorts extends RenamePorts {
  readonly subscriptions: SubscriptionStore;
}

export interface AppliedConfig extends Applied {
  /** Renamed subscriptions of which deliveries were moved. */
  readonly moved: readonly { readonly from: string; readonly to: string; readonly deliveries: number }[];
  /** Removed subscriptions with deliveries that were not sent. */
  readonly dropped: readonly DroppedBacklog[];
}

export interface DroppedBacklog {
  readonly subscription: string;
  readonly deliveries: number;
}

export async function applyDeclared(
  { subscriptions }: Pick<Config, 'subscriptions'>,
  ports: ApplyPorts,
): Promise<AppliedConfig> {
  const store = ports.subscriptions;
  const merge = (declared: Subscription, kept: Subscription | undefined) =>
    carryOverRotation(declared, kept, ports.clock.now(), signingSecretOf);
  const stored = new Map((await store.list()).map((one) => [one.name, one]));
  const renamed = subscriptions.flatMap((one) =>
    one.renamedFrom === undefined ? [] : [{ subscription: one, from: one.renamedFrom }],
  );
  // Before the old one is removed: its rotation would be lost if the process died in between.
  for (const { subscription, from } of renamed) {
    const old = stored.get(from);
    if (old !== undefined && !stored.has(subscription.name)) await store.save(merge(subscription, old));
  }
  const dropped = await findDropped({ subscriptions }, ports);
  for (const one of dropped) await reportDropped(ports, one);
  const applied = await store.applyDeclared(subscriptions, merge);
  for (const name of applied.added) await forgetRemoval(ports, name);
  const moved: AppliedConfig['moved'][number][] = [];
  for (const { subscription, from } of renamed) {
    const deliveries = await moveBacklog(ports, from, subscription.name);
    // One that was added by a command is not removed with the declared ones.
    if (stored.get(from)?.declared === false) await store.remove(from);
    if (deliveries > 0) moved.push({ from, to: subscription.name, deliveries });
  }
  return { ...applied, moved, dropped };
}

/** The declared subscriptions that are no longer in the config and have deliveries that are not sent. Changes nothing. */
export async function findDropped(
  { subscriptions }: Pick<Config, 'subscriptions'>,
  ports: Pick<ApplyPorts, 'subscriptions' | 'deliveries'>,
): Promise<readonly DroppedBacklog[]> {
  const kept = new Set(subscriptions.flatMap(({ name, renamedFrom }) => [name, renamedFrom]));
  const removed = (await ports.subscriptions.list()).filter(({ name, declared }) => declared && !kept.has(name));
  const counted = removed.map(async ({ name }) => ({
    subscription: name,
    deliveries: await countUnsent(ports.deliveries, name),
  }));
  return (await Promise.all(counted)).filter(({ deliveries }) => deliveries > 0);
}

/**
 * Removes a subscription that was added by command or through the API. Returns what is dropped with it.
 * @param assertRemovable throws to keep it. @default - it is removed whatever it is
 */
export async function removeSubscription(
  ports: ApplyPorts,
  name: string,
  assertRemovable?: (stored: Subscription) => void,
): Promise<DroppedBacklog> {
  const stored = assertRemovable === undefined ? undefined : await ports.subscriptions.get(name);
  if (stored !== undefined) assertRemovable?.(stored);
  const dropped = { subscription: name, deliveries: await countUnsent(ports.deliveries, name) };
  if (dropped.deliveries > 0) await reportDropped(ports, dropped);
  await ports.subscriptions.remove(name, assertRemovable);
  return dropped;
}

export function describeDropped({ subscription, deliveries }: DroppedBacklog): string {
  const count = deliveries.toLocaleString('en');
  return `${count} unsent ${deliveries === 1 ? 'delivery' : 'deliveries'} of '${subscription}'`;
}

/** Its health says so, which causes the event `subscription.removed`. */
async function reportDropped(ports: ApplyPorts, { subscription, deliveries }: DroppedBacklog): Promise<void> {
  await changeHealth(ports, subscription, 'person', (before) =>
    before.removedAt === undefined ? { ...before, removedAt: ports.clock.now(), dropped: deliveries } : before,
  );
}

/** A new subscription with the name of a removed one starts with a clean health. Readers who unsubscribed stay so. */
export async function forgetRemoval(ports: HealthPorts, name: string): Promise<void> {
  await changeHealth(ports, name, 'person', (before) =>
    before.removedAt === undefined ? before : { ...HEALTHY, muted: before.muted },
  );
}
