/** Baselines an account, sweeps it again, and prints the peak memory of the process in kilobytes. */

import { openPoller, startAccount } from './account.ts';
import { peakMemory } from './process-usage.ts';

const account = await startAccount(Number(process.argv[2]));
const poller = openPoller(account);
await poller.sweep();
await poller.sweep();
await poller.close();
await account.stop();
process.stdout.write(String(peakMemory() / 1024));
