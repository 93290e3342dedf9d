/** Explains whether a subscription matches an event, and if not, why. For `explain`; the pipeline uses `match.ts`. */

import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import { compileFilter, compileTypes } from './match.ts';
import type { Mismatch } from './pattern.ts';
import { explainTree } from './pattern-explain.ts';

export type MatchExplanation =
  | { readonly wanted: true }
  /** The event type does not match. */
  | { readonly wanted: false; readonly because: 'type'; readonly events: readonly string[] }
  /** The type matches, but the content does not: the first conditions that are not met. */
  | { readonly wanted: false; readonly because: 'where'; readonly mismatches: readonly Mismatch[] };

export function explainMatch(subscription: Subscription, event: TidingsEvent): MatchExplanation {
  const { tree } = compileFilter(subscription);
  const { events } = subscription;
  if (!compileTypes(subscription)(event.type)) return { wanted: false, because: 'type', events };
  const mismatches = tree === undefined ? [] : explainTree(tree, event);
  return mismatches.length === 0 ? { wanted: true } : { wanted: false, because: 'where', mismatches };
}
