/** Turns parsed sections of a config into their stored form: options that are not set have no key. */

import type { Subscription } from '../../core/model/subscription.ts';
import type { ParsedConfig } from './schema.ts';
import { isConfigSection } from './values.ts';

export function toSubscription(parsed: ParsedConfig['subscriptions'][number]): Subscription {
  return { ...withoutUndefined(parsed), declared: true };
}

/** Drops keys with the value undefined, which the schema allows. Recurses into sections, not into lists. */
export function withoutUndefined<T extends object>(section: T): Defined<T> {
  const kept = Object.entries(section).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [[key, isConfigSection(value) ? withoutUndefined(value) : value] as const];
  });
  return Object.fromEntries(kept) as Defined<T>;
}

export type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };
