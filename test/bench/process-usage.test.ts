import { describe, expect, it } from 'vitest';
import { findProcesses, parseStat, readUsage, withDescendants } from '../../bench/process-usage.ts';

describe('the usage of processes', () => {
  it('reads a line of /proc, whatever the name of the process', () => {
    const rest = 'S 17 42 42 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0 12345 1 2';
    expect(parseStat(`42 (a) b (c) ${rest}`)).toEqual({ pid: 42, name: 'a) b (c', parent: 17, cpuSeconds: 2.5 });
    expect(parseStat('')).toBeUndefined();
  });

  it('is unknown without processes', () => {
    expect(readUsage([])).toBeUndefined();
  });

  it('includes descendants, each once', () => {
    const stat = (pid: number, parent: number) => ({ pid, parent, name: 'postgres', cpuSeconds: 1 });
    const all = [stat(1, 0), stat(2, 1), stat(3, 2), stat(4, 3), stat(5, 1)];
    const pids = withDescendants([2, 4], all).map(({ pid }) => pid);
    expect(pids.toSorted()).toEqual([2, 3, 4]);
  });

  if (process.platform === 'linux') {
    it('is read from the running system', () => {
      const usage = readUsage([process.pid]);
      expect(usage?.rss).toBeGreaterThan(process.memoryUsage.rss() / 2);
      expect(usage?.cpuSeconds).toBeGreaterThan(0);
      expect(findProcesses('no such process')).toEqual([]);
    });
  }
});
