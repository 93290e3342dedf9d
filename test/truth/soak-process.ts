/** Runs the soak in a process of its own, so that its heap is nobody else's, and tells the report. Needs --expose-gc. */

import { runSoak, type SoakOptions } from './soak.ts';

const options: SoakOptions = JSON.parse(process.argv[2] ?? '');
const { gc } = globalThis;
if (gc === undefined) throw new Error('needs --expose-gc');
const heap = () => {
  gc();
  return process.memoryUsage().heapUsed;
};
process.stdout.write(JSON.stringify(await runSoak({ ...options, heap })));
