/**
 * Who calls, and what they may see. A key with event types sees only events of these types and its own subscriptions; what a
 * caller may not see does not exist for it.
 */

import { compileGlob } from '../../../core/filters/match.ts';
import { hasScope, type Scope } from '../../../core/model/api-key.ts';
import type { Actor } from '../../../core/model/audit.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { Problem } from './problem.ts';
import type { Route } from './route.ts';

export interface Caller extends Actor {
  readonly scopes: readonly Scope[];
  /** The event types it may see and subscribe to. @default - all */
  readonly events?: readonly string[];
}

/** Whether it may read the subscriptions and deliveries of all, not only its own. */
export function seesAll({ scopes, events }: Caller): boolean {
  return hasScope(scopes, 'operate') || (hasScope(scopes, 'read') && events === undefined);
}

export function canSee(caller: Caller, subscription: Pick<Subscription, 'owner'>): boolean {
  return seesAll(caller) || isOwn(caller, subscription);
}

export function isOwn({ kind, id }: Caller, { owner }: Pick<Subscription, 'owner'>): boolean {
  return kind === 'key' && owner === id;
}

/** Whether it may change or send to this subscription, as far as it is not declared. */
function mayChange(caller: Caller, subscription: Pick<Subscription, 'owner'>): boolean {
  return hasScope(caller.scopes, 'operate') || (hasScope(caller.scopes, 'subscribe') && isOwn(caller, subscription));
}

/** Throws if the caller sees the subscription but may not change it. */
export function assertMayChange(caller: Caller, subscription: Pick<Subscription, 'owner' | 'name'>): void {
  if (mayChange(caller, subscription)) return;
  throw new Problem(403, 'TIDINGS_API_SCOPE', {
    detail: `subscription '${subscription.name}' belongs to another: changing it needs a key with the scope operate`,
  });
}

/** Whether an event type, or any type that a pattern stands for, is within the types of the caller. */
export function isWithin({ events }: Caller, typeOrPattern: string): boolean {
  // The stars of a pattern are matched by stars alone: whatever it stands for, this pattern stands for too.
  return events === undefined || events.some((glob) => compileGlob(glob)(typeOrPattern));
}

/** Throws 403 that names the scopes of a route. Which items the caller sees is decided later. */
export function assertAllowed(route: Pick<Route, 'scopes'>, caller: Caller): void {
  if (route.scopes.some((scope) => hasScope(caller.scopes, scope))) return;
  const has = caller.scopes.length === 0 ? 'none' : caller.scopes.join(', ');
  throw new Problem(403, 'TIDINGS_API_SCOPE', {
    detail: `expected a key with the scope ${route.scopes.join(' or ')}, got one with ${has}`,
  });
}
