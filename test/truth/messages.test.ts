/** The short form of the truth run `messages`: every mail and Slack message is true of the account at the time of sending. */

import { expect, it } from 'vitest';
import { runMessages } from './messages.ts';

it('tells the people concerned by then, with the names, amounts and numbers of then', async () => {
  const { mails, slack, judged, announced, untrue } = await runMessages({ seed: 1, days: 3 });
  expect(untrue).toEqual([]);
  // An empty mailbox would be true as well.
  expect(Math.min(mails, slack)).toBeGreaterThan(20);
  expect(announced).toBeGreaterThan(5);
  expect(Math.min(...Object.values(judged))).toBeGreaterThan(0);
});
