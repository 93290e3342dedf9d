/** One person and the others of a channel, through the real functions on the local AWS, with their permissions enforced. */

import { encodeJob } from '../../adapters/sqs/job.ts';
import { jobFor } from '../../core/ports/queue.ts';
import { betweenPeople } from '../manage/slack/between-people.ts';
import { startSlackCloud } from './slack-cloud.ts';

betweenPeople('in AWS', async () => {
  const { clock, ...cloud } = await startSlackCloud();
  return {
    ...cloud,
    announce: async (event, delivery) => {
      await cloud.stores.events.record([{ event, deliveries: [delivery] }]);
      await cloud.queues.send(encodeJob(jobFor(delivery)));
    },
    now: clock.now,
    advance: clock.advance,
  };
});
