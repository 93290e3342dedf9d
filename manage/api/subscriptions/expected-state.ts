/**
 * What a change expects of the stored subscription: the tag of `If-Match`, that no other request has changed it meanwhile, and whose
 * it is.
 */

import type { Subscription } from '../../../core/model/subscription.ts';
import { hasSameReceiver } from '../../../core/subscriptions/same-receiver.ts';
import { type Caller, isOwn } from '../http/caller.ts';
import { Problem } from '../http/problem.ts';
import { etagOf } from './subscription-view.ts';

interface ExpectedState {
  readonly ifMatch: string | undefined;
  /** Whether it was active when the request came. */
  readonly active: boolean;
  /** What a partial change was made from. @default - the change is complete */
  readonly basis?: Subscription | undefined;
}

/** Throws unless the subscription is as the request expects, at the very moment it is written. */
export function assertExpected(stored: Subscription, { ifMatch, active, basis }: ExpectedState): void {
  const { name, declared } = stored;
  if (declared) throw declaredProblem(name);
  if (ifMatch !== undefined && ifMatch.trim() !== '*') {
    const tags = ifMatch.split(',').map((tag) => tag.trim());
    if (!tags.includes(etagOf(stored, active))) throw changedMeanwhile(name);
  }
  // A rotation is carried over.
  const tagOf = (one: Subscription) => etagOf({ ...one, rotation: undefined }, active);
  if (basis === undefined || tagOf(basis) === tagOf(stored)) return;
  const detail = `subscription '${name}' was changed by another request meanwhile: repeat the change`;
  throw new Problem(409, 'TIDINGS_API_CHANGED', { detail });
}

/** Of a partial change whose basis was changed: written, it would undo what the other request did. */
export function isBasisChanged(error: unknown): boolean {
  return error instanceof Problem && error.status === 409 && error.code === 'TIDINGS_API_CHANGED';
}

export function changedMeanwhile(name: string): Problem {
  return new Problem(412, 'TIDINGS_API_CHANGED', {
    detail: `subscription '${name}' is not as If-Match expects: read it again and repeat the change`,
  });
}

export function declaredProblem(name: string): Problem {
  return new Problem(409, 'TIDINGS_SUBSCRIPTION_DECLARED', {
    detail: `subscription '${name}' is declared in the config and is read-only here: change it there`,
  });
}

export function nameTaken(name: string): Problem {
  const detail = `expected a name that is not taken, got '${name}'`;
  return new Problem(409, 'TIDINGS_API_NAME_TAKEN', { detail, errors: [{ pointer: '/name', detail }] });
}

/**
 * A program declares its own endpoint. If another key or channel has the name, that one would get the endpoint with its credentials: the
 * owner could have it sent anything, pause it, and rotate its secret. The new key of a program names the same endpoint.
 */
export function assertReceiverStays(caller: Caller, stored: Subscription, wanted: Subscription): void {
  const { name, owner } = stored;
  if (owner === undefined || isOwn(caller, stored) || hasSameReceiver(stored, wanted)) return;
  const detail = `subscription '${name}' belongs to '${owner}' and has another receiver: choose another name, remove it, or change it with PATCH`;
  throw new Problem(409, 'TIDINGS_API_NAME_TAKEN', { detail, errors: [{ pointer: '/name', detail }] });
}
