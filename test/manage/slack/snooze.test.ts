/** Whom a snooze concerns: the channel whose message it is, or in one's own direct message oneself alone. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forPerson, openDelivery } from '../../../core/model/delivery.ts';
import { event, snapshot } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
const HOUR = 3_600_000;
const PEOPLE = { '5': 'ann@example.com', '6': 'ben@example.com' };

beforeEach(async () => {
  const mentions = { 'ann@example.com': 'UANN', 'ben@example.com': 'UBEN' };
  world = await startSlackWorld({
    config: {
      subscriptions: [{ name: 'mine', events: ['task.*'], gather: '0s', to: { slack: { to: 'assignees', mentions } } }],
    },
  });
  const people = Object.entries(PEOPLE).map(([id, email]) => ({
    snapshot: snapshot(id, {
      key: { source: 'main', resource: 'person', id },
      record: { id, email, firstname: email, active: true },
    }),
    expected: 0,
  }));
  await world.embedded.snapshots.commit(people);
});
afterEach(async () => world.stop());

/** Two people get a message about the same task. */
async function announce(id: string) {
  const now = world.clock.now();
  const record = { id: '1', title: 'Draft', assigneeid: ['5', '6'], project: 'Shop' };
  const base = event(id, { type: 'task.due_date_changed', subject: 'task/1', time: now });
  const one = { ...base, data: { ...base.data, record } };
  const deliveries = ['main/5', 'main/6'].map((person) => forPerson(openDelivery(one, 'mine', now), person));
  await world.embedded.events.record([{ event: one, deliveries }]);
  const jobs = deliveries.map(
    (delivery) => ({ kind: 'attempt', delivery: delivery.id, attempt: 1, group: 'mine' }) as const,
  );
  await world.embedded.queue.send(jobs, now);
  await world.pump();
}

const messagesTo = (user: string) =>
  world.slack
    .callsOf('chat.postMessage')
    .filter(({ channel, text }) => channel === `D${user}` && !/[Ss]nooze/.test(text));

describe('Snooze in a direct message', () => {
  it('silences the record for the person who pressed, and for nobody else', async () => {
    await announce('a');
    expect([messagesTo('UANN').length, messagesTo('UBEN').length]).toEqual([1, 1]);
    const button = findButton(messagesTo('UANN')[0], 'Snooze until tomorrow');
    await world.press(button, { user: 'UANN', channel: 'DUANN', ts: '1.1' });
    expect(textIn(world.slack.callsOf('chat.postMessage').at(-1))).toContain('for you alone');
    await announce('b');
    expect([messagesTo('UANN').length, messagesTo('UBEN').length]).toEqual([1, 2]);
    world.advance(24 * HOUR);
    await world.pump();
    expect([messagesTo('UANN').length, messagesTo('UBEN').length]).toEqual([2, 2]);
    const { entries } = await world.embedded.audit.page({ limit: 1 });
    expect(entries).toMatchObject([{ action: 'subscription.snoozed', details: { person: 'main/5' } }]);
  });

  it('may be pressed by each of them, also by a guest', async () => {
    await announce('a');
    world.slack.guests.add('UBEN');
    for (const user of ['UANN', 'UBEN']) {
      const button = findButton(messagesTo(user)[0], 'Snooze until tomorrow');
      await world.press(button, { user, channel: `D${user}`, ts: '1.1' });
    }
    await announce('b');
    expect([messagesTo('UANN').length, messagesTo('UBEN').length]).toEqual([1, 1]);
  });

  it('says that a message without its reader is too old, instead of silencing all', async () => {
    await announce('a');
    const { block_id: block, ...button } = findButton(messagesTo('UANN')[0], 'Snooze until tomorrow');
    const older = String(block).replace(/:main\/5$/, '');
    expect(older).not.toBe(block);
    const { replies } = await world.press({ ...button, block_id: older }, { channel: 'DUANN', ts: '1.1' });
    expect(textIn(replies)).toContain('too old to be snoozed');
    await announce('b');
    expect([messagesTo('UANN').length, messagesTo('UBEN').length]).toEqual([2, 2]);
  });
});
