/**
 * Limits a process to a share of one CPU, as Lambda does: with a quota of the kernel where its control groups are writable,
 * otherwise by stopping and continuing the process.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

export interface CpuLimit {
  /** How the process is limited. */
  readonly by: 'quota' | 'signals';
  stop(): Promise<void>;
}

/** Each period grants a new share. A short one spreads the work evenly. */
const PERIOD_MICROS = 20_000;

export function limitCpu(pid: number, share: number): CpuLimit {
  const folder = createGroup(pid, share);
  if (folder === undefined) return limitBySignals(pid, share);
  return {
    by: 'quota',
    async stop() {
      // Its process has ended, but the kernel may take a moment.
      for (let tries = 0; tries < 50 && existsSync(folder); tries++) {
        try {
          rmdirSync(folder);
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    },
  };
}

/** Computes for a second, and prints the share of the CPU that it got. */
const BUSY = `
  const startedAt = performance.now();
  const before = process.cpuUsage();
  while (performance.now() - startedAt < 1000);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(String((user + system) / 1000 / (performance.now() - startedAt)));
`;

/** What a busy process gets when it is limited to a share. */
export async function measureShare(share: number): Promise<{ share: number; by: CpuLimit['by'] }> {
  const child = spawn(process.execPath, ['-e', `process.stdin.once('data', () => { ${BUSY}; process.exit(0) })`]);
  if (child.pid === undefined) throw new Error('expected a process');
  const limit = limitCpu(child.pid, share);
  child.stdin.write('go\n');
  const [measured] = await once(child.stdout, 'data');
  await limit.stop();
  return { share: Number(measured), by: limit.by };
}

/** Version 2 of control groups, then version 1. Undefined if neither can be written. */
function createGroup(pid: number, share: number): string | undefined {
  const quota = Math.round(share * PERIOD_MICROS);
  const roots = [
    { root: '/sys/fs/cgroup', files: { 'cpu.max': `${quota} ${PERIOD_MICROS}` } },
    { root: '/sys/fs/cgroup/cpu', files: { 'cpu.cfs_period_us': `${PERIOD_MICROS}`, 'cpu.cfs_quota_us': `${quota}` } },
  ];
  for (const { root, files } of roots) {
    const folder = join(root, `tidings-bench-${pid}`);
    try {
      mkdirSync(folder);
      // Outside of a control group file system this would create plain files.
      if (!Object.keys(files).every((name) => existsSync(join(folder, name)))) throw new Error('no control group');
      for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), value);
      writeFileSync(join(folder, 'cgroup.procs'), String(pid));
      return folder;
    } catch {
      if (existsSync(folder)) rmdirSync(folder);
    }
  }
  return undefined;
}

/** In a thread of its own, because the emulators keep this one busy. */
function limitBySignals(pid: number, share: number): CpuLimit {
  const worker = new Worker(`(${pauseOverspending})(${pid}, ${share}, ${PERIOD_MICROS / 1000})`, { eval: true });
  return {
    by: 'signals',
    async stop() {
      await worker.terminate();
    },
  };
}

/** Stops the process while it has used more than its share. Unused time counts for one period. */
function pauseOverspending(pid: number, share: number, period: number): void {
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const wait = new Int32Array(new SharedArrayBuffer(4));
  const usedMillis = () => {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13);
    // Hundredths of a second.
    return (Number(user) + Number(system)) * 10;
  };
  let [last, used, balance, isStopped] = [performance.now(), usedMillis(), 0, false];
  for (;;) {
    Atomics.wait(wait, 0, 0, 2);
    try {
      const [now, total] = [performance.now(), usedMillis()];
      balance = Math.min(period, balance + (now - last) * share - (total - used));
      [last, used] = [now, total];
      if (balance < 0 === isStopped) continue;
      isStopped = !isStopped;
      process.kill(pid, isStopped ? 'SIGSTOP' : 'SIGCONT');
    } catch {
      return;
    }
  }
}
