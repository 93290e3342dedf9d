/** The CPU time of this thread, for limits of work: unlike wall time it does not grow while the machine is busy or a store is waited for. */

/** Milliseconds since the thread started. */
export function threadCpuMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
