/** A clock for storms. */

import { type Clock, fromMillis, toMillis } from '../../core/model/time.ts';

/** A clock that starts at an instant, runs in real time and can be advanced. */
export function movingClock(start: string): Clock & { advance(millis: number): void } {
  let begun = toMillis(start) - performance.now();
  return {
    now: () => fromMillis(Math.floor(begun + performance.now())),
    advance: (millis) => {
      begun += millis;
    },
  };
}
