/** What a channel does with its subscriptions, threads, and work that survives a killed process. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Health } from '../../../core/delivery/receivers/health-state.ts';
import { changeHealth } from '../../../core/delivery/receivers/subscription-state.ts';
import { openDelivery } from '../../../core/model/delivery.ts';
import { pauseSubscription } from '../../../core/subscriptions/verbs.ts';
import { runSlackWork } from '../../../manage/slack/run-work.ts';
import { taskId } from '../../../manage/slack/slack-task.ts';
import { event, NOON, snapshot, subscription } from '../../samples.ts';
import { type Args, findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld();
});
afterEach(async () => world.stop());

const HOUR = 3_600_000;

async function subscribe(query: string, channel = 'C1') {
  const { replies } = await world.type(`subscribe ${query}`, { channel });
  await world.press(findButton(replies[0], 'Subscribe'), { channel });
}

/** Opens a delivery of an event to the subscription `website`. */
async function send(id: string) {
  const now = world.clock.now();
  const one = event(id, { type: 'task.assigned', time: now });
  await world.embedded.events.record([{ event: one, deliveries: [openDelivery(one, 'website', now)] }]);
  await world.embedded.queue.send(
    [{ kind: 'attempt', delivery: openDelivery(one, 'website', now).id, attempt: 1, group: 'website' }],
    now,
  );
  await world.pump();
}

const posts = () => world.slack.callsOf('chat.postMessage');

describe('a channel of the config', () => {
  it('learns which subscriptions it has, and that only the operator can end them', async () => {
    const ops = { name: 'ops', events: ['task.*'], to: { slack: { channel: '#website' } } };
    const declared = await startSlackWorld({ config: { subscriptions: [ops] } });
    expect((await declared.type('list')).replies[0]?.text).toBe('1 subscription: ops');
    const { replies } = await declared.type('unsubscribe opps');
    expect(replies[0]?.text).toContain('It gets the messages of `ops`, which only the operator of Tidings can end');
    await declared.stop();
  });
});

describe('what posts into a channel', () => {
  it('is listed whoever made it, with who may change it', async () => {
    const to = (settings: object) => ({ slack: { ...settings } });
    const config = {
      subscriptions: [
        { name: 'declared', events: ['task.*'], to: to({ channel: '#website' }) },
        { name: 'elsewhere', events: ['task.*'], to: to({ channel: '#finance' }) },
        { name: 'personal', events: ['task.*'], to: to({ to: 'assignees', fallback: '#website' }) },
      ],
    };
    const all = await startSlackWorld({ config });
    const posting = { channel: 'slack', settings: { channel: 'C1' } };
    const added = { declared: false, events: ['task.closed'] };
    await all.embedded.subscriptions.add(subscription('through-api', { ...added, to: posting, owner: 'key_1' }));
    const withToken = { ...posting, settings: { channel: 'C1', token: '${BOT}', api: all.slack.api } };
    await all.embedded.subscriptions.add(subscription('by-command', { ...added, to: withToken }));
    await all.embedded.subscriptions.add(subscription('over', { ...added, to: posting, expiresAt: all.clock.now() }));
    const { replies } = await all.type('subscribe task.assigned');
    await all.press(findButton(replies[0], 'Subscribe'));
    const listed = await all.type('list');
    expect(listed.replies[0]?.text).toBe('5 subscriptions: website, by-command, declared, personal, through-api');
    const rows: string[] = listed.replies[0]?.blocks.map((block: { text: { text: string } }) => block.text.text);
    const operator = 'only the operator of Tidings may change it';
    expect(rows).toEqual([
      expect.stringMatching(/^\*website\*.*\nby <@UANN> · you may change it$/),
      expect.stringContaining(`by the operator · ${operator}`),
      expect.stringContaining(`by the operator, in the config · ${operator}`),
      expect.stringContaining(`by the operator, in the config, to each of the assignees · ${operator}`),
      expect.stringContaining(`through the API, with the key \`key_1\` · ${operator}`),
    ]);
    all.slack.guests.add('UGUEST');
    const guest = textIn((await all.type('list', { user: 'UGUEST' })).replies);
    expect(guest).toContain('by <@UANN> · you may not change it');
    expect(textIn((await all.type('unsubscribe through-api')).replies)).toContain(
      'was made through the API, with the key `key_1`: only the operator of Tidings can end it',
    );
    // Everyone gets their own messages of a personal subscription as a direct message.
    expect((await all.type('list', { channel: 'DUANN' })).replies[0]?.text).toBe('1 subscription: personal');
    await all.stop();
  });
});

describe('a channel', () => {
  beforeEach(async () => subscribe('task.assigned'));

  it('reads once that it got a message, when Why? is pressed', async () => {
    await world.embedded.snapshots.commit([{ snapshot: snapshot('why', { version: 5 }), expected: 0 }]);
    await send('why');
    const { replies } = await world.press(findButton(posts().at(-1), 'Why?'), { ts: '1.1' });
    expect(textIn(replies).split('website: sent')).toHaveLength(2);
  });

  it('lists what it gets, with who made it', async () => {
    const { replies } = await world.type('list');
    expect(textIn(replies)).toContain('*website* `task.assigned`');
    expect(textIn(replies)).toContain('by <@UANN>');
  });

  it('pauses for two hours and sends afterwards', async () => {
    const { replies } = await world.type('pause 2h');
    expect(replies).toEqual([]);
    expect(posts().at(-1)?.text).toContain('<@UANN> paused the messages of Tidings in this channel until');
    expect(textIn((await world.type('list')).replies)).toContain('paused until');
    const before = posts().length;
    await send('evt_p');
    expect(posts()).toHaveLength(before);
    world.advance(2 * HOUR + 1000);
    await world.pump();
    expect(posts()).toHaveLength(before + 1);
  });

  it('pauses until it resumes', async () => {
    await world.type('pause');
    const before = posts().length;
    await send('evt_q');
    world.advance(48 * HOUR);
    await world.pump();
    expect(posts()).toHaveLength(before);
    await world.type('resume');
    await world.pump();
    expect(
      posts()
        .slice(before)
        .map(({ text }) => text),
    ).toHaveLength(2);
  });

  it('that is paused until it resumes stays so when it is paused for an hour, and reads that', async () => {
    await world.type('pause');
    const before = posts().length;
    const { replies } = await world.type('pause 1h');
    expect(textIn(replies)).toContain('Nothing was changed: `website` is silent until `/tidings resume`.');
    expect(posts()).toHaveLength(before);
    const { entries } = await world.embedded.audit.page({ limit: 1 });
    expect(entries[0]).toMatchObject({ action: 'subscription.paused', outcome: 'refused' });
    const state = async () => textIn((await world.type('list')).replies);
    expect(await state()).toContain(', paused until it is resumed ·');
    world.advance(2 * HOUR);
    expect(await state()).toContain(', paused until it is resumed ·');
    await world.type('resume');
    expect(await state()).not.toContain('paused');
  });

  it('that is paused for an hour and then until it resumes reads the latter', async () => {
    await world.type('pause 1h');
    await world.type('pause');
    expect(textIn((await world.type('list')).replies)).toContain(', paused until it is resumed ·');
  });

  it('reads which of its subscriptions stay silent after the end of a pause', async () => {
    await subscribe('task.closed');
    await pauseSubscription({ ...world.embedded, randomBytes }, { kind: 'console', id: 'ann' }, 'website');
    await world.type('pause 1h');
    expect(posts().at(-1)?.text).toMatch(
      /in this channel until <!date\S+ .*>\. `website` is silent until `\/tidings resume`\.$/,
    );
    const listed = (await world.type('list')).replies[0]?.blocks.map((block: Args) => block.text.text);
    expect(listed).toEqual([
      expect.stringMatching(/^\*website\*.*paused until it is resumed/s),
      expect.stringMatching(/^\*website-2\*.*paused until <!date/s),
    ]);
  });

  it('that was stopped reads that, and not that it is paused', async () => {
    const gone = (before: Health): Health => ({
      ...before,
      state: 'disabled',
      disabledAt: NOON,
      reason: 'is_archived',
    });
    await changeHealth(world.embedded, 'website', 'delivery', gone);
    expect(textIn((await world.type('pause 1h')).replies)).toContain('Nothing was changed: `website` is silent until');
    expect(textIn((await world.type('list')).replies)).toContain(', stopped: `is_archived` ·');
  });

  it('reads that a pause is longer than a snooze', async () => {
    await send('evt_s');
    const snooze = findButton(posts().at(-1), 'Snooze until tomorrow');
    await world.type('pause 3d');
    await world.press(snooze, { ts: '1.1' });
    expect(posts().at(-1)?.text).toMatch(
      /snoozed this .* until <!date\S+ .*>\. `website` is paused until <!date\S+ .*>\.$/,
    );
    await world.type('pause');
    expect(textIn((await world.press(snooze, { ts: '1.1' })).replies)).toContain(
      'already. `website` is paused until it is resumed.',
    );
  });

  it('sends a test message, and previews what time brings', async () => {
    const { replies } = await world.type('test');
    expect(textIn(replies)).toContain('A test message is on the way');
    expect(textIn(posts().at(-1))).toContain('Test');
    expect(textIn((await world.type('preview')).replies)).toContain('Time alone brings nothing');
  });

  it('gets few tests of one person at a time, also from several channels', async () => {
    await subscribe('task.assigned', 'C2');
    const test = async (channel: string, user = 'UANN') =>
      (await world.type('test', { channel, user })).replies[0]?.text;
    for (const channel of ['C1', 'C2', 'C1']) expect(await test(channel)).toContain('A test message is on the way');
    const before = posts().length;
    expect(await test('C2')).toBe('You have just sent several tests: try again in 20 seconds.');
    expect(posts()).toHaveLength(before);
    expect(await test('C2', 'UBEN')).toContain('A test message is on the way');
    world.advance(20_000);
    expect(await test('C2')).toContain('A test message is on the way');
  });

  it('with many subscriptions gets tests of the newest', async () => {
    for (let number = 0; number < 11; number++) {
      // As fast as the limit of a person allows.
      world.advance(15_000);
      await subscribe('task.assigned');
    }
    const before = posts().length;
    const { replies } = await world.type('test');
    expect(replies[0]?.text).toBe(
      '10 test messages are on the way to this channel: those of the 10 newest of its 12 subscriptions.',
    );
    for (let minute = 0; minute < 5; minute++) {
      world.advance(60_000);
      await world.pump();
    }
    expect(posts()).toHaveLength(before + 10);
    const { entries } = await world.embedded.audit.page({ limit: 50 });
    const tested = entries.flatMap(({ action, target }) => (action === 'subscription.tested' ? [target] : []));
    expect(tested).toHaveLength(10);
    for (const name of ['website', 'website-2']) expect(tested).not.toContain(`subscription/${name}`);
  });

  it('ends one by its name, with the nearest for a misspelled one', async () => {
    expect(textIn((await world.type('unsubscribe websit')).replies)).toContain('Did you mean `website`?');
    await world.type('unsubscribe website');
    expect(await world.embedded.subscriptions.list()).toEqual([]);
    expect(posts().at(-1)?.text).toContain('<@UANN> ended `website` in this channel.');
  });

  it('changes a preview in a form', async () => {
    const { replies } = await world.type('subscribe task.overdue project:Website daily 08:30');
    await world.press(findButton(replies[0], 'Change'));
    const [opened] = world.slack.callsOf('views.open');
    expect(textIn(opened)).toContain('project:Website');
    expect(textIn(opened)).toContain('daily 08:30');
    expect(JSON.stringify(opened?.view).length).toBeLessThan(250_000);
    expect(opened?.view.blocks[0].element.initial_options).toMatchObject([{ value: 'task.overdue' }]);
  });
});

describe('a test', () => {
  const why = async (place: { user?: string; channel?: string }) =>
    (await world.type('why task/1', place)).replies[0]?.text;
  beforeEach(async () => {
    const record = { id: '1', title: 'Draft', project: 'Shop' };
    await world.embedded.snapshots.commit([{ snapshot: snapshot('1', { record, version: 2 }), expected: 0 }]);
    const closed = event('1', { type: 'task.closed', subject: 'task/1', time: world.clock.now() });
    await world.record({ ...closed, data: { ...closed.data, record } });
    await subscribe('task.closed');
    for (let count = 0; count < 9; count++) {
      world.advance(10_000);
      await world.type('test');
    }
  });

  it('is no event of its record, neither here nor in other channels', async () => {
    expect(await why({ channel: 'C1' })).toBe('task/1: 1 event');
    expect(await why({ channel: 'C2', user: 'UBEN' })).toBe('task/1: 1 event');
  });

  it('is nothing that happened, also by its id', async () => {
    const { events } = await world.embedded.events.list({ first: 'newest', limit: 9 });
    const id = events.find(({ test, subject }) => test === true && subject === 'task/1')?.id ?? 'none';
    expect(id).not.toBe('none');
    expect((await world.type(`why ${id}`)).replies[0]?.text).toBe(
      `Nothing about \`${id}\` is known that this channel may see.`,
    );
  });
});

describe('a thread', () => {
  it('is subscribed by a mention, and gets the messages', async () => {
    const mention = (id: string, text: string) =>
      JSON.stringify({
        type: 'event_callback',
        event_id: id,
        event: {
          type: 'app_mention',
          user: 'UANN',
          text: `<@UBOT> ${text}`,
          ts: '5.5',
          thread_ts: '5.1',
          channel: 'C1',
        },
      });
    await world.send(mention('Ev10', 'subscribe task.assigned'), { type: 'application/json' });
    await world.pump();
    const [preview] = world.slack.callsOf('chat.postEphemeral');
    expect(preview).toMatchObject({ channel: 'C1', user: 'UANN', thread_ts: '5.1' });
    await world.press(findButton(preview, 'Subscribe'));
    expect(posts().at(-1)).toMatchObject({ thread_ts: '5.1', text: expect.stringContaining('subscribed this thread') });
    expect(await world.embedded.subscriptions.get('website')).toMatchObject({
      to: { settings: { channel: 'C1', thread: '5.1' } },
    });
    await send('evt_t');
    expect(posts().at(-1)).toMatchObject({ channel: 'C1', thread_ts: '5.1' });
    await world.send(mention('Ev11', 'frobnicate'), { type: 'application/json' });
    await world.pump();
    expect(world.slack.callsOf('chat.postEphemeral').at(-1)).toMatchObject({
      text: expect.stringContaining('no command'),
    });
  });
});

describe('work that was interrupted', () => {
  it('is done by the next process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-slack-'));
    const file = join(folder, 'tidings.db');
    const first = await startSlackWorld({ file });
    expect(await first.send(first.commandBody('list'))).toMatchObject({ status: 200 });
    await first.stop();
    const second = await startSlackWorld({ file });
    // The URL of the answer was that of the first Slack: after a failed run, the person gets the answer in the channel.
    await second.pump();
    second.advance(10_000);
    await second.pump();
    expect(second.slack.callsOf('chat.postEphemeral')).toMatchObject([
      { channel: 'C1', user: 'UANN', text: expect.stringContaining('has no subscriptions') },
    ]);
    expect(second.errors).toEqual([]);
    await second.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('continues after the last step that was done, and acts once', async () => {
    const { replies } = await world.type('subscribe task.overdue');
    const button = findButton(replies[0], 'Subscribe');
    await world.send(world.actionBody(button, { trigger: 'dies' }));
    // The process dies after it has posted the line, and before it has stored the subscription.
    const killed = () => {
      throw new Error('killed');
    };
    const dying = {
      ...world.ports,
      subscriptions: { ...world.ports.subscriptions, add: killed },
      documents: keepOpen(world.ports.documents),
    };
    const id = taskId('dies');
    const { leases, clock } = world.ports;
    await runSlackWork(dying, id).catch(() => {});
    expect(await world.embedded.subscriptions.list()).toEqual([]);
    expect(posts()).toHaveLength(1);
    expect(await leases.acquire(`task ${id}`, 'probe', clock.now(), 1)).toBeDefined();
    world.advance(2000);
    await world.pump();
    expect(await world.embedded.subscriptions.list()).toHaveLength(1);
    expect(posts()).toHaveLength(1);
    await world.pump();
    expect((await world.embedded.audit.page({ limit: 10 })).entries).toHaveLength(1);
  });

  it('uses a response URL at most five times', async () => {
    const { replies } = await world.type('list');
    expect(replies).toHaveLength(1);
    const [task] = [taskId('trg.1')];
    expect(await world.ports.documents.get('slack-task', task)).toMatchObject({ status: 'done', responses: 1 });
    expect(JSON.stringify(await world.ports.documents.get('slack-task', task))).not.toContain('/respond/');
  });
});

/** A process that dies writes nothing more: the task stays open. */
function keepOpen(documents: SlackWorld['ports']['documents']): SlackWorld['ports']['documents'] {
  return {
    ...documents,
    update: (kind, id, change) =>
      documents.update(kind, id, (stored) => {
        const next = change(stored);
        if (next.status !== 'open') throw new Error('killed');
        return next;
      }),
  };
}
