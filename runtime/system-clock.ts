/** The machine's own clock: the only place where the time of day enters the program. */

import { type Clock, fromMillis } from '../core/model/time.ts';

export const systemClock: Clock = { now: () => fromMillis(Date.now()) };
