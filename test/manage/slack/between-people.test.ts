/** One person and the others of a channel, in the embedded mode. */

import { jobFor } from '../../../core/ports/queue.ts';
import { betweenPeople } from './between-people.ts';
import { startSlackWorld } from './slack-world.ts';

betweenPeople('embedded', async () => {
  const world = await startSlackWorld();
  return {
    slack: world.slack,
    stores: world.embedded,
    send: async (body, type) => (await world.send(body, { type })).status,
    settle: world.pump,
    announce: async (event, delivery) => {
      const { events, queue } = world.embedded;
      await events.record([{ event, deliveries: [delivery] }]);
      await queue.send([jobFor(delivery)], world.clock.now());
    },
    now: world.clock.now,
    advance: world.advance,
    stop: world.stop,
  };
});
