/** The authority matrix of the Slack app through the real functions on the local AWS, with their permissions enforced. */

import { slackMatrix } from '../manage/slack/authority-matrix.ts';
import { startSlackCloud } from './slack-cloud.ts';

// Every row, and a person of each side of every rule; the embedded matrix has all kinds of people.
slackMatrix('in AWS', async () => {
  const { clock, ...cloud } = await startSlackCloud();
  return {
    ...cloud,
    now: clock.now,
    send: (body, type) => {
      // Each body is signed at a time of its own: two equal ones are two requests, and each asks Slack anew.
      clock.advance(30_000);
      return cloud.send(body, type);
    },
  };
}, ['admin', 'single-channel guest', 'stranger of a shared channel']);
