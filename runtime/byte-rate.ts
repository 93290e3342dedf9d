/** Limits how many bytes of callers without a key are read, or sent to them, in a time. The cost is that of this process, so it counts alone. */

import { SECOND } from '../core/model/time.ts';

export interface ByteRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Whether so much more may be read or sent now. */
export type TakeBytes = (bytes: number) => boolean;

/** @param now milliseconds of the real clock */
export function createByteRate({ burst, perSecond }: ByteRate, now: () => number = () => performance.now()): TakeBytes {
  let left = burst;
  let at = now();
  return (bytes) => {
    const current = now();
    left = Math.min(burst, left + ((current - at) / SECOND) * perSecond);
    at = current;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
}
