/** Runs one year in a thread of its own and posts its report: two zones on two cores take as long as one. */

import { parentPort, workerData } from 'node:worker_threads';
import { runYear, type YearOptions } from './year.ts';

parentPort?.postMessage(await runYear(workerData as YearOptions));
