/** What a direct message shows of subscriptions that send each person messages of their own: only those that this person reads. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forPerson, openDelivery } from '../../../core/model/delivery.ts';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { event, snapshot } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
afterEach(async () => world.stop());

const SECRET_TITLE = 'Dismissal of Cleo';
const source = { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'Europe/Berlin' };

const ask = async (text: string, user: string, channel = `D${user}`) =>
  textIn((await world.type(text, { user, channel })).replies);

/** Ann is person 5 of the account and UANN in Slack, Ben is 6 and UBEN. UFAR is of another organisation, UGUEST a guest. */
async function start(subscriptions: readonly unknown[], offer: readonly string[] = [], more = {}) {
  world = await startSlackWorld({ offer, config: { source, subscriptions, ...more } });
  const people = Object.entries({ '5': 'Ann', '6': 'Ben', '7': 'Gus' }).map(([id, firstname]) =>
    snapshot(id, {
      key: { source: 'main', resource: 'person', id },
      record: { id, email: `${firstname}@example.com`, firstname, lastname: 'Vogt', active: true },
    }),
  );
  await world.embedded.snapshots.commit(people.map((one) => ({ snapshot: one, expected: 0 })));
  world.slack.emails.set('UANN', 'ann@example.com');
  world.slack.emails.set('UBEN', 'ben@example.com');
  world.slack.emails.set('UGUEST', 'gus@example.com');
  world.slack.people.set('UFAR', { team_id: 'T2' });
  world.slack.guests.add('UGUEST');
}

/** A task that becomes overdue tonight. Returns an event of today, not recorded. */
async function addTask(assigneeid: readonly string[]) {
  const record = { id: '1', title: SECRET_TITLE, datedue: '2026-11-14', dateclosed: null, project: 'Shop', assigneeid };
  const stage = stageOnDay('task', record, '2026-11-14', world.embedded.config.rules);
  const task = snapshot('1', { record, stage, version: 5, nextMoment: '2026-11-14T23:00:00.000Z' });
  await world.embedded.snapshots.commit([{ snapshot: task, expected: 0 }]);
  const base = event('1', { type: 'task.updated', subject: 'task/1', time: world.clock.now() });
  return { ...base, data: { ...base.data, record } };
}

describe('mentions', () => {
  const MINE = {
    name: 'mine',
    events: ['task.overdue', 'task.updated'],
    gather: '0s',
    to: { slack: { to: 'assignees' } },
  };
  const mentioning = (name: string, user: string, more = {}) => ({
    name,
    events: ['invoice.paid'],
    to: { slack: { to: 'owners', mentions: { 'Ann Vogt': user }, ...more } },
  });

  it('make a person a reader of their own subscription, of no other one', async () => {
    await start([MINE, mentioning('ben', 'UBEN'), mentioning('far', 'UFAR')]);
    await world.record(await addTask(['5']));
    for (const user of ['UBEN', 'UFAR']) {
      for (const command of ['why task/1', 'why evt_1', 'preview']) {
        expect(await ask(command, user)).not.toContain(SECRET_TITLE);
      }
    }
    for (const command of ['why task/1', 'preview']) expect(await ask(command, 'UANN')).toContain(SECRET_TITLE);
  });

  it('count nobody if the subscription has the token of another workspace', async () => {
    const events = MINE.events;
    await start([{ ...mentioning('ben', 'UBEN', { token: 'xoxb-of-elsewhere', to: 'assignees' }), events }]);
    await world.record(await addTask(['5']));
    for (const user of ['UBEN', 'UANN']) {
      for (const command of ['why task/1', 'preview', 'list']) {
        const text = await ask(command, user);
        expect(text).not.toContain(SECRET_TITLE);
        expect(text).not.toMatch(/\bben\b/);
      }
    }
  });
});

describe('why', () => {
  const all = { name: 'all-assigned', events: ['task.*'], to: { slack: { to: 'assignees', fallback: '#finance' } } };
  const layoffs = {
    name: 'layoffs',
    events: ['task.*'],
    where: { data: { record: { project: ['Layoffs 2027'] } } },
    to: { slack: { to: 'assignees' } },
  };

  beforeEach(async () => {
    const board = { ...layoffs, name: 'board', to: { slack: { channel: '#website' } } };
    await start([all, layoffs, board], ['task.*']);
  });

  /** Ann got her message, Ben did not. */
  async function deliver(assigneeid: readonly string[]) {
    const one = await addTask(assigneeid);
    const now = world.clock.now();
    const open = openDelivery(one, 'all-assigned', now);
    const deliveries = [
      { ...forPerson(open, 'main/5'), status: 'settled' as const, settledAt: now },
      { ...forPerson(open, 'main/6'), status: 'failed' as const, settledAt: now },
    ];
    await world.embedded.events.record([{ event: one, deliveries }]);
  }

  it('shows a reader their own deliveries, and no one how those of others went', async () => {
    await deliver(['5', '6']);
    expect(await ask('why task/1', 'UANN')).toContain('all-assigned: sent');
    expect(await ask('why task/1', 'UANN')).not.toContain('all-assigned: failed');
    expect(await ask('why task/1', 'UBEN')).toContain('all-assigned: failed');
    expect(await ask('why task/1', 'UBEN')).not.toContain('all-assigned: sent');
    // Members may read the event by the offer, also where it is not for them.
    for (const [user, channel] of [
      ['UCLEO', 'DUCLEO'],
      ['UANN', 'C2'],
    ] as const) {
      const text = await ask('why task/1', user, channel);
      expect(text).toContain(SECRET_TITLE);
      expect(text).toContain('no subscription of this channel');
      expect(text).not.toMatch(/all-assigned|layoffs/i);
    }
  });

  it('names what a subscription of others found, not what it expected', async () => {
    await deliver(['5', '6']);
    for (const [user, channel] of [
      ['UANN', 'DUANN'],
      ['UANN', 'C1'],
    ] as const) {
      const text = await ask('why task/1', user, channel);
      expect(text).toMatch(/(layoffs|board): data.record.project is 'Shop', which does not match/);
      expect(text).not.toContain('Layoffs 2027');
    }
  });

  it('names what a subscription of the channel itself expected', async () => {
    await deliver(['5']);
    const { replies } = await world.type('subscribe task.updated project:Website');
    await world.press(findButton(replies[0], 'Subscribe'));
    expect(await ask('why task/1', 'UANN', 'C1')).toMatch(/website: data.record.project is 'Shop', expected 'Website'/);
  });
});

describe('subscriptions of others', () => {
  const customEvents = [{ type: 'invoice.secret_takeover', meaning: 'x', when: { after: { status: ['Sold'] } } }];
  const board = {
    name: 'board-only',
    events: ['invoice.secret_takeover'],
    digest: { at: '09:00' },
    to: { slack: { to: 'owners' } },
  };

  it('are listed to members, not to guests and people of other organisations', async () => {
    await start([board], [], { customEvents });
    for (const command of [
      'list',
      'preview',
      'pause 1h',
      'resume',
      'test',
      'unsubscribe board-only',
      'unsubscribe all',
    ]) {
      for (const user of ['UFAR', 'UGUEST']) {
        const text = await ask(command, user);
        // What the person typed is repeated.
        expect(text.replaceAll('no subscription `board-only`', '')).not.toMatch(/board-only|secret_takeover|digest/);
      }
    }
    expect(await ask('list', 'UANN')).toContain('*board-only* `invoice.secret_takeover');
  });

  it('are listed to those whom their mentions name', async () => {
    const mentions = { 'Ann Vogt': 'UFAR', 'Gus Vogt': 'UGUEST' };
    const theirs = { ...board, name: 'theirs', to: { slack: { to: 'owners', mentions } } };
    await start([board, theirs], [], { customEvents });
    for (const user of ['UFAR', 'UGUEST']) {
      const text = await ask('list', user);
      expect(text).toContain('1 subscription: theirs');
      expect(text).not.toContain('board-only');
    }
  });
});

describe('what time will bring', () => {
  const shop = { data: { record: { project: ['Shop'] } } };

  it('is named only if the place may read it: not of a record that has left its filter, nor other types', async () => {
    const started = { name: 'shop', events: ['task.due_soon'], where: shop, to: { slack: { channel: 'C1' } } };
    await start([started], ['task.closed']);
    const channel = world.slack.channels.get('C1');
    if (channel !== undefined) channel.isShared = true;
    const base = event('1', { type: 'task.due_soon', subject: 'task/1', time: world.clock.now() });
    const before = { id: '1', title: 'Draft', project: 'Shop', datedue: '2026-11-20', dateclosed: null };
    await world.record({ ...base, data: { ...base.data, record: before } });
    const stage = stageOnDay('task', before, '2026-11-14', world.embedded.config.rules);
    const nextMoment = '2026-11-18T00:00:00.000Z';
    const commit = async (record: typeof before, expected: number) => {
      // Later than the version of the event.
      const next = snapshot('1', { record, stage, version: expected + 5, nextMoment });
      await world.embedded.snapshots.commit([{ snapshot: next, expected }]);
    };
    await commit(before, 0);
    for (const user of ['UANN', 'UFAR']) {
      const text = await ask('why task/1', user, 'C1');
      expect(text).toContain('Next: task.due_soon at');
      expect(text).not.toContain('task.overdue');
    }
    await commit({ ...before, project: 'Board' }, 5);
    for (const user of ['UANN', 'UFAR']) {
      const text = await ask('why task/1', user, 'C1');
      expect(text).toContain('task/1: 1 event');
      expect(text).not.toContain('Next:');
    }
  });
});
