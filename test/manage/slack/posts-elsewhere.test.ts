/** Subscriptions that have the id or the name of a channel, and post into one of another workspace: people of the channel read nothing of them. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { event, subscription } from '../../samples.ts';
import { type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld();
  await add('by-id', { channel: 'C1' }, { events: ['task.assigned'] });
});
afterEach(async () => world.stop());

const add = (name: string, settings: object, more: Parameters<typeof subscription>[1] = {}) =>
  world.embedded.subscriptions.add(subscription(name, { to: { channel: 'slack', settings }, ...more }));

/** What the channel reads of its subscriptions, and of an event that nobody offers. */
async function readAll() {
  await world.record(event('1', { type: 'invoice.paid', subject: 'invoice/1', time: world.clock.now() }));
  const texts: string[] = [];
  for (const command of ['list', 'why invoice/1', 'preview', 'pause 1h']) {
    texts.push(textIn((await world.type(command)).replies));
  }
  return texts.join();
}

it.each([
  ['another token', { channel: 'C1', token: 'xoxb-other' }],
  ['another API', { channel: 'C1', token: '${BOT}', api: 'http://127.0.0.1:1/api/' }],
  ['another token and API', { channel: '#website', token: 'xoxb-other', api: 'http://127.0.0.1:1/api/' }],
  ['another token, as the fallback', { to: 'assignees', fallback: 'C1', token: 'xoxb-other' }],
])('with %s', async (_, settings) => {
  await add('of-key', settings, { owner: 'k1', declared: false });
  const told = await readAll();
  expect(told).toContain('1 subscription: by-id');
  expect(told).not.toMatch(/of-key|invoice\.paid/);
});

it.each([{ channel: '#website' }, { channel: 'website' }, { to: 'assignees', fallback: '#website' }])(
  'by the name of a channel, where the app is installed in all workspaces of an organisation: %j',
  async (settings) => {
    const identity = { ok: true, team_id: 'T1', enterprise_id: 'E1', is_enterprise_install: true, bot_id: 'B1' };
    world.slack.failures.set('auth.test', [{ status: 200, body: identity }]);
    await add('by-name', settings);
    const told = await readAll();
    expect(told).toContain('1 subscription: by-id');
    expect(told).not.toMatch(/by-name|invoice\.paid/);
  },
);
