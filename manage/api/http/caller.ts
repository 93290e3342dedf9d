/**
 * Who calls, and what they may see. A key with event types sees only events of these types and its own subscriptions; what a
 * caller may not see does not exist for it.
 */

import { compileGlob } from '../../../core/filters/match.ts';
import { hasScope, type KeyQuotas, type Scope } from '../../../core/model/api-key.ts';
import { memoize } from '../../../core/model/memoize.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import type { ChangeAuthor } from '../../../core/ports/audit-store.ts';
import { Problem } from './problem.ts';

export interface Caller extends Omit<ChangeAuthor, 'request'> {
  readonly scopes: readonly Scope[];
  /** The event types it may see and subscribe to. @default - all */
  readonly events?: readonly string[];
  /** What it may use, where that differs from other keys. @default - those of `manage.api` */
  readonly quotas?: KeyQuotas | undefined;
  /** Each session of a person has limits of its own: a reader does not use up those of the person who made the link. @default - none */
  readonly session?: string;
  /** Called with how to give back what a quota of the key was charged. @default - it is not given back */
  readonly onCharged?: (giveBack: () => Promise<void>) => void;
}

/** Whether it may read what concerns all: every subscription and delivery, all numbers. Event types confine every scope. */
export function seesAll({ scopes, events }: Caller): boolean {
  return events === undefined && hasScope(scopes, 'read');
}

/** An operator with event types also sees the subscriptions of others to these types. */
export function canSee(caller: Caller, subscription: Pick<Subscription, 'owner' | 'events'>): boolean {
  if (seesAll(caller) || isOwn(caller, subscription)) return true;
  return hasScope(caller.scopes, 'operate') && isSubscriptionWithin(caller, subscription);
}

/**
 * Whether it may see events about any subscription. Without event types a key that only subscribes may not: to it, the
 * subscriptions of others do not exist.
 */
export function seesSubscriptionEvents({ scopes, events }: Caller): boolean {
  return events !== undefined || hasScope(scopes, 'read');
}

/** Whether it made the subscription. */
export function isOwn({ kind, id }: Caller, { owner }: Pick<Subscription, 'owner'>): boolean {
  return kind === 'key' && owner === id;
}

function isSubscriptionWithin(caller: Caller, { events }: Pick<Subscription, 'events'>): boolean {
  return events.every((glob) => isWithin(caller, glob));
}

type Judged = Pick<Subscription, 'owner' | 'name' | 'events'>;

/** Throws if the caller sees the subscription but may not pause or remove it, as far as it is not declared. */
export function assertMayStop(caller: Caller, subscription: Judged): void {
  const { scopes } = caller;
  if (hasScope(scopes, 'operate') || (hasScope(scopes, 'subscribe') && isOwn(caller, subscription))) return;
  throw new Problem(403, 'TIDINGS_API_SCOPE', {
    detail: `subscription '${subscription.name}' belongs to another: changing it needs a key with the scope operate`,
  });
}

/** The same for a caller who changes it or sends to it. Its own subscription may have got event types that the key may not see. */
export function assertMayChange(caller: Caller, subscription: Judged): void {
  assertMayStop(caller, subscription);
  if (!isSubscriptionWithin(caller, subscription)) throw beyondKey(caller, `subscription '${subscription.name}'`);
}

/** For what has events of other types than the key may see. */
export function beyondKey({ events = [] }: Caller, what: string): Problem {
  const detail = `${what} has events beyond those of this key, ${events.join(', ')}: it needs a key that may see them`;
  return new Problem(403, 'TIDINGS_API_EVENTS', { detail });
}

/** Whether an event type, or any type that a pattern stands for, is within the types of the caller. */
export function isWithin({ events }: Caller, typeOrPattern: string): boolean {
  // The stars of a pattern are matched by stars alone: whatever it stands for, this pattern stands for too.
  return events === undefined || events.some((glob) => compileGlob(glob)(typeOrPattern));
}

/** Whether an event type is within the types of the caller, for many events; undefined: all are. */
export function typeFilterFor(caller: Caller): ((type: string) => boolean) | undefined {
  return caller.events === undefined ? undefined : memoize((type) => isWithin(caller, type));
}

/** Whether it may see all about the records of a resource: any event of theirs. A record shows what no single type does. */
export function seesRecords(caller: Caller, resource: string): boolean {
  return isWithin(caller, `${resource}.*`);
}
