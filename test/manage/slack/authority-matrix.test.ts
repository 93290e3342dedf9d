/** The authority matrix in the embedded mode, with the simulated account. */

import { pollCycle } from '../../../runtime/poll-cycle.ts';
import { startSimulator } from '../../../simulator/simulator.ts';
import { NOON } from '../../samples.ts';
import { slackMatrix } from './authority-matrix.ts';
import { startSlackWorld } from './slack-world.ts';

slackMatrix('embedded', async () => {
  const simulator = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0 });
  const off = ['invoice', 'project', 'client', 'expense', 'document', 'group', 'projectmodule'];
  const source = {
    baseUrl: simulator.url,
    token: '${TOKEN}',
    timeZone: 'UTC',
    resources: Object.fromEntries(off.map((name) => [name, 'off'])),
    quota: { perMinute: 1_000_000 },
  };
  const world = await startSlackWorld({
    config: { source },
    admins: ['UADMIN', 'UOLDADMIN'],
    token: simulator.tokens.Administrator[0],
  });
  for (const one of world.embedded.config.sources) await pollCycle(world.embedded, one, {}, {});
  return {
    slack: world.slack,
    simulator,
    stores: world.embedded,
    now: world.clock.now,
    send: async (body, type) => {
      // Each body is signed at a time of its own: two equal ones are two requests, and each asks Slack anew.
      world.advance(30_000);
      return (await world.send(body, { type })).status;
    },
    settle: world.pump,
    stop: async () => {
      await world.stop();
      await simulator.stop();
    },
  };
});
