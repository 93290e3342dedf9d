/** Runs one year in a worker thread and posts its report, so that two zones use two cores. */

import { parentPort, workerData } from 'node:worker_threads';
import { runYear, type YearOptions } from './year.ts';

parentPort?.postMessage(await runYear(workerData as YearOptions));
