/** The machine's own clock: the only place where the time of day enters the program. */

import { type Clock, fromMillis } from '../core/model/time.ts';

let millis = 0;
let text = fromMillis(millis);

export const systemClock: Clock = {
  now: () => {
    // Asked several times for each delivery, and writing an instant down takes longer than looking at the clock.
    const now = Date.now();
    if (now !== millis) {
      millis = now;
      text = fromMillis(now);
    }
    return text;
  },
};
