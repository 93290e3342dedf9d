/** What the app says is what was done: about threads, subscriptions of others, and tasks that were changed back. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONNECT_FORM } from '../../../manage/slack/modal.ts';
import { runSlackWork } from '../../../manage/slack/run-work.ts';
import { taskId } from '../../../manage/slack/slack-task.ts';
import { pollCycle } from '../../../runtime/poll-cycle.ts';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { event, NOON, snapshot, subscription } from '../../samples.ts';
import { type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
afterEach(async () => world.stop());

const add = (name: string, settings: { channel: string; thread?: string }, more: object = {}) =>
  world.embedded.subscriptions.add(
    subscription(name, {
      events: ['task.*'],
      to: { channel: 'slack', settings },
      declared: false,
      owner: 'slack:C1',
      madeBy: { id: 'UANN', name: 'uann', query: 'task.*', request: name },
      ...more,
    }),
  );
const posts = () => world.slack.callsOf('chat.postMessage').map(({ text }) => text);

describe('in a thread', () => {
  const IN_THREAD = { channel: 'C1', thread: '1.1' };
  let mentions = 0;

  /** Mentions the app. Returns what it says, to all or to the person. */
  async function mention(text: string, thread = '1.1') {
    const before = world.slack.calls.length;
    const said = {
      type: 'app_mention',
      user: 'UANN',
      channel: 'C1',
      text: `<@UBOT> ${text}`,
      ts: '5.5',
      thread_ts: thread,
    };
    const payload = {
      type: 'event_callback',
      event_id: `Ev${++mentions}`,
      team_id: 'T1',
      api_app_id: 'A1',
      event: said,
    };
    await world.send(JSON.stringify(payload), { type: 'application/json' });
    await world.pump();
    const calls = world.slack.calls.slice(before).filter(({ method }) => method.startsWith('chat.post'));
    return calls.map(({ args }) => args.text).join('\n');
  }

  beforeEach(async () => {
    world = await startSlackWorld();
    await add('of-channel', { channel: 'C1' });
  });

  it('says that the thread has none, although the channel has', async () => {
    for (const command of ['pause 2h', 'resume', 'test', 'unsubscribe all', 'list'])
      expect(await mention(command)).toContain('This thread has no subscriptions.');
  });

  it('says that the thread is paused, resumed, tested and ended, not the channel', async () => {
    await add('of-thread', IN_THREAD);
    expect(await mention('pause 2h')).toContain('paused the messages of Tidings in this thread until');
    expect(await mention('resume')).toContain('resumed the messages of Tidings in this thread.');
    expect(await mention('test')).toContain('on the way to this thread.');
    expect(await mention('unsubscribe of-channel')).toContain('This thread has no subscription `of-channel`.');
    expect(await mention('unsubscribe all')).toContain('ended `of-thread` in this thread.');
    expect(await world.embedded.subscriptions.get('of-channel')).toBeDefined();
  });
});

describe('subscriptions of the operator', () => {
  beforeEach(async () => {
    world = await startSlackWorld();
    await add('ops', { channel: 'C1' }, { owner: undefined, madeBy: undefined });
  });

  it('are named where a channel that made none pauses, resumes or tests', async () => {
    for (const command of ['pause 2h', 'resume', 'test'])
      expect(textIn((await world.type(command)).replies)).toContain(
        'This channel made no subscription. It gets the messages of `ops`, which only the operator of Tidings can end, pause or test.',
      );
  });

  it('go on in a channel that pauses its own, which says so', async () => {
    await add('own', { channel: 'C1' });
    await world.type('pause 2h');
    expect(posts().at(-1)).toContain('Those of `ops` go on: only the operator of Tidings can pause them.');
  });
});

it('Snooze names the subscription that is silent, if the channel has others', async () => {
  world = await startSlackWorld();
  await add('website', { channel: 'C1' });
  await world.embedded.snapshots.commit([{ snapshot: snapshot('1'), expected: 0 }]);
  const snooze = async (id: string) => {
    await world.record(event(id, { type: 'task.updated', subject: `task/${id}`, time: world.clock.now() }));
    const button = { action_id: 'tidings:snooze', block_id: `tidings:evt_${id}:website`, value: 'snooze' };
    await world.press(button, { ts: `1.${id}` });
    return posts().at(-1);
  };
  expect(await snooze('1')).toContain('<@UANN> snoozed this in this channel until');
  await add('website-2', { channel: 'C1' });
  expect(await snooze('2')).toContain(
    'snoozed this in `website`, not in the other subscriptions of this channel, until',
  );
});

describe('a button that changes a task', () => {
  let account: Simulator;
  beforeEach(async () => {
    account = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0 });
    const source = { baseUrl: account.url, token: '${TOKEN}', timeZone: 'UTC', quota: { perMinute: 1_000_000 } };
    world = await startSlackWorld({ config: { source }, token: account.tokens.Administrator[0] });
    for (const one of world.embedded.config.sources) await pollCycle(world.embedded, one, {}, {});
    await add('website', { channel: 'C1' });
    await world.record(event('e', { id: 'evt_e', subject: 'task/1', time: world.clock.now() }));
    for (const user of ['UANN', 'UBEN']) {
      await world.type('connect', { user });
      const metadata = world.slack.callsOf('views.open').at(-1)?.view.private_metadata;
      await world.submit(CONNECT_FORM, { token: { value: account.tokens.Administrator[0] } }, { user, metadata });
    }
  });
  afterEach(async () => account.stop());

  const change = (fields: Readonly<Record<string, string>>) => account.account.update('task', 1, fields);
  const taskNow = () => [...account.account.list('task', {})].find(({ id }) => String(id) === '1');
  const button = (action: string) => ({
    action_id: `tidings:${action}`,
    block_id: 'tidings:evt_e:website',
    ...(action === 'due' ? { selected_date: '2027-03-01' } : { value: action }),
  });
  const press = async (action: string, user: string) =>
    textIn((await world.press(button(action), { user, ts: '1.1' })).replies);

  it.each([
    ['close', 'closed this task', { statusid: '1' }],
    ['due', 'moved the due date to 2027-03-01', { datedue: '2027-01-01' }],
  ])('%s acts again once the task was changed back, and says so', async (action, done, back) => {
    await change(back);
    await press(action, 'UANN');
    expect(await press(action, 'UBEN')).toContain('<@UANN> has done that already.');
    expect(posts()).toEqual([`<@UANN> ${done}.`]);
    const written = taskNow();
    await change(back);
    await press(action, 'UBEN');
    expect(posts()).toEqual([`<@UANN> ${done}.`, `<@UBEN> ${done}.`]);
    expect(taskNow()).toMatchObject({ statusid: written?.statusid, datedue: written?.datedue });
    expect(await press(action, 'UANN')).toContain('<@UBEN> has done that already.');
  });

  it('writes nothing for a message about another record, whose number is also that of a task', async () => {
    await world.record(event('i', { id: 'evt_i', subject: 'invoice/1', time: world.clock.now() }));
    const before = taskNow();
    for (const action of ['close', 'due', 'assign']) {
      const forged = { ...button(action), block_id: 'tidings:evt_i:website' };
      expect(textIn((await world.press(forged, { ts: '1.2' })).replies)).toContain('This message is about no task');
    }
    expect(taskNow()).toEqual(before);
  });

  it('says that nothing was changed if the task is like that already', async () => {
    await change({ datedue: '2027-03-01' });
    expect(await press('due', 'UANN')).toContain('The task is like that already: nothing was changed.');
    expect(posts()).toEqual([]);
    const { entries } = await world.embedded.audit.page({ limit: 5 });
    expect(entries.map(({ action }) => action)).not.toContain('record.due_date_moved');
  });

  it('says what it did also if the process died between the change and the line', async () => {
    await world.send(world.actionBody(button('due'), { trigger: 'dies', ts: '1.1' }));
    const { documents } = world.ports;
    const killed = () => Promise.reject(new Error('killed'));
    const open: typeof documents = {
      ...documents,
      update: (kind, id, next) =>
        documents.update(kind, id, (stored) => {
          const changed = next(stored);
          const { write } = Object(changed.steps);
          if (write !== undefined || changed.status !== 'open') throw new Error('killed');
          return changed;
        }),
    };
    await runSlackWork({ ...world.ports, documents: open, http: { post: killed } }, taskId('dies')).catch(() => {});
    expect(taskNow()).toMatchObject({ datedue: expect.stringContaining('2027-03-01') });
    world.advance(120_000);
    await world.pump();
    expect(posts()).toEqual(['<@UANN> moved the due date to 2027-03-01.']);
  });
});
