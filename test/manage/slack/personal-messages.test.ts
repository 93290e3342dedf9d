/** Subscriptions that send each person messages of their own: nobody reads in Slack what concerns others. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { event, NOON, snapshot } from '../../samples.ts';
import { rememberAs } from './linked-world.ts';
import { type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;

const PEOPLE = { '5': 'ann@example.com', '6': 'ben@example.com' };
const SECRET_TITLE = 'Dismissal of Cleo';

beforeEach(async () => {
  const to = { slack: { to: 'assignees', fallback: '#website' } };
  const events = ['task.overdue', 'task.updated'];
  const source = { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'Europe/Berlin' };
  world = await startSlackWorld({
    offer: [],
    config: { source, subscriptions: [{ name: 'mine', events, gather: '0s', to }] },
  });
  const people = Object.entries(PEOPLE).map(([id, email]) =>
    snapshot(id, {
      key: { source: 'main', resource: 'person', id },
      record: { id, email, firstname: email, active: true },
    }),
  );
  await world.embedded.snapshots.commit(people.map((one) => ({ snapshot: one, expected: 0 })));
  await rememberAs(world.embedded, 'main', 'http://127.0.0.1:9');
  world.slack.emails.set('UANN', 'Ann@example.com');
  world.slack.emails.set('UBEN', 'ben@example.com');
  await addTask('1', SECRET_TITLE, ['5']);
  await addTask('2', 'Of nobody', []);
});
afterEach(async () => world.stop());

/** A task that becomes overdue tonight, with an event of today. */
async function addTask(id: string, title: string, assigneeid: readonly string[]) {
  const { rules } = world.embedded.config;
  const record = { id, title, datedue: '2026-11-14', dateclosed: null, project: 'Shop', assigneeid };
  const stage = stageOnDay('task', record, '2026-11-14', rules);
  const key = { source: 'main', resource: 'task', id };
  await world.embedded.snapshots.commit([
    { snapshot: snapshot(id, { key, record, stage, version: 5, nextMoment: '2026-11-14T23:00:00.000Z' }), expected: 0 },
  ]);
  const base = event(id, { type: 'task.updated', subject: `task/${id}`, time: world.clock.now() });
  await world.record({ ...base, data: { ...base.data, record } });
}

const ask = async (text: string, user: string, channel = `D${user}`) =>
  textIn((await world.type(text, { user, channel })).replies);

const ADDRESS = { kind: 'work', baseUrl: 'http://127.0.0.1:9' };
const LINK = { person: '5', name: 'Ann', token: 'sealed', ...ADDRESS, account: NOON };

it('explains a record in a direct message to the person whom it concerns, and to no one else', async () => {
  expect(await ask('why task/1', 'UANN')).toContain(SECRET_TITLE);
  world.slack.guests.add('UGUEST');
  world.slack.people.set('UFAR', { team_id: 'T2' });
  for (const user of ['UBEN', 'UGUEST', 'UFAR']) {
    expect(await ask('why task/1', user)).toContain('Nothing about `task/1` is known');
    expect(await ask('why evt_1', user)).not.toContain(SECRET_TITLE);
  }
});

it('shows in the fallback channel what concerns no one', async () => {
  expect(await ask('why task/2', 'UBEN', 'C1')).toContain('Of nobody');
  expect(await ask('why task/1', 'UBEN', 'C1')).toContain('Nothing about `task/1` is known');
  expect(await ask('why task/1', 'UANN', 'C1')).toContain('Nothing about `task/1` is known');
});

it('previews to each person what will be theirs', async () => {
  expect(await ask('preview', 'UANN')).toContain(SECRET_TITLE);
  expect(await ask('preview', 'UBEN')).toContain('Time alone brings nothing');
  const fallback = await ask('preview', 'UANN', 'C1');
  expect(fallback).toContain('Of nobody');
  expect(fallback).not.toContain(SECRET_TITLE);
});

it('takes no address that Slack has not confirmed for one of this account', async () => {
  world.slack.emails.set('UEVE', 'ann@example.com');
  world.slack.people.set('UEVE', { is_email_confirmed: false });
  const home = async () => {
    await world.openHome('UEVE');
    return textIn(world.slack.callsOf('views.publish').at(-1));
  };
  for (const command of ['why task/1', 'preview']) expect(await ask(command, 'UEVE')).not.toContain(SECRET_TITLE);
  expect(await home()).toContain('Tidings does not know who you are in the account.');
  // Slack does not always say whether it is: then it is, as in each other test.
  world.slack.people.set('UEVE', { is_email_confirmed: true });
  world.advance(30_000);
  for (const command of ['why task/1', 'preview']) expect(await ask(command, 'UEVE')).toContain(SECRET_TITLE);
});

it('takes no address of another organisation for one of this account, only the member ids of the config', async () => {
  world.slack.people.set('UFAR', { team_id: 'T2' });
  // The other organisation says so, and an earlier member may have linked a token.
  world.slack.emails.set('UFAR', 'ann@example.com');
  await world.embedded.documents.save('slack-link', 'UFAR main', LINK, null);
  for (const command of ['why task/1', 'why evt_1', 'preview'])
    expect(await ask(command, 'UFAR')).not.toContain(SECRET_TITLE);
  expect(await ask('why task/1', 'UANN')).toContain(SECRET_TITLE);
  const mine = await world.embedded.subscriptions.get('mine');
  if (mine === undefined) throw new Error('no subscription');
  const settings = { ...mine.to.settings, mentions: { 'ann@example.com': 'UFAR' } };
  await world.embedded.subscriptions.save({ ...mine, to: { ...mine.to, settings } });
  expect(await ask('why task/1', 'UFAR')).toContain(SECRET_TITLE);
});

it('answers the same about an event that is not there and one that is nothing for the place', async () => {
  for (const user of ['UANN', 'UBEN']) {
    expect(await ask('why evt_2', user, 'C2')).toContain('Nothing about `evt_2` is known that this channel may see.');
    expect(await ask('why evt_99', user, 'C2')).toContain('Nothing about `evt_99` is known that this channel may see.');
  }
  expect(await ask('why nonsense', 'UANN', 'C2')).toContain('Which record?');
});

it('shows nothing to a linked person whom the account has deactivated or removed', async () => {
  await world.embedded.documents.save('slack-link', 'UCLO main', LINK, null);
  const look = async () => {
    await world.openHome('UCLO');
    return [await ask('why task/1', 'UCLO'), textIn(world.slack.callsOf('views.publish').at(-1))];
  };
  for (const text of await look()) expect(text).toContain(SECRET_TITLE);
  const key = { source: 'main', resource: 'person', id: '5' };
  const stored = await world.embedded.snapshots.get(key);
  if (stored === undefined) throw new Error('no person');
  let version = 1;
  for (const left of [{ record: { ...stored.record, active: false } }, { deletedAt: world.clock.now() }]) {
    version += 1;
    await world.embedded.snapshots.commit([{ snapshot: { ...stored, ...left, version }, expected: version - 1 }]);
    for (const text of await look()) expect(text).not.toContain(SECRET_TITLE);
  }
});
