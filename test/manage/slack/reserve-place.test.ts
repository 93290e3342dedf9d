/** The places of subscriptions among those that a channel may have without an admin, with several processes. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MINUTE } from '../../../core/model/time.ts';
import { openSlackPorts } from '../../../manage/slack/open-slack.ts';
import { releasePlaces, reservePlaces } from '../../../manage/slack/reserve-place.ts';
import { runSlackWork } from '../../../manage/slack/run-work.ts';
import { subscription } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld();
  for (let n = 1; n < 100; n++) await world.embedded.subscriptions.add(ofChannel(`s${n}`));
});
afterEach(async () => world.stop());

const ofChannel = (name: string) =>
  subscription(name, {
    declared: false,
    owner: 'slack:C1',
    to: { channel: 'slack', settings: { channel: 'C1' } },
    madeBy: { id: 'UOTHER', name: 'other', request: name },
  });

const wanted = (id: string, user = 'UANN') => ({ id, place: { channel: 'C1', user } });

it('of a channel are not exceeded by two processes', async () => {
  const buttons = [];
  for (const user of ['UANN', 'UBEN']) {
    const { replies } = await world.type('subscribe task.overdue', { user });
    buttons.push({ user, button: findButton(replies[0], 'Subscribe') });
  }
  const before = world.slack.responses.length;
  for (const { user, button } of buttons) await world.send(world.actionBody(button, { user }));
  const other = openSlackPorts({ ...world.embedded, mode: 'embedded', holder: 'other' });
  if (other === undefined) throw new Error('no Slack app');
  const jobs = await world.embedded.queue.receive({ limit: 2, visibility: MINUTE }, world.clock.now());
  const tasks = jobs.map(({ job }) => (job.kind === 'task' ? job.task : ''));
  let lines = 0;
  const line = Promise.withResolvers<void>();
  world.slack.gates.set('chat.postMessage', () => {
    lines += 1;
    return line.promise;
  });
  const works = [world.ports, other].map((ports, n) => runSlackWork(ports, tasks[n] ?? ''));
  try {
    await vi.waitFor(() => expect(lines + world.slack.responses.length - before).toBe(2), 10_000);
  } finally {
    line.resolve();
    await Promise.all(works);
  }
  expect(await world.embedded.subscriptions.list()).toHaveLength(100);
  expect(textIn(world.slack.responses.slice(before))).toContain(
    'Nothing was subscribed: this channel has 100 subscriptions already.',
  );
});

it('are reserved once however often the work is repeated, and free again', async () => {
  expect(await reservePlaces(world.ports, wanted('a'))).toEqual([]);
  expect(await reservePlaces(world.ports, wanted('a'))).toEqual([]);
  expect(await reservePlaces(world.ports, wanted('b', 'UBEN'))).toEqual(['this channel has 100 subscriptions already']);
  await releasePlaces(world.ports, wanted('a'));
  expect(await reservePlaces(world.ports, wanted('b', 'UBEN'))).toEqual([]);
  // A process that died leaves its place after a while.
  world.advance(31 * MINUTE);
  expect(await reservePlaces(world.ports, wanted('c'))).toEqual([]);
  // What was made takes its own place, not another one.
  await world.embedded.subscriptions.add(ofChannel('c'));
  expect(await reservePlaces(world.ports, wanted('c'))).toEqual([]);
  expect(await reservePlaces(world.ports, wanted('d'))).toEqual(['this channel has 100 subscriptions already']);
});
