/** Buttons act on events that the place gets by the subscription, and for the person who pressed. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { event, snapshot } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
const PEOPLE = { '5': 'ann@example.com', '6': 'ben@example.com' };
const TOO_OLD = 'This message is too old: its event is no longer stored, or its subscription has changed since.';

beforeEach(async () => {
  const to = { slack: { to: 'assignees', fallback: '#website' } };
  world = await startSlackWorld({
    config: { subscriptions: [{ name: 'mine', events: ['task.overdue', 'task.updated'], gather: '0s', to }] },
  });
  const people = Object.entries(PEOPLE).map(([id, email]) =>
    snapshot(id, { key: { source: 'main', resource: 'person', id }, record: { id, email, active: true } }),
  );
  await world.embedded.snapshots.commit(people.map((one) => ({ snapshot: one, expected: 0 })));
  world.slack.emails.set('UANN', 'Ann@example.com');
  world.slack.emails.set('UBEN', 'ben@example.com');
  world.slack.guests.add('UGUEST');
  await recordEvent('1', 'task.updated', { assigneeid: ['5'], project: 'Board' });
});
afterEach(async () => world.stop());

async function recordEvent(id: string, type: string, more: object) {
  const { data, ...base } = event(id, { type, subject: `${type.split('.')[0]}/1`, time: world.clock.now() });
  await world.record({ ...base, data: { ...data, record: { id: '1', ...more } } });
}

async function press(action: string, block: string, user: string, channel = `D${user}`) {
  const button = { action_id: `tidings:${action}`, block_id: `tidings:${block}`, value: action };
  return textIn((await world.press(button, { user, channel, ts: '1.1' })).replies);
}

const changes = async () => (await world.embedded.audit.page({ limit: 5 })).entries.map(({ action }) => action);

it.each(['snooze', 'fewer', 'close', 'assign'])(
  '%s: the event of another person is as one that is unknown',
  async (action) => {
    for (const [user, channel] of [['UBEN'], ['UGUEST'], ['UBEN', 'C1']] as const) {
      for (const block of ['evt_1:mine', 'evt_1:mine:main/5', 'evt_1:mine:main/6', 'evt_9:mine'])
        expect(await press(action, block, user, channel)).toContain(TOO_OLD);
    }
    expect(await changes()).toEqual([]);
  },
);

it.each(['snooze', 'fewer', 'close', 'assign'])(
  '%s: ids of events reveal nothing without their subscription',
  async (action) => {
    const [known, unknown] = [await press(action, 'evt_1:gone', 'UBEN'), await press(action, 'evt_9:gone', 'UBEN')];
    expect(known).toContain('The subscription of this message has ended.');
    expect(unknown).toBe(known);
  },
);

it('why: the event of another person is nothing for a guest, in the message of a reader it is explained', async () => {
  const record = { id: '1', assigneeid: ['5'], project: 'Board', dateclosed: null };
  await world.embedded.snapshots.commit([{ snapshot: snapshot('1', { record, version: 5 }), expected: 0 }]);
  for (const block of ['evt_1:mine', 'evt_1:mine:main/5']) {
    const button = { action_id: 'tidings:why', block_id: `tidings:${block}`, value: 'evt_1' };
    const ask = async (user: string) => textIn((await world.press(button, { user, channel: `D${user}` })).replies);
    expect(await ask('UGUEST')).toContain('Nothing about `evt_1` is known');
    expect(await ask('UANN')).toContain('task.updated');
  }
});

it('why tells by no answer which sources there are', async () => {
  const ask = async (text: string) => textIn((await world.type(`why ${text}`, { user: 'UGUEST' })).replies);
  const [known, unknown] = [await ask('main/task/99'), await ask('other/task/99')];
  expect(known).toContain('Nothing about `main/task/99` is known');
  expect(unknown).toBe(known.replace('main', 'other'));
});

it('snooze concerns no other reader of the same event', async () => {
  await recordEvent('2', 'task.updated', { assigneeid: ['5', '6'] });
  expect(await press('snooze', 'evt_2:mine:main/5', 'UBEN')).toContain('too old to be snoozed');
  expect(await changes()).toEqual([]);
  await press('snooze', 'evt_2:mine:main/6', 'UBEN');
  expect(await changes()).toEqual(['subscription.snoozed']);
});

it('snooze in the fallback channel concerns what has no reader', async () => {
  await recordEvent('3', 'task.overdue', { assigneeid: [] });
  expect(await press('snooze', 'evt_3:mine:main/5', 'UBEN', 'C1')).toContain('too old to be snoozed');
  expect(await changes()).toEqual([]);
  await press('snooze', 'evt_3:mine:main/', 'UBEN', 'C1');
  expect(await changes()).toEqual(['subscription.snoozed']);
});

it('fewer tells nothing by a filter that no query expresses any more', async () => {
  const { replies } = await world.type('subscribe task.overdue');
  await world.press(findButton(replies[0], 'Subscribe'));
  const stored = await world.embedded.subscriptions.get('website');
  if (stored?.madeBy === undefined) throw new Error('no subscription');
  const { query: _, ...madeBy } = stored.madeBy;
  const exclusions = [{ condition: '-project:Shop', by: 'UANN', press: 'slk_1' }];
  const where = { 'data.record.project': ['Board'] };
  await world.embedded.subscriptions.save({ ...stored, where, madeBy: { ...madeBy, exclusions } });
  await recordEvent('5', 'task.overdue', { project: 'Layoffs' });
  expect(await press('fewer', 'evt_5:website', 'UANN', 'C1')).toContain(TOO_OLD);
});

it('fewer excludes nothing of an event that the subscription of the channel does not get', async () => {
  const { replies } = await world.type('subscribe task.overdue');
  await world.press(findButton(replies[0], 'Subscribe'));
  await recordEvent('4', 'invoice.paid', { client: 'ACME' });
  expect(await press('fewer', 'evt_4:website', 'UANN', 'C1')).toContain(TOO_OLD);
  expect((await world.embedded.subscriptions.get('website'))?.madeBy?.query).toBe('task.overdue');
});
