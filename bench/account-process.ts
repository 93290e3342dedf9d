/** Runs a simulated account in a child process: prints its address and runs until it is killed. */

import { startSimulator } from '../simulator/simulator.ts';

const tasks = Number(process.argv[2]);
const { url, controlUrl, tokens } = await startSimulator({
  tasks,
  quota: 1_000_000_000,
  projects: 500,
  invoices: 20,
  timeEntries: 20,
  expenses: 10,
  documents: 10,
});
process.stdout.write(`${JSON.stringify({ url, controlUrl, token: tokens.Administrator[0] })}\n`);
