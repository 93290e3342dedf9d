/** One person and the others of a channel, through the real functions on the local AWS, with their permissions enforced. */

import { betweenPeople } from '../manage/slack/between-people.ts';
import { startSlackCloud } from './slack-cloud.ts';

betweenPeople('in AWS', async () => {
  const { clock, ...cloud } = await startSlackCloud();
  return { ...cloud, advance: clock.advance };
});
