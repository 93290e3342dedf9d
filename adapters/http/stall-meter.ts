/**
 * Measures how much CPU time of this thread a piece of work may have taken at once, while other work goes on: the most between two looks
 * at the clock, a few milliseconds apart. The time of the whole would count the work of others, too.
 */

import { threadCpuMillis } from '../thread-cpu.ts';

const LOOK_EVERY_MS = 5;

export interface StallMeter {
  /** Returns what ends the measurement, and returns the milliseconds. */
  begin(): () => number;
}

/** @param cpuMillis the CPU time of this thread so far */
export function createStallMeter(cpuMillis: () => number = threadCpuMillis): StallMeter {
  const open = new Set<{ most: number }>();
  let last = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const now = cpuMillis();
    for (const one of open) one.most = Math.max(one.most, now - last);
    last = now;
  };
  return {
    begin() {
      // What came before is not part of it.
      look();
      const measured = { most: 0 };
      open.add(measured);
      timer ??= setInterval(look, LOOK_EVERY_MS).unref();
      return () => {
        look();
        open.delete(measured);
        if (open.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
        return measured.most;
      };
    },
  };
}
