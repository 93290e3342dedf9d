/** How large a stored subscription may be, whoever makes it. */

import { UsageError } from '../model/errors.ts';
import { type Subscription, toStored } from '../model/subscription.ts';

/** Its bytes as JSON. */
export function storedBytesOf(subscription: Subscription): number {
  return Buffer.byteLength(JSON.stringify(toStored(subscription)));
}

/** An item of DynamoDB has at most 400 KB, and people who unsubscribe and rotated secrets need some of it. */
const MAX_SUBSCRIPTION_BYTES = 300 * 1024;

/** Why it is too large to be stored; undefined if it is not. One that is stored already may stay as large as it is. */
export function findSizeProblem(wanted: Subscription, stored?: Subscription): string | undefined {
  const bytes = storedBytesOf(wanted);
  if (bytes <= Math.max(MAX_SUBSCRIPTION_BYTES, stored === undefined ? 0 : storedBytesOf(stored))) return undefined;
  return `expected a subscription of at most ${MAX_SUBSCRIPTION_BYTES / 1024} KB, got ${Math.ceil(bytes / 1024)} KB: shorten its filter or its template`;
}

/** Throws for one that is too large. */
export function assertStorable(wanted: Subscription, stored?: Subscription): void {
  const problem = findSizeProblem(wanted, stored);
  if (problem !== undefined) throw new UsageError('TIDINGS_SUBSCRIPTION_TOO_LARGE', problem);
}
