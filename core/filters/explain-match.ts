/** Explains whether a subscription matches an event, and if not, why. For `explain`; the pipeline uses `match.ts`. */

import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';
import { compileGlob } from './match.ts';
import { explainPattern, type Mismatch } from './pattern.ts';

export type MatchExplanation =
  | { readonly wanted: true }
  /** The event type does not match. */
  | { readonly wanted: false; readonly because: 'type'; readonly events: readonly string[] }
  /** The type matches, but the content does not. */
  | { readonly wanted: false; readonly because: 'where'; readonly mismatches: readonly Mismatch[] };

export function explainMatch({ events, where }: Subscription, event: TidingsEvent): MatchExplanation {
  if (!events.some((glob) => compileGlob(glob)(event.type))) return { wanted: false, because: 'type', events };
  const mismatches = where === undefined ? [] : explainPattern(where, event);
  return mismatches.length === 0 ? { wanted: true } : { wanted: false, because: 'where', mismatches };
}
