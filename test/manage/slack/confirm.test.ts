/** *Subscribe* while Slack does not show the channel, or is busy: nothing is made without the consent it needs, and nothing is lost. */

import { afterEach, describe, expect, it } from 'vitest';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
afterEach(async () => world.stop());

describe('Subscribe in a private channel that Slack does not show yet', () => {
  const EVE = { user: 'UEVE', channel: 'C9' };

  it.each([
    ['while it is worked on', []],
    ['while Slack is busy', [{ status: 429, body: { ok: false, error: 'ratelimited' } }]],
  ])('makes nothing if the bot is invited %s, and asks an admin afterwards', async (_, failures) => {
    world = await startSlackWorld({ offer: ['task.*'] });
    const channel = world.slack.channel('C9', 'with-acme');
    Object.assign(channel, { isPrivate: true, isShared: true, hasBot: false });
    const { slack } = world.ports;
    const { call } = slack;
    Object.assign(slack, {
      call: async (...[method, args]: Parameters<typeof call>) => {
        if (args.channel === 'C9' && method === 'conversations.info' && !channel.hasBot)
          return { ok: false, error: 'channel_not_found' };
        if (args.channel === 'C9' && method === 'chat.postMessage') channel.hasBot = true;
        return call(method, args);
      },
    });
    const { replies } = await world.type('subscribe task.*', EVE);
    world.slack.failures.set('chat.postMessage', failures);
    await world.press(findButton(replies[0], 'Subscribe'), EVE);
    channel.hasBot = true;
    world.advance(60_000);
    await world.pump();
    expect(await world.embedded.subscriptions.list()).toEqual([]);
    const again = await world.type('subscribe task.*', EVE);
    expect(textIn(again.replies)).toContain('people of another organisation are in this channel');
  });
});

it('Subscribe that failed while Slack was busy may be pressed again', async () => {
  world = await startSlackWorld({ offer: ['task.*'] });
  const { replies } = await world.type('subscribe task.overdue');
  const button = findButton(replies[0], 'Subscribe');
  world.slack.failures.set('chat.postMessage', Array(6).fill({ status: 503, body: {} }));
  await world.press(button);
  for (let run = 0; run < 8; run++) {
    world.advance(5 * 60_000);
    await world.pump();
  }
  expect(await world.embedded.subscriptions.list()).toEqual([]);
  world.errors.splice(0);
  expect(textIn((await world.press(button)).replies)).toContain('Done: `website`.');
});
