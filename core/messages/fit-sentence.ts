/**
 * Fits the sentence of an event into a line. What happened stays whole: long names and lists of names in it are shortened, each
 * with a sign, instead of the end of the sentence. Half a name without a sign may be that of another person.
 */

import { sayEvent } from '../events/catalogue.ts';
import { listOf } from '../events/facts.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Fields, Value } from '../model/record.ts';
import { clip } from './clip.ts';
import { clipNames } from './clip-names.ts';

/** Lengths of a name or a list of names, tried in turn. A date, an id and an amount are shorter than any of them. */
const PART_LENGTHS = [160, 120, 90, 70, 50, 36, 24];

/** The event with names as long as they fit; undefined if none are short enough. */
export function fitEvent(event: TidingsEvent, fits: (event: TidingsEvent) => boolean): TidingsEvent | undefined {
  if (fits(event)) return event;
  for (const length of PART_LENGTHS) {
    const shorter = withShortNames(event, length);
    if (fits(shorter)) return shorter;
  }
  return undefined;
}

/** @param timeZone see sayEvent */
export function fitSentence(event: TidingsEvent, length: number, timeZone?: string): string {
  // As long as a sentence that does not fit, however long its names are.
  const say = (one: TidingsEvent) => clip(sayEvent(one, timeZone), 2 * length);
  const fitted = fitEvent(event, (one) => say(one).length <= length);
  return fitted === undefined ? clip(sayEvent(event, timeZone), length) : say(fitted);
}

function withShortNames(event: TidingsEvent, length: number): TidingsEvent {
  const { record, details } = event.data;
  return {
    ...event,
    data: {
      ...event.data,
      record: { ...shortenFields(record, length), ...shortenManagers(record, length) },
      ...(details === undefined ? {} : { details: shortenFields(details, length) }),
    },
  };
}

function shortenFields(fields: Fields, length: number): Fields {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, shorten(value, length)]));
}

function shorten(value: Value, length: number): Value {
  if (typeof value === 'string') return clip(value, length);
  const isNames = Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
  return isNames ? [clipNames(listOf(value), length)] : value;
}

/** `manager` has the names of all managers if the people are known, see name-people.ts. */
function shortenManagers({ managers }: Fields, length: number): Fields {
  const names = listOf(managers);
  return names.length === 0 ? {} : { manager: clipNames(names, length) };
}
