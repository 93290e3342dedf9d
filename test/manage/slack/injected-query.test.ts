/** Texts of records in queries: no name of a project or person adds events that nobody allowed. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDelivery } from '../../../core/model/delivery.ts';
import { event, snapshot } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld();
});
afterEach(async () => world.stop());

/** Chat programs close a straight quote by a curly one, so a query reads it as the end of a text. */
const HOSTILE = 'Shop” invoice.* -title:“x';

/** Subscribes, and presses Fewer like this in a message about a task of the project. */
async function pressFewer(project: string) {
  const { replies } = await world.type('subscribe task.assigned');
  await world.press(findButton(replies[0], 'Subscribe'));
  const now = world.clock.now();
  const base = event('evt_hostile', { type: 'task.assigned', time: now });
  const one = { ...base, data: { ...base.data, record: { id: '1', title: 'Draft', project } } };
  const delivery = openDelivery(one, 'website', now);
  await world.embedded.events.record([{ event: one, deliveries: [delivery] }]);
  await world.embedded.queue.send([{ kind: 'attempt', delivery: delivery.id, attempt: 1, group: 'website' }], now);
  await world.pump();
  const message = world.slack.callsOf('chat.postMessage').at(-1);
  return world.press(findButton(message, 'Fewer like this'), { ts: '1.1' });
}

it('excludes a project whose name looks like the rest of a query, and nothing else', async () => {
  await pressFewer(HOSTILE);
  expect(await world.embedded.subscriptions.get('website')).toMatchObject({
    events: ['task.assigned'],
    where: { data: { record: { project: [{ 'none-of': [{ 'equals-ignore-case': HOSTILE }] }] } } },
  });
  const undo = findButton(world.slack.callsOf('chat.postMessage').at(-1), 'Undo');
  await world.press(undo, { ts: '1.2' });
  expect(await world.embedded.subscriptions.get('website')).not.toHaveProperty('where');
});

it('excludes a project with a name that is longer than a key of DynamoDB, once', async () => {
  const { add } = world.ports.documents;
  const ids: string[] = [];
  const watched: typeof add = (kind, id, ...more) => {
    ids.push(id);
    return add(kind, id, ...more);
  };
  Object.assign(world.ports, { documents: { ...world.ports.documents, add: watched } });
  const name = '長'.repeat(900);
  await pressFewer(name);
  const { where } = (await world.embedded.subscriptions.get('website')) ?? {};
  expect(JSON.stringify(where)).toContain(name);
  expect(Math.max(...ids.map((id) => Buffer.byteLength(id)))).toBeLessThan(1600);
  const message = world.slack.callsOf('chat.postMessage').find(({ attachments }) => attachments !== undefined);
  const { replies } = await world.press(findButton(message, 'Fewer like this'), { ts: '1.1', user: 'UBEN' });
  expect(JSON.stringify(replies)).toContain('<@UANN> has excluded');
});

it('sends a person whose name looks like the rest of a query a digest of their tasks only', async () => {
  world.slack.emails.set('UANN', 'ann@example.com');
  const record = { id: '2', firstname: 'Ann', lastname: HOSTILE, email: 'ann@example.com', active: true };
  const person = snapshot('2', { key: { source: 'main', resource: 'person', id: '2' }, record, stage: {} });
  await world.embedded.snapshots.commit([{ snapshot: person, expected: 0 }]);
  await world.press({ action_id: 'tidings:digest', selected_option: { value: 'weekdays 08:30' } }, { channel: '' });
  expect(await world.embedded.subscriptions.list()).toMatchObject([
    {
      events: ['task.overdue', 'task.due_soon'],
      where: { data: { record: { assigneeid: ['2'] } } },
      digest: { at: '08:30', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
    },
  ]);
});
