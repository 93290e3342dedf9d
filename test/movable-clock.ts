/** A clock that a test moves ahead of the real time. */

import { type Clock, fromMillis } from '../core/model/time.ts';

/** Close to real time, because receivers reject signatures that are minutes off. */
export function movableClock(advanced: (millis: number) => void = () => {}) {
  let ahead = 0;
  const clock: Clock & { advance(millis: number): void } = {
    now: () => fromMillis(Date.now() + ahead),
    advance: (millis) => {
      ahead += millis;
      advanced(millis);
    },
  };
  return clock;
}
