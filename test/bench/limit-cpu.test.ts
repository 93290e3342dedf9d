import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { limitCpu } from '../../bench/limit-cpu.ts';

/** Computes for a second, and prints the share of the CPU that it got. */
const BUSY = `
  const startedAt = performance.now();
  const before = process.cpuUsage();
  while (performance.now() - startedAt < 1000);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(String((user + system) / 1000 / (performance.now() - startedAt)));
`;

it.each([undefined, 'signals'] as const)('a busy process gets its share of the CPU, by %s', async (by) => {
  const child = spawn(process.execPath, ['-e', `process.stdin.once('data', () => { ${BUSY}; process.exit(0) })`]);
  if (child.pid === undefined) throw new Error('expected a process');
  const limit = limitCpu(child.pid, 0.25, by);
  child.stdin.write('go\n');
  const [share] = await once(child.stdout, 'data');
  await limit.stop();
  // A busy machine gives it less.
  expect(Number(share)).toBeLessThan(0.4);
  expect(Number(share)).toBeGreaterThan(0);
});
