/** Who may do what in Slack: offers, admins, guests, shared channels, and channels of others. */

import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { changeSubscription } from '../../../core/subscriptions/verbs.ts';
import { event, subscription } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld({ offer: ['task.*'], admins: ['UADMIN', 'UBOSS'] });
});
afterEach(async () => world.stop());

const names = async () => (await world.embedded.subscriptions.list()).map(({ name }) => name);

async function subscribe(query: string, place: Parameters<SlackWorld['type']>[1] = {}) {
  const { replies } = await world.type(`subscribe ${query}`, place);
  await world.press(findButton(replies[0], 'Subscribe'), place);
}

/** Asks the admins, and returns the messages that they got. */
async function request(query: string, place: Parameters<SlackWorld['type']>[1] = {}) {
  const { replies } = await world.type(`subscribe ${query}`, place);
  await world.press(findButton(replies[0], 'Ask an admin'), place);
  return world.slack.callsOf('chat.postMessage').filter(({ text }) => text.includes('asks to subscribe'));
}

describe('what is not offered', () => {
  it('shows no event of it, and asks all admins', async () => {
    await world.record(event('evt_1', { type: 'invoice.paid', time: world.clock.now() }));
    const { replies } = await world.type('subscribe invoice.*');
    expect(textIn(replies)).toContain('needs the consent of an admin: only task.* may be subscribed to freely');
    expect(textIn(replies)).not.toContain('would have brought');
    expect(textIn(replies)).not.toContain(String(event('evt_1').data.record.title));
    await world.press(findButton(replies[0], 'Ask an admin'));
    const asked = world.slack.callsOf('chat.postMessage');
    expect(asked.map(({ channel }) => channel)).toEqual(['DUADMIN', 'DUBOSS']);
    expect(await names()).toEqual([]);
  });

  it('does not take a wider pattern for an offered one', async () => {
    for (const query of ['*', 'task.overdue invoice.paid', '*.overdue']) {
      expect(textIn((await world.type(`subscribe ${query}`)).replies)).toContain('needs the consent of an admin');
    }
  });

  it('is subscribed once an admin allows it, who is named, and the others see who decided', async () => {
    const [first, second] = await request('invoice.paid');
    await world.press(findButton(first, 'Allow'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
    expect(await world.embedded.subscriptions.list()).toMatchObject([
      { name: 'website', owner: 'slack:C1', madeBy: { id: 'UANN', allowedBy: 'UADMIN' } },
    ]);
    expect(world.slack.callsOf('chat.postMessage').map(({ text }) => text)).toContainEqual(
      expect.stringContaining('<@UANN> subscribed this channel to `invoice.paid`, allowed by <@UADMIN>'),
    );
    expect(world.slack.callsOf('chat.update')).toHaveLength(2);
    const late = await world.press(findButton(second, 'Deny'), { user: 'UBOSS', channel: 'DUBOSS', ts: '1.2' });
    expect(textIn(late.replies)).toContain('was allowed by <@UADMIN>');
    expect(await names()).toEqual(['website']);
    const { entries } = await world.embedded.audit.page({ limit: 10 });
    expect(entries.map(({ action, by }) => `${action} ${by.id}`)).toEqual([
      'subscription.created UANN',
      'subscription.request_allowed UADMIN',
      'subscription.requested UANN',
    ]);
  });

  it('does not come back by an old button after it was removed', async () => {
    const { replies } = await world.type('subscribe invoice.paid');
    const ask = findButton(replies[0], 'Ask an admin');
    await world.press(ask);
    const message = world.slack.callsOf('chat.postMessage').find(({ text }) => text.includes('asks to subscribe'));
    await world.press(findButton(message, 'Allow'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
    await world.type('unsubscribe website', { user: 'UADMIN' });
    expect(await names()).toEqual([]);
    for (const button of [ask, { ...ask, action_id: 'tidings:confirm' }]) {
      const again = await world.press(button);
      expect(textIn(again.replies)).toContain('This preview is confirmed already.');
    }
    await world.press(findButton(message, 'Allow'), { user: 'UBOSS', channel: 'DUBOSS', ts: '1.2' });
    expect(await names()).toEqual([]);
  });

  it('can be tried again if the bot had left the channel when an admin allowed it', async () => {
    const channel = world.slack.channel('C9', 'plans');
    const [message] = await request('invoice.paid', { channel: 'C9' });
    channel.hasBot = false;
    await world.press(findButton(message, 'Allow'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
    expect(await names()).toEqual([]);
    channel.hasBot = true;
    const answer = world.slack.callsOf('chat.postMessage').findLast(({ channel: to }) => to === 'DUANN');
    await world.press(findButton(answer, 'Try again'), { channel: 'DUANN', ts: '1.2' });
    expect(await names()).toEqual(['plans']);
  });

  it('is asked for once however often the button is pressed', async () => {
    const { replies } = await world.type('subscribe invoice.paid');
    for (const _ of [1, 2, 3]) await world.press(findButton(replies[0], 'Ask an admin'));
    expect(world.slack.callsOf('chat.postMessage')).toHaveLength(2);
  });

  it('is not subscribed if an admin denies it, or if another person presses Allow', async () => {
    const [message] = await request('invoice.paid');
    const forged = await world.press(findButton(message, 'Allow'), { user: 'UANN', channel: 'DUADMIN', ts: '1.1' });
    expect(textIn(forged.replies)).toContain('Only admins of Tidings decide');
    await world.press(findButton(message, 'Deny'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
    await world.press(findButton(message, 'Allow'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
    expect(await names()).toEqual([]);
    expect(textIn(world.slack.callsOf('chat.postMessage').at(-1))).toContain('denied');
  });

  it('is free for admins', async () => {
    await subscribe('invoice.paid', { user: 'UADMIN' });
    expect(await names()).toEqual(['website']);
  });

  it('cannot be confirmed by the button of another preview', async () => {
    const { replies } = await world.type('subscribe invoice.paid');
    const draft = findButton(replies[0], 'Ask an admin').value;
    await world.press({ action_id: 'tidings:confirm', value: draft });
    expect(await names()).toEqual([]);
  });
});

describe('guests and shared channels', () => {
  it('a guest cannot end, pause or resume what the channel subscribed to', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    await world.press(findButton(replies[0], 'Subscribe'));
    world.slack.guests.add('UGUEST');
    for (const command of ['unsubscribe all', 'pause 2h', 'resume']) {
      const guest = await world.type(command, { user: 'UGUEST' });
      expect(textIn(guest.replies)).toContain('Guests may not change the subscriptions of a channel');
    }
    expect(await world.embedded.subscriptions.get('website')).toBeDefined();
    expect(textIn((await world.type('list', { user: 'UGUEST' })).replies)).not.toContain('paused');
  });

  it.each([
    [{ team_id: 'T9' }, 'Only members of this workspace may change the subscriptions of a channel.'],
    [{ deleted: true }, 'Your account in this workspace is deactivated.'],
  ])('says what is true for each: %j', async (person, refusal) => {
    world.slack.people.set('UOTHER', person);
    for (const command of ['unsubscribe all', 'pause 2h', 'resume', 'test']) {
      const { replies } = await world.type(command, { user: 'UOTHER' });
      expect(textIn(replies)).toContain(refusal);
      expect(textIn(replies)).not.toContain('Guests');
    }
  });

  it('the home of a stranger says nothing about guests, and shows no task', async () => {
    world.slack.people.set('UOTHER', { team_id: 'T9' });
    await world.openHome('UOTHER');
    const home = textIn(world.slack.callsOf('views.publish').at(-1));
    expect(home).toContain('Only members of this workspace see tasks here.');
    expect(home).not.toContain('Guests');
  });

  it('are refused unless an admin allows them', async () => {
    world.slack.guests.add('UGUEST');
    const guest = await world.type('subscribe task.overdue', { user: 'UGUEST' });
    expect(textIn(guest.replies)).toContain('guests may not subscribe channels');
    const shared = world.slack.channel('C7', 'partners');
    shared.isShared = true;
    const [message] = await request('task.overdue', { channel: 'C7' });
    expect(textIn(message)).toContain('people of another organisation are in this channel');
    await world.press(findButton(message, 'Allow'), { user: 'UADMIN', channel: 'DUADMIN', ts: '1.1' });
    expect(await names()).toEqual(['partners']);
  });

  it('are refused in a conversation of which Slack shows nothing, although the bot may post there', async () => {
    world.slack.channel('G5', 'mpdm-ann--ben-1');
    const hidden = { status: 200, body: { ok: false, error: 'missing_scope' } };
    world.slack.failures.set('conversations.info', Array(20).fill(hidden));
    const [message] = await request('task.overdue', { channel: 'G5' });
    expect(textIn(message)).toContain('Slack does not tell Tidings whether people of another organisation are in');
    expect(await names()).toEqual([]);
  });

  it('are refused beyond a number that nobody needs, for a channel and for a person', async () => {
    const of = (name: string, channel: string, id: string) =>
      subscription(name, {
        to: { channel: 'slack', settings: { channel } },
        declared: false,
        owner: `slack:${channel}`,
        madeBy: { id, name: 'x', query: 'task.overdue', request: name },
      });
    for (let n = 0; n < 100; n++) {
      await world.embedded.subscriptions.add(of(`a${n}`, 'C1', `U${n}`));
      await world.embedded.subscriptions.add(of(`b${n}`, `C9${n}`, 'UBEN'));
    }
    const inChannel = await world.type('subscribe task.overdue');
    expect(textIn(inChannel.replies)).toContain('needs the consent of an admin: this channel has 100 subscriptions');
    const ofPerson = await world.type('subscribe task.overdue', { user: 'UBEN', channel: 'C2' });
    expect(textIn(ofPerson.replies)).toContain('needs the consent of an admin: one person may make 100 subscriptions');
    const other = await world.type('subscribe task.overdue', { channel: 'C2' });
    expect(textIn(other.replies)).toContain('would have brought');
  });

  it.each(['', 'connect'])('get no form, which names event types and accounts: /tidings %s', async (command) => {
    world.slack.people.set('UFAR', { team_id: 'T9' });
    world.slack.people.set('UGONE', { deleted: true });
    for (const user of ['UFAR', 'UGONE']) {
      const { ack } = await world.type(command, { user });
      expect(ack.json.text).toMatch(/Only people of this workspace|deactivated/);
    }
    expect(world.slack.callsOf('views.open')).toEqual([]);
    await world.type(command);
    expect(world.slack.callsOf('views.open')).toHaveLength(1);
  });

  it('are asked about again when the channel was shared after the preview', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    const website = world.slack.channels.get('C1');
    if (website !== undefined) website.isShared = true;
    await world.press(findButton(replies[0], 'Subscribe'));
    expect(await names()).toEqual([]);
  });
});

describe('a subscription that was changed to what no query can express', () => {
  it('is still that of its maker and its channel, and is changed with buttons no more', async () => {
    await subscribe('task.overdue');
    const [name = ''] = await names();
    const where = { data: { record: { title: [{ suffix: 'x' }] } } };
    const author = { kind: 'console', id: 'ann', scopes: ['admin'] } as const;
    await changeSubscription(
      { ...world.embedded, randomBytes },
      author,
      name,
      ({ madeBy: _, ...stored }) => ({ ...stored, where }),
      {},
    );
    const changed = await world.embedded.subscriptions.get(name);
    expect(changed?.madeBy).toMatchObject({ id: 'UANN' });
    expect(changed?.madeBy).not.toHaveProperty('query');
    expect(textIn((await world.type('list')).replies)).toContain('by <@UANN>');
    await world.press({ action_id: 'tidings:undo', value: JSON.stringify([name, '-project:X']) });
    expect(await world.embedded.subscriptions.get(name)).toEqual(changed);
    await world.openHome('UANN');
    expect(textIn(world.slack.callsOf('views.publish').at(-1))).toContain(name);
    expect(world.errors).toEqual([]);
  });
});

describe('another channel', () => {
  const MINE = { channel: 'DUANN' };

  beforeEach(async () => {
    await subscribe('task.overdue', { channel: 'C2' });
  });

  it('does not exist for this one', async () => {
    expect(await names()).toEqual(['finance']);
    expect(textIn((await world.type('list')).replies)).toContain('has no subscriptions');
    expect(textIn((await world.type('unsubscribe finance')).replies)).toContain('has no subscriptions');
    expect(textIn((await world.type('unsubscribe all')).replies)).toContain('has no subscriptions');
    expect(textIn((await world.type('pause 2h')).replies)).toContain('has no subscriptions');
    expect(await names()).toEqual(['finance']);
  });

  it('is not shown by why', async () => {
    const invoice = event('evt_2', { type: 'invoice.paid', subject: 'invoice/7', time: world.clock.now() });
    await world.record(invoice);
    expect(textIn((await world.type('why invoice/7')).replies)).toContain('Nothing about `invoice/7` is known');
    expect(textIn((await world.type('why invoice/8')).replies)).toContain('Nothing about `invoice/8` is known');
    expect(textIn((await world.type('why nonsense')).replies)).toContain('Which record?');
  });

  it('is named on the home of the person who made a subscription there, without its conditions', async () => {
    await world.press(findButton((await world.type('subscribe task.closed', MINE)).replies[0], 'Subscribe'), MINE);
    const [made] = await world.embedded.subscriptions.list();
    // Somebody else pressed Fewer like this.
    if (made?.madeBy === undefined) throw new Error('nothing was made');
    const query = 'task.overdue -project:"Sale to Acme"';
    await world.embedded.subscriptions.save({ ...made, madeBy: { ...made.madeBy, query } });
    await world.openHome('UANN');
    const home = textIn(world.slack.callsOf('views.publish').at(-1));
    expect(home).toContain('*finance* in <#C2>');
    expect(home).not.toContain('Acme');
    expect(home).toContain('*uann* to you\\n`task.closed`');
    world.slack.people.set('UANN', { deleted: true });
    // What Slack said is kept for half a minute.
    world.advance(31_000);
    await world.openHome('UANN');
    expect(textIn(world.slack.callsOf('views.publish').at(-1))).not.toMatch(/finance|task\.closed/);
  });

  it('cannot be changed with its buttons', async () => {
    await world.press({ action_id: 'tidings:undo', value: JSON.stringify(['finance', '-project:X']) });
    expect((await world.embedded.subscriptions.get('finance'))?.madeBy?.query).toBe('task.overdue');
  });
});
