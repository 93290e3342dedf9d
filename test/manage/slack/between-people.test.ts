/** One person and the others of a channel, in the embedded mode. */

import { betweenPeople } from './between-people.ts';
import { startSlackWorld } from './slack-world.ts';

betweenPeople('embedded', async () => {
  const world = await startSlackWorld();
  return {
    slack: world.slack,
    stores: world.embedded,
    send: async (body, type) => (await world.send(body, { type })).status,
    settle: world.pump,
    advance: world.advance,
    stop: world.stop,
  };
});
