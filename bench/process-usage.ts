/** CPU time and memory of processes and all their descendants, from /proc. Undefined on systems without it. */

import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** CPU time since the start of the processes, in seconds, with that of children that have ended. */
  readonly cpuSeconds: number;
  /** Resident memory in bytes. Memory that several processes share is counted once for each. */
  readonly rss: number;
  /** Proportional memory in bytes: shared memory is divided among the processes. Undefined if it cannot be read. */
  readonly pss: number | undefined;
}

interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly cpuSeconds: number;
}

/** Linux reports CPU time in hundredths of a second on every architecture. */
const TICKS_PER_SECOND = 100;

/** @param pids of processes that run; those of their descendants are found here */
export function readUsage(pids: readonly number[]): ProcessUsage | undefined {
  const all = readStats();
  if (all === undefined || pids.length === 0) return undefined;
  const counted = withDescendants(pids, all);
  const pss = counted.map(({ pid }) => kilobytesIn(`/proc/${pid}/smaps_rollup`, 'Pss'));
  return {
    cpuSeconds: counted.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    rss: counted.reduce((sum, { pid }) => sum + (kilobytesIn(`/proc/${pid}/status`, 'VmRSS') ?? 0), 0) * 1024,
    pss: pss.includes(undefined) ? undefined : pss.reduce<number>((sum, one) => sum + (one ?? 0), 0) * 1024,
  };
}

/** The peak of this process's resident memory in bytes. The system call counts that of the process that started it too. */
export function peakMemory(): number {
  return (kilobytesIn('/proc/self/status', 'VmHWM') ?? process.resourceUsage().maxRSS) * 1024;
}

/** Ids of the processes with this name, as `ps -e` shows it. */
export function findProcesses(name: string): readonly number[] {
  return (readStats() ?? []).filter((one) => one.name === name).map(({ pid }) => pid);
}

function readStats(): readonly ProcessStat[] | undefined {
  try {
    const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
    return pids.flatMap((pid) => parseStat(readText(`/proc/${pid}/stat`)) ?? []);
  } catch {
    return undefined;
  }
}

/** The name is in parentheses and may itself contain spaces and parentheses. */
export function parseStat(text: string): ProcessStat | undefined {
  const [, pid, name = '', rest = ''] = /^(\d+) \((.*)\) (.*)$/s.exec(text) ?? [];
  if (pid === undefined) return undefined;
  const fields = rest.split(' ').map(Number);
  // utime, stime, cutime and cstime: fields 14 to 17 of the line, whose third is the first here.
  const ticks = fields.slice(11, 15).reduce((sum, one) => sum + one, 0);
  return { pid: Number(pid), name, parent: fields[1] ?? 0, cpuSeconds: ticks / TICKS_PER_SECOND };
}

/** The processes with these ids and all that they started. */
export function withDescendants(pids: readonly number[], all: readonly ProcessStat[]): readonly ProcessStat[] {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found = new Map<number, ProcessStat>();
  const add = (stat: ProcessStat) => {
    if (found.has(stat.pid)) return;
    found.set(stat.pid, stat);
    for (const child of children.get(stat.pid) ?? []) add(child);
  };
  for (const stat of all) if (pids.includes(stat.pid)) add(stat);
  return [...found.values()];
}

function kilobytesIn(file: string, key: string): number | undefined {
  const [, kilobytes] = new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(readText(file)) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes);
}

/** Empty if the process has ended, or belongs to another user. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
