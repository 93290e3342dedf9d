/** A clock that goes on by a millisecond each time it is asked, so that no test depends on how fast it runs. */

import { type Clock, type Instant, plus } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';

export function tickingClock(from: Instant = NOON): Clock {
  let millis = 0;
  return { now: () => plus(from, millis++) };
}
