/** The CPU time of this thread: unlike wall-clock time, it does not grow when the machine is busy. */

/** Milliseconds of CPU time since the thread started. */
export function cpuMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
