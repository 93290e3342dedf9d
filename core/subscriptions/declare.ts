/**
 * Makes the declared subscriptions those of a config: a replaced signing secret keeps signing during its rotation, a renamed
 * subscription keeps its backlog, also when a config that is rolled back renames it again, and what a removed one leaves
 * unsent is reported. May be repeated at any point. The config is its own record of who changed what: there are no audit entries.
 */

import { startHealthy } from '../delivery/receivers/health.ts';
import { copyHealth, countUnsent, moveBacklog } from '../delivery/receivers/rename.ts';
import { changeHealth } from '../delivery/receivers/subscription-state.ts';
import { listFormerNames, RENAME_MEMORY } from '../model/former-names.ts';
import { isExpired, type Subscription, type Target } from '../model/subscription.ts';
import { type Instant, plus } from '../model/time.ts';
import { traitsOf } from '../ports/channel.ts';
import type { Applied } from '../ports/subscription-store.ts';
import { type DroppedBacklog, reportDropped } from './dropped-backlog.ts';
import { carryOverRotation } from './rotate.ts';
import { hasSameAddress } from './same-receiver.ts';
import type { VerbPorts } from './verb-ports.ts';

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
  const now = ports.clock.now();
  const stored = new Map((await store.list(true)).map((subscription) => [subscription.name, subscription]));
  const renames = findRenames(declared, stored, now);
  const merge = (wanted: Subscription, old: Subscription | undefined) =>
    mergeDeclared(ports, wanted, old, { declared, renames });
  // Before the old one is removed: its rotation would be lost if the process died in between.
  for (const { from, to } of renames) {
    const old = stored.get(from);
    if (old === undefined || stored.has(to.name)) continue;
    // First: from when it is stored, `announce` opens deliveries under the new name. A paused one stays paused.
    await copyHealth(ports, from, to.name);
    await store.save(merge(to, old));
  }
  const dropped = await findDropped(ports, declared);
  for (const backlog of dropped) await reportDropped(ports, backlog);
  // Before they are added, as addSubscription does. A renamed one continues with the health of its former name.
  const continuing = new Set(renames.filter(({ from }) => stored.has(from)).map(({ to }) => to.name));
  for (const { name, to } of declared)
    if (!isContinued(ports, to, stored.get(name)) && !continuing.has(name))
      await changeHealth(ports, name, 'baseline', (before) => startHealthy(before));
  const applied = await store.applyDeclared(declared, merge);
  const moved: DeclaredChanges['moved'][number][] = [];
  for (const { from, to } of renames) {
    const deliveries = await moveBacklog(ports, from, to);
    // One that was added by a command is not removed with the declared ones.
    if (stored.get(from)?.declared === false) await store.remove(from);
    if (deliveries > 0) moved.push({ from, to: to.name, deliveries });
  }
  return { ...applied, moved, dropped };
}

/** A name whose deliveries, health and threads belong to a declared subscription with another name. */
export interface Rename {
  readonly from: string;
  readonly to: Subscription;
}

/**
 * The names that declared subscriptions continue: those that the config names as `renamedFrom`, those of stored
 * subscriptions that were renamed before and are rolled back now, and those of renames that were interrupted.
 */
export function findRenames(
  declared: readonly Subscription[],
  stored: ReadonlyMap<string, Subscription>,
  now: Instant,
): readonly Rename[] {
  const byName = new Map(declared.map((one) => [one.name, one]));
  const forward = declared.flatMap((to) => (to.renamedFrom === undefined ? [] : [{ from: to.renamedFrom, to }]));
  const taken = new Set([...byName.keys(), ...forward.map(({ from }) => from)]);
  const back = [...stored.values()]
    .filter(({ name, declared: isDeclared }) => isDeclared && !taken.has(name))
    .flatMap((one) => {
      const to = byName.get(listFormerNames(one, now).find((former) => byName.has(former)) ?? '');
      return to === undefined ? [] : [{ from: one.name, to }];
    });
  const interrupted = declared.flatMap((to) =>
    listFormerNames(stored.get(to.name) ?? {}, now)
      .filter((from) => !taken.has(from) && !stored.has(from))
      .map((from) => ({ from, to })),
  );
  return [...forward, ...back, ...interrupted];
}

interface MergeOptions {
  /** All subscriptions of the config. */
  readonly declared: readonly Subscription[];
  readonly renames: readonly Rename[];
}

/** A declared subscription as it is to be stored, given the stored one: rotations of its secret continue, renames are remembered. */
export function mergeDeclared(
  { channels, clock }: Pick<DeclarePorts, 'channels' | 'clock'>,
  wanted: Subscription,
  stored: Subscription | undefined,
  { declared, renames }: MergeOptions,
): Subscription {
  const now = clock.now();
  const secretOf = ({ to }: Subscription) => traitsOf(channels, to).signingSecret(to.settings);
  const isOther = stored?.name === wanted.name && !isContinued({ channels }, wanted.to, stored);
  const merged = isOther
    ? wanted
    : { ...carryOverRotation(wanted, stored, now, secretOf), ...keepIncarnation(wanted, stored, now) };
  const names = new Set(declared.map(({ name }) => name));
  const remembered = stored?.formerNames ?? [];
  const added = renames
    .filter(({ from, to }) => to.name === wanted.name && !remembered.some(({ name }) => name === from))
    .map(({ from }) => ({ name: from, until: plus(now, RENAME_MEMORY) }));
  // A name that is used again is not a former one.
  const formerNames = [...added, ...remembered].filter(({ name }) => !names.has(name)).slice(0, MAX_FORMER_NAMES);
  return formerNames.length === 0 ? merged : { ...merged, formerNames };
}

/**
 * Whether a stored subscription goes on when the config declares its name. One of a key or a channel does only with its own receiver: the
 * owner may have paused it, and put anything in its backlog. References to secrets are others in the config.
 */
function isContinued(
  { channels }: Pick<DeclarePorts, 'channels'>,
  to: Target,
  stored: Subscription | undefined,
): boolean {
  if (stored === undefined) return false;
  return (
    stored.declared || stored.owner === undefined || hasSameAddress({ to }, stored, traitsOf(channels, to).secretKeys)
  );
}

/** One that was added before it was declared goes on: what it has not sent yet is sent. One that expired is another one. */
function keepIncarnation(
  { name }: Subscription,
  stored: Subscription | undefined,
  now: Instant,
): Pick<Subscription, 'createdAt'> {
  if (stored?.createdAt === undefined || stored.name !== name || isExpired(stored, now)) return {};
  return { createdAt: stored.createdAt };
}

/** A week of renames. */
const MAX_FORMER_NAMES = 10;

/** The stored subscriptions that a config no longer declares, or does not continue, and that have deliveries that are not sent. Changes nothing. */
export async function findDropped(
  ports: Pick<DeclarePorts, 'subscriptions' | 'deliveries' | 'channels' | 'clock'>,
  declared: readonly Subscription[],
): Promise<readonly DroppedBacklog[]> {
  const stored = new Map((await ports.subscriptions.list(true)).map((one) => [one.name, one]));
  const renames = findRenames(declared, stored, ports.clock.now());
  const kept = new Set([...declared.map(({ name }) => name), ...renames.map(({ from }) => from)]);
  const byName = new Map(declared.map((one) => [one.name, one]));
  const isReplaced = (one: Subscription, by = byName.get(one.name)) =>
    by !== undefined && !isExpired(one, ports.clock.now()) && !isContinued(ports, by.to, one);
  const removed = [...stored.values()].filter((one) => (one.declared && !kept.has(one.name)) || isReplaced(one));
  const counted = removed.map(async (one) => ({
    subscription: one.name,
    deliveries: await countUnsent(ports.deliveries, one.name),
    ...(isReplaced(one) ? { replacedOf: one.owner } : {}),
  }));
  return (await Promise.all(counted)).filter(({ deliveries }) => deliveries > 0);
}
