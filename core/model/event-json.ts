/**
 * Caches the JSON an event was stored as, so that it is not serialized again to be sent. Without a cached text the event
 * is serialized, with the same result.
 */

import type { TidingsEvent } from './event.ts';

const texts = new WeakMap<TidingsEvent, string>();

/** `text`: the JSON of this event, which must not change afterwards. */
export function cacheJson(event: TidingsEvent, text: string): TidingsEvent {
  texts.set(event, text);
  return event;
}

export function toJson(event: TidingsEvent): string {
  return texts.get(event) ?? JSON.stringify(event);
}
