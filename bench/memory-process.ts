/** Baselines an account, sweeps it once more, and tells the peak of its own memory in kilobytes. */

import { openPoller, startAccount } from './account.ts';

const account = await startAccount(Number(process.argv[2]));
const poller = openPoller(account);
await poller.sweep();
await poller.sweep();
await poller.close();
await account.stop();
process.stdout.write(String(process.resourceUsage().maxRSS));
