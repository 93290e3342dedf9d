/** The Home tab of a person whom the account knows: their tasks with links and days, and their subscriptions. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileMatcher } from '../../../core/filters/match.ts';
import type { Subscription } from '../../../core/model/subscription.ts';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { changeSubscription } from '../../../core/subscriptions/verbs.ts';
import { event, snapshot } from '../../samples.ts';
import { type Args, findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
beforeEach(async () => {
  world = await startSlackWorld({ config: { links: { task: 'https://work.example.com/tasks/{id}' } } });
});
afterEach(async () => world.stop());

it('lists the tasks that are overdue or due soon, the earliest first', async () => {
  world.slack.emails.set('UANN', 'Ann@example.com');
  const key = { source: 'main', resource: 'person', id: '2' };
  const ann = { id: '2', firstname: 'Ann', lastname: 'Lee', email: 'ann@example.com', active: true };
  const task = (id: string, datedue: string, assigneeid: readonly string[]) => {
    const record = { id, title: `Task ${id}`, datedue, dateclosed: null, project: 'Website', assigneeid };
    return snapshot(id, { record, stage: stageOnDay('task', record, '2026-11-14', world.embedded.config.rules) });
  };
  const stored = [
    snapshot('2', { key, record: ann, stage: {} }),
    task('7', '2026-11-15', ['2']),
    task('8', '2026-11-10', ['2', '3']),
    task('9', '2026-11-10', ['3']),
  ];
  await world.embedded.snapshots.commit(stored.map((one) => ({ snapshot: one, expected: 0 })));
  await world.openHome('UANN');
  expect(world.errors).toEqual([]);
  const published = world.slack.callsOf('views.publish').at(-1);
  const rows = published?.view.blocks.filter(({ type }: Args) => type === 'rich_text');
  const style = { bold: true };
  expect(rows.map(({ elements: [{ elements }] }: Args) => elements)).toEqual([
    [
      { type: 'link', url: 'https://work.example.com/tasks/8', text: 'Task 8', style },
      { type: 'text', text: '\n🔴 overdue since Wed 11 Nov · Website' },
    ],
    [
      { type: 'link', url: 'https://work.example.com/tasks/7', text: 'Task 7', style },
      { type: 'text', text: '\n⏳ due Sun 15 Nov · Website' },
    ],
  ]);
});

it('that Slack refuses is reported, and the person learns why', async () => {
  world.slack.failures.set('views.publish', [{ status: 200, body: { ok: false, error: 'invalid_arguments' } }]);
  await world.openHome('UANN');
  expect(world.errors).toMatchObject([
    { code: 'TIDINGS_SLACK_REFUSED', message: 'Slack refused your app home: invalid_arguments' },
  ]);
  expect(textIn(world.slack.callsOf('chat.postMessage'))).toContain('Slack refused your app home: invalid_arguments');
});

describe('two people with the same name', () => {
  const CHOICE = { action_id: 'tidings:digest', selected_option: { value: 'weekdays 08:30' } };

  const commitPeople = (...people: readonly { readonly id: string; readonly email: string }[]) =>
    world.embedded.snapshots.commit(
      people.map(({ id, email }) => {
        const record = { id, firstname: 'Ann', lastname: 'Lee', email, active: true };
        const person = snapshot(id, { key: { source: 'main', resource: 'person', id }, record, stage: {} });
        return { snapshot: person, expected: 0 };
      }),
    );

  /** Whether the only subscription wants a task of this person. */
  const wantsTaskOf = async (assigneeid: string) => {
    const one = event('evt_1', { type: 'task.overdue' });
    const record = { ...one.data.record, assigneeid: [assigneeid], assignees: ['Ann Lee'] };
    return (
      compileMatcher(await world.embedded.subscriptions.list())({ ...one, data: { ...one.data, record } }).length > 0
    );
  };

  beforeEach(async () => {
    world.slack.emails.set('UANN', 'ann@example.com');
    await commitPeople({ id: '2', email: 'ann@example.com' }, { id: '3', email: 'other@example.com' });
  });

  it('get digests of their own tasks', async () => {
    await world.press(CHOICE, { channel: '' });
    expect(await wantsTaskOf('2')).toBe(true);
    expect(await wantsTaskOf('3')).toBe(false);
    await world.openHome('UANN');
    expect(textIn(world.slack.callsOf('views.publish').at(-1))).toContain(
      '"initial_option":{"text":{"type":"plain_text","text":"Monday to Friday at 08:30"',
    );
  });

  it('get them also if the digest was made by an earlier version, once the home is opened', async () => {
    await world.press(CHOICE, { channel: '' });
    const [made] = await world.embedded.subscriptions.list();
    if (made?.madeBy === undefined) throw new Error('no digest');
    const query = 'task.overdue task.due_soon assignee:"Ann Lee" daily 08:30 mon-fri';
    const where = { data: { record: { assignees: [{ 'equals-ignore-case': 'Ann Lee' }] } } };
    await world.embedded.subscriptions.save({ ...made, where, madeBy: { ...made.madeBy, query } });
    expect(await wantsTaskOf('3')).toBe(true);
    await world.openHome('UANN');
    expect(world.errors).toEqual([]);
    expect(await wantsTaskOf('2')).toBe(true);
    expect(await wantsTaskOf('3')).toBe(false);
    expect(await world.embedded.subscriptions.list()).toMatchObject([{ name: made.name, digest: made.digest }]);
  });

  it('and the same mail address see no tasks, and learn why', async () => {
    await commitPeople({ id: '4', email: 'Ann@example.com' });
    await world.openHome('UANN');
    const home = textIn(world.slack.callsOf('views.publish').at(-1));
    expect(home).toContain('Several people in the account have your mail address');
    expect(home).toContain('/tidings connect');
    await world.press(CHOICE, { channel: '' });
    expect(await world.embedded.subscriptions.list()).toEqual([]);
  });
});

describe('the digest of a person', () => {
  const CONFINED = { source: ['/sources/main'], data: { record: { assigneeid: ['2'] } } };
  let folder: string;
  const choose = (value: string) =>
    world.press({ action_id: 'tidings:digest', selected_option: { value } }, { channel: '' });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-home-'));
    await restart('main');
    const record = { id: '2', firstname: 'Ann', lastname: 'Lee', email: 'ann@example.com', active: true };
    const person = snapshot('2', { key: { source: 'main', resource: 'person', id: '2' }, record, stage: {} });
    await world.embedded.snapshots.commit([{ snapshot: person, expected: 0 }]);
    await choose('daily 08:00');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** On the same data, with these sources in the config. */
  async function restart(...names: readonly string[]) {
    await world.stop();
    const sources = names.map((name) => ({ name, baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'UTC' }));
    world = await startSlackWorld({
      file: join(folder, 'tidings.db'),
      config: { sources },
      requests: world.requests(),
    });
    world.slack.emails.set('UANN', 'ann@example.com');
  }

  const digest = async () => (await world.embedded.subscriptions.list())[0];
  async function wantsTaskOf(source: string, id: string) {
    const base = event('1', { type: 'task.overdue', source: `/sources/${source}` });
    const one = { ...base, data: { ...base.data, record: { id: '1', assigneeid: [id], assignees: ['Ann Lee'] } } };
    return compileMatcher(await world.embedded.subscriptions.list())(one).length > 0;
  }

  it('is of their account, before and after a second one is added, where somebody has the same id and name', async () => {
    const query = 'task.overdue task.due_soon source:main assigneeid:2 daily 08:00';
    expect(await digest()).toMatchObject({ where: CONFINED, madeBy: { query } });
    await restart('main', 'other');
    expect(await wantsTaskOf('main', '2')).toBe(true);
    expect(await wantsTaskOf('other', '2')).toBe(false);
    await world.openHome('UANN');
    expect(await digest()).toMatchObject({ where: CONFINED, madeBy: { query } });
    expect(world.slack.callsOf('chat.postMessage')).toEqual([]);
  });

  it('stays so when a condition is added with a button, and when it is changed elsewhere', async () => {
    const made = await digest();
    const { data } = event('1');
    const record = { id: '1', title: 'Draft', project: 'Shop', assigneeid: ['2'] };
    await world.record(event('1', { type: 'task.overdue', time: world.clock.now(), data: { ...data, record } }));
    const block = `tidings:evt_1:${made?.name}`;
    await world.press({ action_id: 'tidings:fewer', block_id: block, value: 'fewer' }, { channel: 'DUANN', ts: '1.1' });
    expect(await digest()).toMatchObject({ madeBy: { query: expect.stringContaining('assigneeid:2 -project:Shop') } });
    expect(await wantsTaskOf('other', '2')).toBe(false);
    const { name = '' } = made ?? {};
    const author = { kind: 'console', id: 'ann', scopes: ['admin'] } as const;
    const change = ({ madeBy: _, ...stored }: Subscription) => ({ ...stored, digest: { at: '07:00' } });
    await changeSubscription({ ...world.embedded, randomBytes }, author, name, change);
    expect((await digest())?.madeBy?.query).toBe(
      'task.overdue task.due_soon source:main assigneeid:2 -project:Shop daily 07:00',
    );
  });

  it.each([
    ['by id', { data: { record: { assigneeid: ['2'] } } }, 'assigneeid:2'],
    [
      'by name, with an exclusion',
      {
        data: {
          record: {
            assignees: [{ 'equals-ignore-case': 'Ann Lee' }],
            project: [{ 'none-of': [{ 'equals-ignore-case': 'Shop' }] }],
          },
        },
      },
      'assignee:"Ann Lee" -project:Shop',
    ],
  ])('%s is confined once the home is opened, and keeps everything else', async (_, where, words) => {
    const made = await digest();
    if (made?.madeBy === undefined) throw new Error('no digest');
    const query = `task.overdue task.due_soon ${words} daily 10:30`;
    await world.embedded.subscriptions.save({
      ...made,
      where,
      digest: { at: '10:30' },
      madeBy: { ...made.madeBy, query },
    });
    await restart('main', 'other');
    await world.openHome('UANN');
    expect(world.errors).toEqual([]);
    const rest = words.includes('-project:Shop') ? ' -project:Shop' : '';
    expect(await digest()).toMatchObject({
      name: made.name,
      where: CONFINED,
      digest: { at: '10:30' },
      madeBy: { query: `task.overdue task.due_soon source:main assigneeid:2${rest} daily 10:30` },
    });
    const { entries } = await world.embedded.audit.page({ limit: 1 });
    expect(entries[0]).toMatchObject({ action: 'subscription.changed', by: { id: 'UANN' } });
  });

  it('that no query can express is confined too', async () => {
    const made = await digest();
    if (made?.madeBy === undefined) throw new Error('no digest');
    const { query: _, ...madeBy } = made.madeBy;
    const where = { data: { record: { assigneeid: ['2'] } } };
    const grouped = { at: '08:00', groupBy: 'person' } as const;
    await world.embedded.subscriptions.save({ ...made, where, digest: grouped, madeBy });
    await world.openHome('UANN');
    expect(await digest()).toMatchObject({ where: CONFINED, digest: grouped });
    expect((await digest())?.madeBy).not.toHaveProperty('query');
  });

  const queries = async () => (await world.embedded.subscriptions.list()).map(({ madeBy }) => madeBy?.query).sort();
  const menu = async () => {
    await world.openHome('UANN');
    const { blocks } = world.slack.callsOf('views.publish').at(-1)?.view ?? {};
    return blocks.find((block: Args) => block.block_id === 'tidings:digest').accessory;
  };

  it('is neither what they typed themselves, nor ends it', async () => {
    await choose('off');
    const typed = 'task.overdue task.due_soon project:Shop daily 09:15';
    const { replies } = await world.type(`subscribe ${typed}`, { channel: 'DUANN' });
    await world.press(findButton(replies[0], 'Subscribe'), { channel: 'DUANN' });
    expect((await menu()).initial_option.value).toBe('off');
    await choose('weekdays 08:30');
    const own = 'task.overdue task.due_soon source:main assigneeid:2 daily 08:30 mon-fri';
    expect(await queries()).toEqual([typed, own].sort());
    expect((await menu()).initial_option.value).toBe('weekdays 08:30');
    await choose('off');
    expect(await queries()).toEqual([typed]);
  });

  it('keeps what was excluded when another time is chosen, and shows a time that was set elsewhere', async () => {
    const made = await digest();
    if (made?.madeBy === undefined) throw new Error('no digest');
    const record = { assigneeid: ['2'], project: [{ 'none-of': [{ 'equals-ignore-case': 'Shop' }] }] };
    const where = { source: ['/sources/main'], data: { record } };
    const query = 'task.overdue task.due_soon source:main assigneeid:2 -project:Shop daily 10:30 mon,wed';
    const at = { at: '10:30', days: ['mon', 'wed'] } as const;
    await world.embedded.subscriptions.save({ ...made, where, digest: at, madeBy: { ...made.madeBy, query } });
    const shown = await menu();
    expect(shown).not.toHaveProperty('initial_option');
    expect(shown.placeholder.text).toBe('daily 10:30 mon,wed');
    await choose('weekly mon 09:00');
    expect(await queries()).toEqual([
      'task.overdue task.due_soon source:main assigneeid:2 -project:Shop daily 09:00 mon',
    ]);
    await choose('yearly');
    expect(await queries()).toHaveLength(1);
  });

  it('that the person may not have is not made, and they learn why', async () => {
    await choose('off');
    const { config } = world.ports;
    Object.assign(world.ports, { config: { ...config, slack: { ...config.slack, offer: ['project.*'] } } });
    const { replies } = await choose('daily 08:00');
    expect(await queries()).toEqual([]);
    expect(textIn(replies)).toContain(
      'Your digest was not changed: only project.* may be subscribed to freely, not task.overdue',
    );
  });

  it('of somebody else that a person typed is theirs, also once the home is opened', async () => {
    await choose('off');
    const typed = 'task.overdue task.due_soon assigneeid:7 daily 08:30';
    const { replies } = await world.type(`subscribe ${typed}`, { channel: 'DUANN' });
    await world.press(findButton(replies[0], 'Subscribe'), { channel: 'DUANN' });
    expect((await menu()).initial_option.value).toBe('off');
    await choose('daily 08:00');
    expect(await queries()).toEqual([typed, 'task.overdue task.due_soon source:main assigneeid:2 daily 08:00'].sort());
    await choose('off');
    expect(await queries()).toEqual([typed]);
  });

  it('is left alone if it follows somebody else, or a project', async () => {
    const made = await digest();
    if (made?.madeBy === undefined) throw new Error('no digest');
    for (const [words, where] of [
      ['assignee:"Bob Ode"', { data: { record: { assignees: [{ 'equals-ignore-case': 'Bob Ode' }] } } }],
      ['project:Shop', { data: { record: { project: [{ 'equals-ignore-case': 'Shop' }] } } }],
      ['assigneeid:9', { data: { record: { assigneeid: ['9'] } } }],
      ['source:main assigneeid:9', { source: ['/sources/main'], data: { record: { assigneeid: ['9'] } } }],
      ['source:other assigneeid:2', { source: ['/sources/other'], data: { record: { assigneeid: ['2'] } } }],
    ] as const) {
      const query = `task.overdue task.due_soon ${words} daily 08:00`;
      await world.embedded.subscriptions.save({ ...made, where, madeBy: { ...made.madeBy, query } });
      await world.openHome('UANN');
      expect(await digest()).toMatchObject({ where, madeBy: { query } });
    }
  });
});
