/** The metadata of a form names no subscription: forms make new ones only, whatever the metadata says. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDelivery } from '../../../core/model/delivery.ts';
import { readMembership } from '../../../manage/slack/authority.ts';
import { makeOnce } from '../../../manage/slack/make-subscription.ts';
import { SUBSCRIBE_FORM } from '../../../manage/slack/modal.ts';
import { event, snapshot } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  const board = { name: 'board', events: ['invoice.paid'], digest: { at: '17:00' }, to: { slack: { channel: 'C2' } } };
  world = await startSlackWorld({ offer: ['task.*'], config: { subscriptions: [board] } });
  world.slack.guests.add('UGUEST');
});
afterEach(async () => world.stop());

const own = async () =>
  (await world.embedded.subscriptions.list())
    .filter(({ declared }) => !declared)
    .map(({ name, events, madeBy }) => [name, events, madeBy?.id]);

/** Submits the form. Returns what the person reads. */
async function submit(replaces: string, { type = 'task.overdue', schedule = 'daily 17:00', user = 'UANN' } = {}) {
  const inputs = { events: { selected_options: [{ value: type }] }, schedule: { value: schedule } };
  const metadata = JSON.stringify({ channel: 'C1', channelName: 'website', replaces });
  await world.submit(SUBSCRIBE_FORM, inputs, { user, metadata });
  return world.slack.callsOf('chat.postEphemeral').at(-1);
}

it('shows nothing that waits for the subscription of another channel, and changes nothing of it', async () => {
  const now = world.clock.now();
  const record = { id: '1', number: '77', client: 'ACME' };
  const key = { source: 'main', resource: 'invoice', id: '1' };
  await world.embedded.snapshots.commit([
    { snapshot: snapshot('1', { key, record, version: 2, stage: {} }), expected: 0 },
  ]);
  const { data, ...base } = event('1', { type: 'invoice.paid', subject: 'invoice/1', time: now });
  const one = { ...base, data: { ...data, record } };
  const waits = { status: 'waiting' as const, dueAt: '2026-11-14T17:00:00.000Z' };
  await world.embedded.events.record([{ event: one, deliveries: [{ ...openDelivery(one, 'board', now), ...waits }] }]);
  const before = await world.embedded.subscriptions.get('board');
  const preview = await submit('board');
  expect(textIn(preview)).not.toMatch(/ACME|Invoice/);
  await world.press(findButton(preview, 'Subscribe'));
  expect(await world.embedded.subscriptions.get('board')).toEqual(before);
  expect(await own()).toEqual([['website', ['task.overdue'], 'UANN']]);
  expect(textIn(world.slack.callsOf('chat.postMessage').at(-1))).toContain('<@UANN> subscribed this channel to');
});

it.each(['', 'all', 'A B:C/..', '__proto__', 'x'.repeat(2500)])('gives no name of its own: %j', async (name) => {
  await world.press(findButton(await submit(name), 'Subscribe'));
  expect(await own()).toEqual([['website', ['task.overdue'], 'UANN']]);
});

it('ends no other subscription of the channel', async () => {
  const { replies } = await world.type('subscribe task.overdue');
  await world.press(findButton(replies[0], 'Subscribe'));
  const preview = await submit('website', { type: 'task.closed', schedule: '', user: 'UGUEST' });
  await world.press(findButton(preview, 'Ask an admin'), { user: 'UGUEST' });
  const request = world.slack.callsOf('chat.postMessage').at(-1);
  await world.press(findButton(request, 'Allow'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
  expect(await own()).toEqual([
    ['website', ['task.overdue'], 'UANN'],
    ['website-2', ['task.closed'], 'UGUEST'],
  ]);
});

it('also of a preview that an earlier version stored', async () => {
  const preview = await submit('');
  const { value } = findButton(preview, 'Subscribe');
  const draft = (await world.ports.documents.get('slack-draft', value)) ?? {};
  await world.ports.documents.save('slack-draft', value, { ...draft, replaces: 'board' }, null);
  await world.press(findButton(preview, 'Subscribe'));
  expect(await own()).toEqual([['website', ['task.overdue'], 'UANN']]);
});

it('a change of one that is gone by then gives its name to no other', async () => {
  const place = { user: 'UANN', userName: 'uann', channel: 'C1', channelName: 'website' };
  const draft = { query: 'task.overdue', place, replaces: 'gone' };
  const task = { id: 'slk_1', verb: 'digest', args: {}, place, at: world.clock.now(), status: 'open' as const };
  const running = {
    task: { ...task, failures: 0, responses: 0, steps: {} },
    step: (_: string, run: () => Promise<string>) => run(),
    useResponseUrl: async () => false,
  };
  const membership = await readMembership(world.ports, place);
  await makeOnce(world.ports, running, { id: 'slk_1', draft, membership });
  expect(await own()).toEqual([['website', ['task.overdue'], 'UANN']]);
});
