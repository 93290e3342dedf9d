/**
 * How far a reader of events has come. Not a mere place: whoever records names a batch first and puts it a moment later,
 * so that one may appear before others that were read already. A cursor knows which of the last minute it has handed out.
 */

import { type Instant, MINUTE, plus } from '../../core/model/time.ts';

/** A batch is put, and what it names is written, within seconds of its name; after this nothing of it will come. */
export const RECORDING = MINUTE;

export interface Progress {
  /** Where to begin reading. @default - at the first thing kept */
  readonly from: string | undefined;
  /** Whether all of this stretch was handed out. */
  isDone(stretch: string): boolean;
  /** Whether what stands here was handed out, of a stretch that was left in its midst. */
  isTaken(stretch: string, place: string): boolean;
  take(stretch: string, place: string): void;
  pass(stretch: string): void;
  /** It is just being written: to be looked at again. */
  hold(stretch: string): void;
  /** To go on from here. */
  cursor(): string;
}

/** Stretches are read in the order of their names, which begin with an instant; each place in one begins with its name. */
export function progressFrom(after: string | undefined): Progress {
  const [from, places = '', names = ''] = after?.split(' ') ?? [];
  const done = new Set(listed(names));
  /** The last place handed out of each that was left in its midst: another may come before it and be left as well. */
  let left = listed(places);
  const held: string[] = [];
  const forget = (stretch: string) => {
    left = left.filter((place) => !place.startsWith(stretch));
  };
  return {
    from,
    isDone: (stretch) => done.has(stretch),
    isTaken: (stretch, place) => left.some((last) => last.startsWith(stretch) && place <= last),
    take(stretch, place) {
      forget(stretch);
      left.push(place);
    },
    pass(stretch) {
      forget(stretch);
      done.add(stretch);
    },
    hold: (stretch) => held.push(stretch),
    cursor() {
      // By the names alone: the reader's own clock may be wrong.
      const newest = [...done, ...left].reduce((a, b) => (a > b ? a : b));
      const horizon = plus(instantOf(newest), -RECORDING);
      const begin = held.reduce((a, b) => (a < b ? a : b), horizon);
      return [begin, left.join(','), [...done].filter((name) => name >= begin).join(',')].join(' ');
    },
  };
}

const listed = (text: string) => text.split(',').filter((one) => one !== '');

export const instantOf = (name: string): Instant => name.slice(0, 24);
