/** `/tidings subscribe` over signed HTTP: preview, confirmation, the public line, and the first message. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeReceiver } from '../../../adapters/channels/registry.ts';
import { SUBSCRIBE_FORM } from '../../../manage/slack/modal.ts';
import { event, SECRET } from '../../samples.ts';
import { findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld();
});
afterEach(async () => world.stop());

describe('subscribing a channel', () => {
  it('previews, subscribes once it is confirmed, says so in the channel, and delivers', async () => {
    const overdue = event('evt_1', { type: 'task.overdue', time: world.clock.now() });
    await world.record(overdue);
    const { ack, replies } = await world.type('subscribe task.overdue');
    expect(ack).toMatchObject({ status: 200, text: '' });
    expect(replies).toHaveLength(1);
    expect(replies[0]).toMatchObject({ response_type: 'ephemeral' });
    expect(replies[0]?.text).toBe('`task.overdue` would have brought 1 message in the last 7 days.');
    expect(textIn(replies[0])).toContain('Everyone in this channel can read these events');
    expect(await world.embedded.subscriptions.list()).toEqual([]);

    const pressed = await world.press(findButton(replies[0], 'Subscribe'));
    expect(pressed.replies).toMatchObject([
      { replace_original: true, text: expect.stringContaining('Done: `website`') },
    ]);
    expect(world.slack.callsOf('chat.postMessage')).toMatchObject([
      { channel: 'C1', text: expect.stringContaining('<@UANN> subscribed this channel to `task.overdue`') },
    ]);
    expect(await world.embedded.subscriptions.list()).toMatchObject([
      {
        name: 'website',
        events: ['task.overdue'],
        to: { channel: 'slack', settings: { channel: 'C1' } },
        declared: false,
        owner: 'slack:C1',
        madeBy: { id: 'UANN', name: 'uann', channelName: '#website', query: 'task.overdue' },
      },
    ]);
    const [stored] = await world.embedded.subscriptions.list();
    if (stored === undefined) throw new Error('nothing is stored');
    expect(describeReceiver(stored)).toBe('Slack #website');
    // Its name says nothing about another channel.
    const moved = { ...stored, to: { channel: 'slack', settings: { channel: 'C2' } } };
    expect(describeReceiver(moved)).toBe('Slack C2');
    const { entries } = await world.embedded.audit.page({ limit: 10 });
    expect(entries).toMatchObject([
      {
        action: 'subscription.created',
        target: 'subscription/website',
        by: { kind: 'slack', id: 'UANN', name: 'uann' },
      },
    ]);
  });

  it('gets no name that another subscription had before the config renamed it', async () => {
    await world.stop();
    const to = { http: { url: 'https://ops.example.com/hook', secret: SECRET } };
    const renamed = { name: 'web', renamedFrom: 'website', events: ['task.*'], to };
    world = await startSlackWorld({ config: { subscriptions: [renamed] } });
    await world.press(findButton((await world.type('subscribe task.overdue')).replies[0], 'Subscribe'));
    expect((await world.embedded.subscriptions.list()).map(({ name }) => name)).toEqual(['web', 'website-2']);
  });

  it('gets no name that stands for all subscriptions', async () => {
    world.slack.channel('C7', 'All');
    world.slack.people.set('UALL', { name: 'all' });
    const subscribe = async (query: string, place: { channel: string; user: string }) => {
      const { replies } = await world.type(`subscribe ${query}`, place);
      await world.press(findButton(replies[0], 'Subscribe'), place);
      return world.slack.callsOf('chat.postMessage').at(-1)?.text;
    };
    const names = async () => (await world.embedded.subscriptions.list()).map(({ name }) => name);
    const place = { channel: 'C7', user: 'UANN' };
    expect(await subscribe('task.overdue', place)).toContain('End it with `/tidings unsubscribe all-2`.');
    await subscribe('task.closed', place);
    await subscribe('task.closed', { channel: 'DUALL', user: 'UALL' });
    expect(await names()).toEqual(['all-2', 'all-3', 'all-4']);
    await world.type('unsubscribe all-2', place);
    expect(await names()).toEqual(['all-3', 'all-4']);
  });

  it('says what is wrong with the words at once, with the nearest ones', async () => {
    const { ack, replies } = await world.type('subscribe task.overdu projekt:Website');
    expect(ack.json).toMatchObject({ response_type: 'ephemeral' });
    expect(ack.json.text).toContain('did you mean task.overdue?');
    expect(replies).toEqual([]);
    expect((await world.type('subscribbe task.overdue')).ack.json.text).toContain('Did you mean `subscribe`?');
    expect((await world.type('task.overdue')).ack.json.text).toContain('/tidings subscribe task.overdue');
    expect((await world.type('help')).ack.json.text).toContain('/tidings unsubscribe NAME');
  });

  describe.each([[['task.*']], [[]]])('with a custom event type that is not offered, but %j', (offer) => {
    const type = 'client.acquisition_of_acme';
    beforeEach(async () => {
      await world.stop();
      const when = { after: { name: ['x'] } };
      world = await startSlackWorld({ offer, config: { customEvents: [{ type, meaning: 'A deal moved', when }] } });
      world.slack.people.set('USTR', { team_id: 'T2' });
      world.slack.people.set('UGONE', { deleted: true });
    });
    const typos = ['client.acquisition_of', 'acquisition_of_acme', 'client.acquisition_of_acm task.overdu'];
    const told = async (text: string, user: string) => (await world.type(`subscribe ${text}`, { user })).ack.json.text;

    it('refuses strangers and deactivated people before it looks at their words', async () => {
      for (const text of [...typos, 'task.overdu', 'client.created colour:red']) {
        expect(await told(text, 'USTR')).toMatch(/^Only people of this workspace/);
        expect(await told(text, 'UGONE')).toBe('Your account in this workspace is deactivated.');
      }
      for (const user of ['USTR', 'UGONE']) {
        const inputs = { events: { selected_options: [] }, conditions: { value: typos.join(' ') } };
        const { ack } = await world.submit(SUBSCRIBE_FORM, inputs, { user });
        expect(ack.json).toEqual({});
        expect(world.slack.callsOf('chat.postEphemeral').at(-1)?.text).toMatch(/Only people of|deactivated/);
      }
    });

    it('suggests it to admins only', async () => {
      for (const text of typos) {
        expect(await told(text, 'UANN')).not.toContain(type);
        expect(await told(text, 'UADMIN')).toContain(type);
      }
      expect(await told('task.overdu', 'UANN')).toContain('did you mean task.overdue?');
      expect(textIn((await world.type(`subscribe ${type}`)).replies)).toContain('needs the consent of an admin');
    });

    it('lists it in no form, except for admins if nothing is offered', async () => {
      const form = async (user: string) => {
        await world.type('', { user });
        return textIn(world.slack.callsOf('views.open').at(-1));
      };
      expect(await form('UANN')).not.toContain(type);
      expect(await form('UANN')).toContain('task.overdue');
      expect((await form('UADMIN')).includes(type)).toBe(offer.length === 0);
    });

    it('tells its name by no pattern, except to admins', async () => {
      const guesses = ['client.acq*', '*.acq*', 'client.*_acme', 'task.overdue,client.acq*'];
      for (const text of guesses) {
        const unknown = /no event type is called \S*\*/;
        expect(await told(text, 'UANN')).toMatch(unknown);
        const { ack } = await world.submit(SUBSCRIBE_FORM, { conditions: { value: text } });
        expect(textIn(ack.json)).toMatch(unknown);
        expect(await told(text, 'UADMIN')).toBeUndefined();
      }
      // The condition tells no resource either.
      expect(await told('*.a*i*n* colour:red', 'UANN')).not.toContain('client');
      expect(textIn((await world.type('subscribe client.*')).replies)).toContain('needs the consent of an admin');
    });
  });

  it('names twenty mistakes of a query', async () => {
    const words = Array.from({ length: 120 }, (_, n) => `task.overdu${n}`);
    const { ack } = await world.type(`subscribe ${words.join(' ')}`);
    const lines = ack.json.text.split('\n');
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('and 100 more');
  });

  it('accepts the words as Slack escapes them', async () => {
    const { replies } = await world.type('subscribe invoice.paid total&gt;=500', { user: 'UADMIN' });
    expect(replies[0]?.text).toContain('`invoice.paid total&gt;=500` would have brought no messages');
  });

  it('makes one subscription however often Subscribe is pressed', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    const button = findButton(replies[0], 'Subscribe');
    const bodies = Array.from({ length: 5 }, () => world.actionBody(button));
    await Promise.all(bodies.map((body) => world.send(body)));
    await world.pump();
    expect(await world.embedded.subscriptions.list()).toHaveLength(1);
    expect((await world.embedded.audit.page({ limit: 10 })).entries).toHaveLength(1);
    expect(world.slack.callsOf('chat.postMessage')).toHaveLength(1);
  });

  it('makes all of several subscriptions that are confirmed at the same time in channels of the same name', async () => {
    for (const id of ['C11', 'C12', 'C13']) world.slack.channel(id, 'team');
    const drafts = [];
    for (const channel of ['C11', 'C12', 'C13', 'C11']) {
      drafts.push({ channel, ...(await world.type('subscribe task.overdue', { channel })) });
    }
    await Promise.all(
      drafts.map(({ channel, replies }) =>
        world.send(world.actionBody(findButton(replies[0], 'Subscribe'), { channel })),
      ),
    );
    await world.pump();
    const made = await world.embedded.subscriptions.list();
    expect(made.map(({ owner }) => owner).sort()).toEqual(['slack:C11', 'slack:C11', 'slack:C12', 'slack:C13']);
    expect(new Set(made.map(({ name }) => name)).size).toBe(4);
  });

  it('lets nobody else confirm a preview', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    const pressed = await world.press(findButton(replies[0], 'Subscribe'), { user: 'UBOB' });
    expect(pressed.replies[0]?.text).toContain('Only <@UANN> can confirm');
    expect(await world.embedded.subscriptions.list()).toEqual([]);
  });

  it('removes the preview on Cancel', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    const pressed = await world.press(findButton(replies[0], 'Cancel'));
    expect(pressed.replies).toEqual([{ delete_original: true }]);
  });

  it('says how to invite the bot, and tries again', async () => {
    const channel = world.slack.channel('C9', 'secret-plans');
    channel.hasBot = false;
    const { replies } = await world.type('subscribe task.overdue', { channel: 'C9' });
    const first = await world.press(findButton(replies[0], 'Subscribe'), { channel: 'C9' });
    expect(first.replies[0]?.text).toContain('/invite @Tidings');
    expect(await world.embedded.subscriptions.list()).toEqual([]);
    channel.hasBot = true;
    await world.press(findButton(first.replies[0], 'Try again'), { channel: 'C9' });
    expect(await world.embedded.subscriptions.list()).toMatchObject([{ name: 'secret-plans' }]);
  });

  it('names a second subscription of a channel after the first', async () => {
    for (const query of ['task.overdue', 'task.closed']) {
      const { replies } = await world.type(`subscribe ${query}`);
      await world.press(findButton(replies[0], 'Subscribe'));
    }
    expect((await world.embedded.subscriptions.list()).map(({ name }) => name)).toEqual(['website', 'website-2']);
  });

  it('runs again what Slack throttled, and posts nothing twice', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    world.slack.failures.set('respond', [{ status: 429, body: { ok: false } }]);
    await world.press(findButton(replies[0], 'Subscribe'));
    world.advance(10_000);
    await world.pump();
    expect(await world.embedded.subscriptions.list()).toHaveLength(1);
    expect(world.slack.callsOf('chat.postMessage')).toHaveLength(1);
    expect(world.slack.responses.at(-1)?.body.text).toContain('Done');
  });
});
