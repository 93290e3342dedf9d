/**
 * What can be done with a subscription, from every entrance: each verb with its audit entry, its effect on health, and its order of
 * writes. The config, the command line, the management API, the console, the Slack app and REST hooks translate to and from
 * these. Who may do what is decided there: `assertAllowed` throws a UsageError to refuse.
 */

import { type MayGoOn, type PausePorts, pause, resume } from '../delivery/hold.ts';
import { openDigestsOf } from '../delivery/open-digest.ts';
import { isOpen, startHealthy } from '../delivery/receivers/health.ts';
import type { Health } from '../delivery/receivers/health-state.ts';
import { countUnsent } from '../delivery/receivers/rename.ts';
import { changeSnooze, EVERYTHING, personalSnoozeKey, snoozeKey } from '../delivery/receivers/snooze.ts';
import { changeHealth } from '../delivery/receivers/subscription-state.ts';
import { markGone } from '../delivery/receivers/sweep-health.ts';
import {
  openTest,
  type PreparedTest,
  prepareTest,
  type Replayed,
  type ReplayOptions,
  type ReplayPorts,
  replay,
} from '../delivery/replay.ts';
import { eventTypes } from '../events/catalogue.ts';
import type { AuditEntry } from '../model/audit.ts';
import type { Delivery } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import { findSuccessor } from '../model/former-names.ts';
import { isSameValue } from '../model/json.ts';
import type { Pace } from '../model/pace.ts';
import { continuedFrom, isExpired, type Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';
import { type AuditedAction, type AuditPorts, auditedChange, type ChangeAuthor } from '../ports/audit-store.ts';
import { traitsOf } from '../ports/channel.ts';
import type { EventStore } from '../ports/event-store.ts';
import { type DroppedBacklog, reportDropped } from './dropped-backlog.ts';
import { followQuery } from './follow-query.ts';
import { carryOverRotation } from './rotate.ts';
import { assertStorable } from './storable.ts';
import type { ChangePorts, RemovalPorts, VerbOptions, VerbPorts } from './verb-ports.ts';

function describeAction(action: string, name: string, details?: AuditEntry['details']): AuditedAction {
  return { action: `subscription.${action}`, target: `subscription/${name}`, details };
}

export type AddResult =
  /** `repeated`: an earlier run of the same request has added it. */
  | { readonly kind: 'added' | 'repeated'; readonly subscription: Subscription }
  /** Another subscription has the name, or had it before. */
  | { readonly kind: 'taken'; readonly stored: Subscription };

interface AddOptions extends Pick<VerbOptions, 'details'> {
  /** Whether it starts paused. @default false */
  readonly isPaused?: boolean;
  /** Whether the stored one was added by an earlier run of this request. @default - it was not */
  readonly isRepeated?: (stored: Subscription) => boolean;
}

/** Adds a subscription under a free name, or one whose subscription has expired. It starts healthy, or paused. */
export async function addSubscription(
  ports: ChangePorts,
  author: ChangeAuthor,
  wanted: Subscription,
  options: AddOptions = {},
): Promise<AddResult> {
  const { subscriptions, clock } = ports;
  const { details, isRepeated, isPaused = false } = options;
  const { name, events, to } = wanted;
  assertStorable(wanted);
  const now = clock.now();
  const isFree = (stored: Subscription) => !stored.declared && isExpired(stored, now);
  const current = await subscriptions.get(name);
  const isAddedBefore = current !== undefined && isRepeated?.(current) === true;
  if (current !== undefined && !isFree(current) && !isAddedBefore) return { kind: 'taken', stored: current };
  const successor = isAddedBefore ? undefined : findSuccessor(await subscriptions.list(), name, now);
  if (successor !== undefined) return { kind: 'taken', stored: successor };
  const createdAt = continuedFrom(current, wanted) ?? author.request?.at ?? now;
  const subscription = isAddedBefore ? current : { ...wanted, createdAt };
  const action = describeAction('created', name, { events, to: to.channel, paused: isPaused || undefined, ...details });
  const add = async () => {
    if (isAddedBefore) return true;
    // Before it is added: nothing is sent to a name that is free, and a process that ends in between leaves it free.
    await changeHealth(ports, name, 'baseline', (before) => startHealthy(before, isPaused));
    return subscriptions.add(subscription, isFree);
  };
  if (await auditedChange(ports, author, action, add, { isRefused: (isAdded) => !isAdded })) {
    await openDigestsOf(ports, subscription);
    return { kind: isAddedBefore ? 'repeated' : 'added', subscription };
  }
  const stored = await subscriptions.get(name);
  return stored === undefined ? addSubscription(ports, author, wanted, options) : { kind: 'taken', stored };
}

interface ChangeOptions extends Pick<VerbOptions, 'assertAllowed'> {
  /** Further facts of the changed subscription for the audit entry. @default - none */
  readonly detailsOf?: (changed: Subscription) => AuditEntry['details'];
  /** All event types, with those that the config defines. @default - those of the catalogue */
  readonly types?: readonly string[];
}

/**
 * Changes what a subscription does. Its owner, its age and its secrets stay. A paused one stays paused. Returns the changed
 * one; undefined if there is none.
 */
export async function changeSubscription(
  ports: ChangePorts,
  author: ChangeAuthor,
  name: string,
  change: (stored: Subscription) => Subscription,
  { assertAllowed, detailsOf, types }: ChangeOptions = {},
): Promise<Subscription | undefined> {
  const { subscriptions, clock, channels } = ports;
  const now = clock.now();
  const secretOf = ({ to }: Subscription) => traitsOf(channels, to).signingSecret(to.settings);
  const next = (stored: Subscription) => {
    assertAllowed?.(stored);
    const changed = change(stored);
    if (changed === stored) return stored;
    assertStorable(changed, stored);
    return carryOverRotation(keepOrigin(stored, changed, types), stored, now, secretOf);
  };
  const stored = await subscriptions.get(name);
  if (stored === undefined) return undefined;
  const fields = changedKeys(stored, next(stored));
  if (fields.length === 0 && author.request === undefined) return stored;
  let changed: Subscription | undefined;
  const update = () =>
    subscriptions.update(name, (latest) => {
      changed = next(latest);
      return changed;
    });
  // Repeated after it was made, a request changes nothing, and completes its entry.
  const action = describeAction('changed', name, fields.length === 0 ? undefined : { fields });
  const isThere = await auditedChange(ports, author, action, update, {
    detailsOf: () => changed && detailsOf?.(changed),
    isRefused: (isUpdated) => !isUpdated,
  });
  if (!isThere || changed === undefined) return undefined;
  await openDigestsOf(ports, changed);
  return changed;
}

/**
 * What a change does not touch. The query of a person in Slack always says what the subscription does: it follows a change,
 * and is left out if the query language cannot express it. Who made it stays.
 */
function keepOrigin(
  stored: Subscription,
  changed: Subscription,
  types: readonly string[] = eventTypes.map(({ type }) => type),
): Subscription {
  const { owner, createdAt, request } = stored;
  const madeBy = changed.madeBy ?? followQuery(stored, changed, types);
  const { ofOwnerOnly = stored.ofOwnerOnly } = changed;
  return { ...changed, madeBy, owner, createdAt, request, ...(ofOwnerOnly === undefined ? {} : { ofOwnerOnly }) };
}

/** The names of the keys that differ. */
function changedKeys(before: Subscription, after: Subscription): readonly string[] {
  const [old, next] = [Object.entries(before), new Map<string, unknown>(Object.entries(after))];
  const keys = new Set([...old.map(([key]) => key), ...next.keys()]);
  const previous = new Map<string, unknown>(old);
  return [...keys].filter((key) => !isSameValue(previous.get(key), next.get(key))).sort();
}

interface PauseOptions extends Pick<VerbOptions, 'details'> {
  /** When it resumes by itself: messages wait until then. @default - when it is resumed; deliveries are held until then */
  readonly until?: Instant;
}

/**
 * Stops sending. Deliveries that come due are held. Also for subscriptions of the config: pausing is operating. Returns whether it has: what
 * sends nothing until it is resumed does not resume by itself, and stays as it is.
 */
export async function pauseSubscription(
  ports: VerbPorts,
  author: ChangeAuthor,
  name: string,
  { until, details }: PauseOptions = {},
): Promise<boolean> {
  const action = describeAction('paused', name, until === undefined ? details : { ...details, until });
  const pauseUntil = async (end: Instant) => {
    const pauseOpen = (before: Health) =>
      isOpen(before) ? changeSnooze(before, EVERYTHING, end, ports.clock.now()) : before;
    return isOpen(await changeHealth(ports, name, 'person', pauseOpen));
  };
  const make = async () => {
    if (until !== undefined) return pauseUntil(until);
    await pause(ports, name);
    return true;
  };
  return auditedChange(ports, author, action, make, { isRefused: (isPaused) => !isPaused });
}

/** Resumes sending with a clean health record. Returns how many held deliveries were released: all, unless it may not go on. */
export async function resumeSubscription(
  ports: VerbPorts & Pick<PausePorts, 'pace'>,
  author: ChangeAuthor,
  name: string,
  mayGoOn?: MayGoOn,
): Promise<number> {
  const release = async () => {
    await changeHealth(ports, name, 'person', (before) => changeSnooze(before, EVERYTHING, null, ports.clock.now()));
    return resume(ports, name, mayGoOn);
  };
  const detailsOf = (released: number) => ({ released });
  return auditedChange(ports, author, describeAction('resumed', name), release, { detailsOf });
}

/**
 * Until then nothing is sent about the record of an event. What comes due meanwhile is sent afterwards.
 * @param person the only one for whom it is silent, such as `main/5`. @default - all receivers of the subscription
 */
export async function snoozeSubscription(
  ports: VerbPorts,
  author: ChangeAuthor,
  name: string,
  { event, until }: { readonly event: TidingsEvent; readonly until: Instant },
  person?: string,
): Promise<void> {
  const key = person === undefined ? snoozeKey(event) : personalSnoozeKey(snoozeKey(event), person);
  const action = describeAction('snoozed', name, { subject: event.subject, until, person });
  await auditedChange(ports, author, action, () =>
    changeHealth(ports, name, 'person', (before) => changeSnooze(before, key, until, ports.clock.now())),
  );
}

/** What a removal did. */
export interface Removal extends DroppedBacklog {
  /** Whether it was there: of several removals at the same time one finds it. */
  readonly isRemoved: boolean;
}

interface RemoveOptions extends VerbOptions {
  /** Whether the event `subscription.removed` reports deliveries that were not sent. @default true */
  readonly reportsUnsent?: boolean;
}

/** Removes a subscription. Returns what is dropped with it; undefined if there is none. */
export async function removeSubscription(
  ports: RemovalPorts,
  author: ChangeAuthor,
  name: string,
  { assertAllowed, details, reportsUnsent = true }: RemoveOptions = {},
): Promise<Removal | undefined> {
  const { subscriptions, deliveries } = ports;
  const stored = await subscriptions.get(name);
  // An earlier run of the same request may have removed it, and ended before its entry was complete.
  if (stored === undefined && author.request === undefined) return undefined;
  if (stored !== undefined) assertAllowed?.(stored);
  const remove = async (): Promise<Removal> => {
    const dropped = { subscription: name, deliveries: await countUnsent(deliveries, name) };
    if (dropped.deliveries > 0 && reportsUnsent) await reportDropped(ports, dropped);
    const isRemoved = await subscriptions.remove(name, assertAllowed);
    if (isRemoved && ports.config !== undefined) await markGone(ports, name, ports.config.retention);
    return { ...dropped, isRemoved };
  };
  const detailsOf = (dropped: DroppedBacklog) => ({ unsent: dropped.deliveries });
  return auditedChange(ports, author, describeAction('removed', name, details), remove, { detailsOf });
}

export interface TestOptions {
  /** @default - any that the subscription matches */
  readonly type?: string | undefined;
  readonly pace?: Pace;
  /** Throws if the caller may not open it. Called before anything is written. @default - everyone may */
  readonly assertAllowed?: (test: PreparedTest) => Promise<void>;
}

/** Opens the delivery of a test event; undefined if the subscription matches no such type. The caller has it attempted. */
export async function testSubscription(
  ports: Omit<VerbPorts, 'deliveries'> & { readonly events: EventStore },
  author: ChangeAuthor,
  subscription: Subscription,
  { type, pace, assertAllowed }: TestOptions = {},
): Promise<Delivery | undefined> {
  const prepared = await prepareTest(ports, subscription, type, pace);
  if (prepared !== undefined) await assertAllowed?.(prepared);
  const open = async () => prepared && openTest(ports, prepared);
  const isRefused = (delivery: Delivery | undefined) => delivery === undefined;
  return auditedChange(ports, author, describeAction('tested', subscription.name), open, { isRefused });
}

/** Sends recorded events to a subscription again. Returns their deliveries. No events are no change. */
export async function resendEvents(
  ports: AuditPorts & ReplayPorts,
  author: ChangeAuthor,
  subscription: Subscription,
  events: readonly Replayed[],
  options?: ReplayOptions,
): Promise<readonly Delivery[]> {
  if (events.length === 0) return [];
  const person = options?.person === undefined ? {} : { person: options.person };
  const action = describeAction('replayed', subscription.name, { count: events.length, ...person });
  return auditedChange(ports, author, action, () => replay(ports, subscription, events, options));
}
