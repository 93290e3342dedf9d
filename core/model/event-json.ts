/**
 * The text an event was kept as, so that it need not be written down once more to be sent. A shortcut, never the truth:
 * where nobody noted one, the text is made anew and is the same.
 */

import type { TidingsEvent } from './event.ts';

const texts = new WeakMap<TidingsEvent, string>();

/** `text`: what JSON made of this very event, which nobody changes any more. */
export function cacheJson(event: TidingsEvent, text: string): TidingsEvent {
  texts.set(event, text);
  return event;
}

export function toJson(event: TidingsEvent): string {
  return texts.get(event) ?? JSON.stringify(event);
}
