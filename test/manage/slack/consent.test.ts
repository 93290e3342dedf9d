/** The consent of an admin holds for what the admin has read: what changes until the subscription is made is asked again. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SUBSCRIBE_FORM } from '../../../manage/slack/modal.ts';
import { runSlackWork } from '../../../manage/slack/run-work.ts';
import { taskId } from '../../../manage/slack/slack-task.ts';
import type { FakeChannel } from './fake-slack.ts';
import { type Args, findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld({ offer: ['task.*'], admins: ['UADMIN', 'UBOSS'] });
});
afterEach(async () => world.stop());

const OFFER = 'only task.* may be subscribed to freely, not invoice.paid';
const SHARED = 'people of another organisation are in this channel';

const made = async () =>
  (await world.embedded.subscriptions.list()).map(({ name, madeBy }) => [name, madeBy?.allowedBy]);
const posted = () => world.slack.callsOf('chat.postMessage');
const asked = () => posted().filter(({ text }) => text.includes('asks to subscribe'));
const website = () => world.slack.channels.get('C1') as { isShared: boolean; hasBot: boolean };

async function ask(query = 'invoice.paid', user = 'UANN') {
  const { replies } = await world.type(`subscribe ${query}`, { user });
  await world.press(findButton(replies[0], 'Ask an admin'), { user });
  return asked().slice(-2);
}

const decide = async (message: Args | undefined, label = 'Allow', user = 'UADMIN') =>
  textIn((await world.press(findButton(message, label), { user, channel: `D${user}`, ts: '1.1' })).replies);

describe('Allow', () => {
  it('makes nothing once the channel was shared, shows all admins the new reason, and may be pressed again', async () => {
    const [message, ofBoss] = await ask();
    expect(textIn(message)).toContain(`Why you are asked: ${OFFER}. Everyone`);
    website().isShared = true;
    const told = await decide(message);
    expect(told).toContain(`the reason has changed since you were asked: ${SHARED}; ${OFFER}.`);
    expect(await made()).toEqual([]);
    const updates = world.slack.callsOf('chat.update');
    expect(updates.map(({ channel }) => channel)).toEqual(['DUADMIN', 'DUBOSS']);
    for (const update of updates) expect(textIn(update)).toContain(`Why you are asked: ${SHARED}; ${OFFER}.`);
    // One who still sees the former message has not read it either.
    expect(await decide(ofBoss, 'Allow', 'UBOSS')).toContain('the reason has changed since you were asked');
    expect(await made()).toEqual([]);
    await decide(world.slack.callsOf('chat.update').at(-1), 'Allow', 'UBOSS');
    expect(await made()).toEqual([['website', 'UBOSS']]);
    expect(world.errors).toEqual([]);
  });

  it('makes nothing if it is another reason only in part: all are read', async () => {
    world.slack.guests.add('UGUEST');
    const [message] = await ask('task.overdue', 'UGUEST');
    expect(textIn(message)).toContain('Why you are asked: guests may not subscribe channels. Everyone');
    website().isShared = true;
    expect(await decide(message)).toContain(`guests may not subscribe channels; ${SHARED}.`);
    expect(await made()).toEqual([]);
  });

  it('makes it if a reason is gone, or all of them', async () => {
    website().isShared = true;
    const [message] = await ask();
    const [freed] = await ask('task.overdue');
    website().isShared = false;
    await decide(message);
    await decide(freed);
    expect(await made()).toEqual([
      ['website', 'UADMIN'],
      ['website-2', 'UADMIN'],
    ]);
  });

  it('makes nothing if it is repeated after the process died, and the channel was shared meanwhile', async () => {
    const [message] = await ask();
    await world.send(
      world.actionBody(findButton(message, 'Allow'), { user: 'UADMIN', channel: 'DUADMIN', trigger: 'dies' }),
    );
    const { documents } = world.ports;
    const killed = () => Promise.reject(new Error('killed'));
    const open: typeof documents = {
      ...documents,
      // A process that dies writes nothing more: the request is decided, the draft is not.
      save: killed,
      update: (kind, id, change) => (kind === 'slack-task' ? killed() : documents.update(kind, id, change)),
    };
    await runSlackWork({ ...world.ports, documents: open }, taskId('dies')).catch(() => {});
    website().isShared = true;
    world.advance(120_000);
    await world.pump();
    expect(await made()).toEqual([]);
    await decide(world.slack.callsOf('chat.update').at(-1));
    expect(await made()).toEqual([['website', 'UADMIN']]);
  });

  it('is not needed to deny', async () => {
    const [message] = await ask();
    website().isShared = true;
    await decide(message, 'Deny');
    expect(posted().at(-1)?.text).toContain('denied `invoice.paid`');
  });
});

describe('Try again', () => {
  /** Allowed while the bot was outside the channel. */
  async function allowOutside() {
    const [message] = await ask();
    website().hasBot = false;
    await decide(message);
    website().hasBot = true;
    return findButton(posted().at(-1), 'Try again');
  }
  const press = async (button: Args) => textIn((await world.press(button, { channel: 'DUANN', ts: '1.2' })).replies);

  it('asks the admins again in a channel that was shared meanwhile, and works once they allow it', async () => {
    const again = await allowOutside();
    website().isShared = true;
    expect(await press(again)).toContain('Asked <@UADMIN>, <@UBOSS>');
    expect(await made()).toEqual([]);
    expect(asked()).toHaveLength(4);
    expect(await press(again)).toContain('The admins were asked already');
    const [, , message] = asked();
    expect(textIn(message)).toContain(`Why you are asked: ${SHARED}; ${OFFER}.`);
    await decide(message, 'Allow', 'UBOSS');
    expect(await made()).toEqual([['website', 'UBOSS']]);
    expect(await press(again)).toContain('This preview is confirmed already');
    const { entries } = await world.embedded.audit.page({ limit: 10 });
    expect(entries.filter(({ action }) => action === 'subscription.requested')).toHaveLength(2);
  });

  it('makes it if the reason is the same, or is gone', async () => {
    expect(await press(await allowOutside())).toContain('Done: `website`');
    expect(await made()).toEqual([['website', 'UADMIN']]);
  });

  it('of an earlier version, which did not keep what was read, asks again', async () => {
    const again = await allowOutside();
    const { allowedObjection: _, ...draft } = (await world.ports.documents.get('slack-draft', again.value)) ?? {};
    await world.ports.documents.save('slack-draft', again.value, draft, null);
    expect(await press(again)).toContain('Asked <@UADMIN>, <@UBOSS>');
    expect(await made()).toEqual([]);
    await decide(asked().at(-1), 'Allow', 'UBOSS');
    expect(await made()).toEqual([['website', 'UBOSS']]);
  });
});

describe('who has left a private channel', () => {
  const GONE = 'the person who asks is not in this private channel';
  const place = { user: 'UEVE', channel: 'C2' };
  const finance = () => world.slack.channels.get('C2') as FakeChannel;
  beforeEach(() => {
    finance().isPrivate = true;
  });

  it('subscribes it as long as they are in it', async () => {
    const { replies } = await world.type('subscribe task.overdue', place);
    await world.press(findButton(replies[0], 'Subscribe'), place);
    expect(await made()).toEqual([['finance', undefined]]);
  });

  it('gets no preview of a form that they opened before, and no button', async () => {
    await world.type('', place);
    const metadata = world.slack.callsOf('views.open').at(-1)?.view.private_metadata;
    finance().gone.add('UEVE');
    world.slack.failures.set('respond', [{ status: 404, body: {} }]);
    const events = { selected_options: [{ value: 'task.*' }] };
    await world.submit(SUBSCRIBE_FORM, { events }, { user: 'UEVE', metadata });
    const [message, ...more] = posted();
    expect(message).toMatchObject({
      channel: 'DUEVE',
      text: 'Tidings answers only people who are in <#C2>, and you are not.',
    });
    expect(message).not.toHaveProperty('blocks');
    expect(more).toEqual([]);
  });

  it.each(['C2', 'DUEVE'])('needs an admin, also if the preview was there before, pressed in %s', async (channel) => {
    const { replies } = await world.type('subscribe task.overdue', place);
    finance().gone.add('UEVE');
    await world.press(findButton(replies[0], 'Subscribe'), { user: 'UEVE', channel });
    expect(await made()).toEqual([]);
    expect(textIn(asked().at(-1))).toContain(`Why you are asked: ${GONE}. Everyone`);
  });

  it('needs an admin who knows it, also if they left after they had asked', async () => {
    const { replies } = await world.type('subscribe invoice.paid', place);
    await world.press(findButton(replies[0], 'Ask an admin'), place);
    finance().gone.add('UEVE');
    expect(await decide(asked()[0])).toContain(`the reason has changed since you were asked: ${OFFER}; ${GONE}.`);
    expect(await made()).toEqual([]);
    await decide(world.slack.callsOf('chat.update').at(0));
    expect(await made()).toEqual([['finance', 'UADMIN']]);
  });

  it('counts as one who has left if Slack does not tell', async () => {
    world.slack.failures.set('conversations.members', [{ status: 200, body: { ok: false, error: 'missing_scope' } }]);
    const { replies } = await world.type('subscribe task.overdue', place);
    expect(textIn(replies)).toContain(`needs the consent of an admin: ${GONE}`);
  });
});

describe('admins are asked', () => {
  const toAdmin = () => posted().filter(({ channel }) => channel === 'DUADMIN').length;
  const MINUTE = 60_000;
  const DAY = 86_400_000;

  /** What the person reads. */
  async function request(query: string, place: { user?: string; channel?: string } = {}) {
    const { replies } = await world.type(`subscribe ${query}`, place);
    return textIn((await world.press(findButton(replies[0], 'Ask an admin'), place)).replies);
  }

  it('once for the same in the same place, whoever asks, until one has decided', async () => {
    await request('invoice.paid');
    expect(await request('invoice.paid', { user: 'UBEN' })).toContain('<@UANN> asked for this already.');
    expect(toAdmin()).toBe(1);
    expect(await request('invoice.paid', { channel: 'C2' })).toContain('Asked <@UADMIN>');
    await decide(asked()[0]);
    expect(await made()).toEqual([['website', 'UADMIN']]);
    expect(await request('invoice.paid', { user: 'UBEN' })).toContain('Asked <@UADMIN>');
  });

  it('with words for a direct message that are true for the admin', async () => {
    await request('invoice.paid', { channel: 'DUANN' });
    const text = textIn(asked()[0]);
    expect(text).toContain('asks to subscribe a direct message with Tidings to `invoice.paid`.');
    expect(text).toContain('Nobody else reads this conversation.');
    await decide(asked()[0]);
    const lines = world.slack.callsOf('chat.postMessage').map(({ text }) => text);
    expect(lines).toContainEqual(expect.stringMatching(/subscribed this conversation to .*Nobody else reads this/));
    expect(lines).toContainEqual('<@UADMIN> allowed `invoice.paid` for a direct message with Tidings.');
    expect(JSON.stringify(world.slack.calls.map(({ args }) => args))).not.toContain('<#D');
  });

  it('not again for a day after they denied it', async () => {
    await request('invoice.paid');
    await decide(asked()[0], 'Deny');
    const before = toAdmin();
    expect(await request('invoice.paid', { user: 'UBEN' })).toContain('<@UADMIN> denied this. It can be asked again');
    expect(toAdmin()).toBe(before);
    expect(await request('invoice.overdue')).toContain('Asked <@UADMIN>');
    world.advance(DAY + 1000);
    expect(await request('invoice.paid')).toContain('Asked <@UADMIN>');
  });

  it('also if a request is so old that no admin can decide on it any more', async () => {
    await request('invoice.paid');
    world.advance(8 * DAY);
    await world.ports.documents.prune(world.clock.now());
    expect(await request('invoice.paid')).toContain('Asked <@UADMIN>');
  });

  it('about few requests of one person that are made at once', async () => {
    const before = toAdmin();
    const buttons: (readonly [string, ReturnType<typeof findButton>])[] = [];
    for (let number = 0; number < 12; number++) {
      const channel = `CX${number}`;
      world.slack.channel(channel, `x${number}`);
      const { replies } = await world.type('subscribe invoice.paid', { channel });
      buttons.push([channel, findButton(replies[0], 'Ask an admin')]);
    }
    world.advance(MINUTE);
    for (const [channel, button] of buttons) await world.send(world.actionBody(button, { channel }));
    await world.pump();
    expect(toAdmin() - before).toBe(5);
  });

  it.each(['user_disabled', 'user_not_visible', 'user_not_found'])(
    'names those who got the message, not an admin of whom Slack says %s',
    async (error) => {
      world.slack.failures.set('conversations.open', [{ status: 200, body: { ok: false, error } }]);
      const told = await request('invoice.paid');
      expect(told).toContain('Asked <@UBOSS>.');
      expect(asked().map(({ channel }) => channel)).toEqual(['DUBOSS']);
    },
  );

  it('about few requests of one person at a time, and few a day', async () => {
    const queries = [1, 2, 3, 4, 5, 6].map((total) => `invoice.overdue total>${total}`);
    for (const query of queries.slice(0, 5)) expect(await request(query)).toContain('Asked <@UADMIN>');
    expect(await request(queries[5] ?? '')).toContain('You have 5 requests that no admin has decided yet.');
    expect(await request(queries[5] ?? '', { user: 'UBEN' })).toContain('Asked <@UADMIN>');
    let told = '';
    for (let n = 0; n < 40 && !told.includes('times today'); n++) {
      for (const message of asked().slice(-2)) await decide(message, 'Deny');
      told = await request(`invoice.paid total>${n}`, { user: 'UBEN' });
      world.advance(MINUTE);
    }
    expect(told).toContain('You have asked the admins 20 times today.');
    world.advance(DAY + 1000);
    expect(await request('invoice.paid total>99', { user: 'UBEN' })).toContain('Asked <@UADMIN>');
  });
});
