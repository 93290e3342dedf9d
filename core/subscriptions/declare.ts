/**
 * Makes the declared subscriptions those of a config: a replaced signing secret keeps signing during its rotation, a renamed
 * subscription keeps its backlog, and what a removed one leaves unsent is reported. May be repeated at any point. The config
 * is its own record of who changed what: there are no audit entries.
 */

import { countUnsent, moveBacklog } from '../delivery/receivers/rename.ts';
import { changeHealth } from '../delivery/receivers/subscription-state.ts';
import type { Subscription } from '../model/subscription.ts';
import { traitsOf } from '../ports/channel.ts';
import type { Applied } from '../ports/subscription-store.ts';
import { carryOverRotation } from './rotate.ts';
import { type DroppedBacklog, reportDropped, startHealthy, type VerbPorts } from './verbs.ts';

export type DeclarePorts = Omit<VerbPorts, 'audit' | 'randomBytes'>;

export interface DeclaredChanges extends Applied {
  /** Renamed subscriptions of which deliveries were moved. */
  readonly moved: readonly { readonly from: string; readonly to: string; readonly deliveries: number }[];
  /** Removed subscriptions with deliveries that were not sent. */
  readonly dropped: readonly DroppedBacklog[];
}

export async function declareSubscriptions(
  ports: DeclarePorts,
  declared: readonly Subscription[],
): Promise<DeclaredChanges> {
  const store = ports.subscriptions;
  const merge = (wanted: Subscription, stored: Subscription | undefined) => mergeDeclared(ports, wanted, stored);
  const stored = new Map((await store.list()).map((subscription) => [subscription.name, subscription]));
  const renamed = declared.flatMap((subscription) =>
    subscription.renamedFrom === undefined ? [] : [{ subscription, from: subscription.renamedFrom }],
  );
  // Before the old one is removed: its rotation would be lost if the process died in between.
  for (const { subscription, from } of renamed) {
    const old = stored.get(from);
    if (old !== undefined && !stored.has(subscription.name)) await store.save(merge(subscription, old));
  }
  // Before they are added, as addSubscription does. A renamed one continues with the health of its former name.
  for (const { name, renamedFrom = '' } of declared)
    if (!stored.has(name) && !stored.has(renamedFrom))
      await changeHealth(ports, name, 'baseline', (before) => startHealthy(before));
  const dropped = await findDropped(ports, declared);
  for (const backlog of dropped) await reportDropped(ports, backlog);
  const applied = await store.applyDeclared(declared, merge);
  const moved: DeclaredChanges['moved'][number][] = [];
  for (const { subscription, from } of renamed) {
    const deliveries = await moveBacklog(ports, from, subscription.name);
    // One that was added by a command is not removed with the declared ones.
    if (stored.get(from)?.declared === false) await store.remove(from);
    if (deliveries > 0) moved.push({ from, to: subscription.name, deliveries });
  }
  return { ...applied, moved, dropped };
}

/** A declared subscription as it is to be stored, given the stored one: rotations of its secret continue. */
export function mergeDeclared(
  { channels, clock }: Pick<DeclarePorts, 'channels' | 'clock'>,
  declared: Subscription,
  stored: Subscription | undefined,
): Subscription {
  const secretOf = ({ to }: Subscription) => traitsOf(channels, to).signingSecret(to.settings);
  return carryOverRotation(declared, stored, clock.now(), secretOf);
}

/** The stored subscriptions that a config no longer declares and that have deliveries that are not sent. Changes nothing. */
export async function findDropped(
  ports: Pick<DeclarePorts, 'subscriptions' | 'deliveries'>,
  declared: readonly Subscription[],
): Promise<readonly DroppedBacklog[]> {
  const kept = new Set(declared.flatMap(({ name, renamedFrom }) => [name, renamedFrom]));
  const removed = (await ports.subscriptions.list()).filter((stored) => stored.declared && !kept.has(stored.name));
  const counted = removed.map(async ({ name }) => ({
    subscription: name,
    deliveries: await countUnsent(ports.deliveries, name),
  }));
  return (await Promise.all(counted)).filter(({ deliveries }) => deliveries > 0);
}

/** `12 unsent deliveries of 'ops'` */
export function describeDropped({ subscription, deliveries }: DroppedBacklog): string {
  const count = deliveries.toLocaleString('en');
  return `${count} unsent ${deliveries === 1 ? 'delivery' : 'deliveries'} of '${subscription}'`;
}
