/** Subscriptions of a channel that an operator gave to another receiver, or ended: the channel has no part in them any more. */

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { changeSubscription } from '../../../core/subscriptions/verbs.ts';
import { event, snapshot } from '../../samples.ts';
import { type Args, findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

const SECRET = 'SECRET CLIENT';
const PEOPLE = ['UANN', 'UGUEST', 'USTR'];

let world: SlackWorld;
let undo: Args;
beforeEach(async () => {
  const source = { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'UTC' };
  world = await startSlackWorld({ offer: ['task.overdue', 'task.due_soon'], config: { source } });
  world.slack.guests.add('UGUEST');
  world.slack.people.set('USTR', { team_id: 'T2' });
  const { replies } = await world.type('subscribe task.overdue');
  await world.press(findButton(replies[0], 'Subscribe'));
  const { data } = event('t');
  const record = { id: '1', title: 'Draft', project: 'Shop' };
  await world.record(
    event('t', { type: 'task.overdue', subject: 'task/1', time: world.clock.now(), data: { ...data, record } }),
  );
  await press('fewer', 't');
  undo = findButton(said(), 'Undo');
});
afterEach(async () => world.stop());

const said = () => world.slack.callsOf('chat.postMessage').at(-1);
const stored = async () => {
  const { snapshots, subscriptions } = world.embedded;
  return [await subscriptions.get('website'), await readHealth({ snapshots }, 'website')];
};

let messages = 0;
const press = (action: string, id: string) => {
  const button = { action_id: `tidings:${action}`, block_id: `tidings:evt_${id}:website`, value: action };
  return world.press(button, { ts: `1731750000.${++messages}` });
};

/** An operator changes it, in the console or through the API. */
async function change(more: Partial<Subscription>, name = 'website') {
  const author = { kind: 'console', id: 'ann', scopes: ['admin'] } as const;
  const next = ({ madeBy: _, where: __, ...rest }: Subscription) => ({ ...rest, ...more });
  await changeSubscription({ ...world.embedded, randomBytes }, author, name, next);
}

/** An invoice that comes after the change, and is overdue tonight. */
async function addInvoice() {
  const invoice = { id: '9', number: '9', client: SECRET, datedue: '2026-11-14', balance: 5, total: 5 };
  const stage = stageOnDay('invoice', invoice, '2026-11-14', world.embedded.config.rules);
  const key = { source: 'main', resource: 'invoice', id: '9' };
  const one = snapshot('9', { key, record: invoice, version: 5, stage, nextMoment: '2026-11-15T00:00:00.000Z' });
  await world.embedded.snapshots.commit([{ snapshot: one, expected: 0 }]);
  const { data } = event('9');
  const time = world.clock.now();
  await world.record(
    event('9', { type: 'invoice.sent', subject: 'invoice/9', time, data: { ...data, record: invoice } }),
  );
}

const C2 = { channel: 'slack', settings: { channel: 'C2' } };

describe.each<[string, Partial<Subscription>]>([
  ['moved to another channel', { to: C2 }],
  ['moved to a webhook', { to: { channel: 'slack', settings: { webhook: '${HOOK}' } } }],
  ['moved to mail', { to: { channel: 'email', settings: { to: ['ann@example.com'] } } }],
  ['ended', { expiresAt: '2026-11-14T12:30:00.000Z' }],
])('a subscription that was %s', (_, more) => {
  beforeEach(async () => {
    await change({ events: ['invoice.*'], ...more });
    world.advance(3_600_000);
    await addInvoice();
  });

  it('is neither shown nor explained to anyone in the channel, nor previewed', async () => {
    for (const user of PEOPLE) {
      for (const command of ['list', 'preview', 'why invoice/9', 'why evt_9']) {
        const told = textIn((await world.type(command, { user })).replies);
        expect(told).not.toMatch(/SECRET|invoice\.|website/);
      }
    }
    const why = textIn((await press('why', '9')).replies);
    expect(why).not.toMatch(/SECRET|website/);
    await world.openHome('UANN');
    expect(textIn(world.slack.callsOf('views.publish').at(-1))).not.toContain('website');
    expect(world.errors).toEqual([]);
  });

  it('is not changed, tested or ended by the channel', async () => {
    const before = await stored();
    const posts = world.slack.callsOf('chat.postMessage').length;
    for (const command of ['pause 2h', 'resume', 'test', 'unsubscribe website', 'unsubscribe all'])
      expect(textIn((await world.type(command)).replies)).toContain('has no subscriptions');
    for (const action of ['snooze', 'fewer'])
      expect(textIn((await press(action, '9')).replies)).toMatch(/has ended|does not post here/);
    expect(textIn((await world.press(undo, { ts: '1.9' })).replies)).toContain('has ended');
    world.advance(60_000);
    await world.pump();
    expect(await stored()).toEqual(before);
    expect(world.slack.callsOf('chat.postMessage')).toHaveLength(posts);
    expect(world.errors).toEqual([]);
  });
});

it('one that was moved is shown where it posts now, as one of the operator', async () => {
  await change({ to: C2 });
  const listed = textIn((await world.type('list', { channel: 'C2' })).replies);
  expect(listed).toContain('only the operator of Tidings may change it');
  await change({ to: { channel: 'slack', settings: { channel: 'C1' } } });
  expect(textIn((await world.type('list')).replies)).toContain('you may change it');
});

it('the filter of one that got the name is not told by Why? in an old message', async () => {
  await change({ to: C2, where: { data: { record: { client: ['Top secret client'] } } } });
  await world.embedded.snapshots.commit([{ snapshot: snapshot('1', { version: 5 }), expected: 0 }]);
  expect(textIn((await press('why', 't')).replies)).not.toMatch(/Top secret|website/);
});

it('a digest of the home that was moved is not the one that the home shows and ends', async () => {
  world.slack.emails.set('UANN', 'ann@example.com');
  const record = { id: '2', firstname: 'Ann', lastname: 'Lee', email: 'ann@example.com', active: true };
  const person = snapshot('2', { key: { source: 'main', resource: 'person', id: '2' }, record, stage: {} });
  await world.embedded.snapshots.commit([{ snapshot: person, expected: 0 }]);
  // What Slack said about her before is kept for half a minute.
  world.advance(30_000);
  const choose = (value: string) =>
    world.press({ action_id: 'tidings:digest', selected_option: { value } }, { channel: '' });
  await choose('daily 08:00');
  const digest = (await world.embedded.subscriptions.list()).find(({ owner }) => owner === 'slack:DUANN');
  await change({ to: C2 }, digest?.name);
  await world.openHome('UANN');
  const home = textIn(world.slack.callsOf('views.publish').at(-1));
  expect(home).toContain('"initial_option":{"text":{"type":"plain_text","text":"No digest"');
  await choose('off');
  expect(await world.embedded.subscriptions.get(digest?.name ?? '')).toBeDefined();
});
