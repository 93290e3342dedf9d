/** The system clock: the only module that reads the time of day. */

import { type Clock, fromMillis } from '../core/model/time.ts';

let millis = 0;
let text = fromMillis(millis);

export const systemClock: Clock = {
  now: () => {
    // Cached per millisecond: it is called several times per delivery, and formatting costs more than reading the clock.
    const now = Date.now();
    if (now !== millis) {
      millis = now;
      text = fromMillis(now);
    }
    return text;
  },
};
