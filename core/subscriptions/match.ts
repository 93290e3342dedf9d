/** Decides which subscriptions want an event. Pure; compiled once per set of subscriptions. */

import type { TidingsEvent } from '../model/event.ts';
import type { Subscription } from '../model/subscription.ts';

export type Matcher = (event: TidingsEvent) => readonly Subscription[];

/** `*` stands for any run of characters, dots included: `task.*`, `*.closed`, `*`. */
export function compileGlob(glob: string): (type: string) => boolean {
  const source = glob.split('*').map(escapeRegExp).join('.*');
  const pattern = new RegExp(`^${source}$`, 's');
  return (type) => pattern.test(type);
}

/** Most events share few types: what a type matches is found once and remembered. */
export function compileMatcher(subscriptions: readonly Subscription[]): Matcher {
  const compiled = subscriptions.map((subscription) => ({
    subscription,
    wants: subscription.events.map(compileGlob),
  }));
  const byType = new Map<string, readonly Subscription[]>();
  return ({ type }) => {
    const known = byType.get(type);
    if (known !== undefined) return known;
    const matched = compiled
      .filter(({ wants }) => wants.some((wants) => wants(type)))
      .map(({ subscription }) => subscription);
    byType.set(type, matched);
    return matched;
  };
}

function escapeRegExp(text: string): string {
  return text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
}
