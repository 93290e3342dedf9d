/** Runs the soak in its own process, so that the heap is only its own, and prints the report. Needs --expose-gc. */

import { runSoak, type SoakOptions } from './soak.ts';

const options: SoakOptions = JSON.parse(process.argv[2] ?? '');
const { gc } = globalThis;
if (gc === undefined) throw new Error('needs --expose-gc');
const heap = () => {
  gc();
  return process.memoryUsage().heapUsed;
};
process.stdout.write(JSON.stringify(await runSoak({ ...options, heap })));
