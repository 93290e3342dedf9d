/** One person and the others of a channel, through the real functions on the local AWS, with their permissions enforced. */

import { peopleInTurns } from '../manage/slack/people-in-turns.ts';
import { startSlackCloud } from './slack-cloud.ts';

peopleInTurns('in AWS', async () => {
  const { clock, ...cloud } = await startSlackCloud();
  return { ...cloud, advance: clock.advance };
});
