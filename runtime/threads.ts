/** The threads that the service starts: their files, and their priority. */

import { setPriority } from 'node:os';

/** By name: the folder of the source. */
const FOLDERS = {
  'api-thread': 'service',
  'http-thread': 'service',
  'template-thread': 'runtime/embedded',
  'filter-thread': 'runtime/embedded',
} as const;

/** The file of a thread: the sources in a clone, which need the hooks of bin/node-version.mjs; the build in the installed package. */
export function threadFile(name: keyof typeof FOLDERS): { readonly file: URL; readonly execArgv: string[] } {
  if (!import.meta.url.endsWith('.ts')) return { file: new URL(`./${name}.js`, import.meta.url), execArgv: [] };
  const hooks = new URL('../bin/node-version.mjs', import.meta.url);
  return { file: new URL(`../${FOLDERS[name]}/${name}.ts`, import.meta.url), execArgv: ['--import', hooks.href] };
}

const LOW_PRIORITY = 10;

/** Where threads compete for a CPU, those that poll and deliver come before this one. Linux has a priority for each thread. */
export function lowerPriority(): void {
  try {
    if (process.platform === 'linux') setPriority(LOW_PRIORITY);
  } catch {
    // A sandbox may forbid it. Then the threads share the CPU evenly.
  }
}
