/** A clock that advances by a millisecond per call, so that no test depends on its speed. */

import { type Clock, type Instant, plus } from '../../../core/model/time.ts';
import { NOON } from '../../samples.ts';

export function tickingClock(from: Instant = NOON): Clock {
  let millis = 0;
  return { now: () => plus(from, millis++) };
}
