/** Runs `year` with one defect in the product, in a worker thread, and posts its report. */

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { Mutation } from './mutations.ts';
import type { YearOptions } from './year.ts';

const { mutation, options } = workerData as { readonly mutation: Mutation; readonly options: YearOptions };
const mutated = new URL(`../../${mutation.file}`, import.meta.url);

registerHooks({
  load(url, context, nextLoad) {
    if (url !== mutated.href) return nextLoad(url, context);
    const source = readFileSync(mutated, 'utf8').replace(mutation.find, () => mutation.replace);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

// Only after the hook: the product is loaded with this import.
const { runYear } = await import('./year.ts');
parentPort?.postMessage(await runYear(options));
