/** The Home tab of a person whom the account knows: their tasks with links and days, and their subscriptions. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileMatcher } from '../../../core/filters/match.ts';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { event, snapshot } from '../../samples.ts';
import { type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

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
  const home = textIn(world.slack.callsOf('views.publish').at(-1));
  const [late, soon] = [
    '*<https://work.example.com/tasks/8|Task 8>*\\n:red_circle: overdue since Wed 11 Nov · Website',
    '*<https://work.example.com/tasks/7|Task 7>*\\n:hourglass_flowing_sand: due Sun 15 Nov · Website',
  ];
  expect(home).toContain(late);
  expect(home).toContain(soon);
  expect(home.indexOf(late)).toBeLessThan(home.indexOf(soon));
  expect(home).not.toContain('Task 9');
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

it('with several sources, a digest is by id and name: the id may be that of another person in the other one', async () => {
  await world.stop();
  const source = { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}' };
  world = await startSlackWorld({ config: { sources: ['main', 'other'].map((name) => ({ name, ...source })) } });
  world.slack.emails.set('UANN', 'ann@example.com');
  const record = { id: '2', firstname: 'Ann', lastname: 'Lee', email: 'ann@example.com', active: true };
  const person = snapshot('2', { key: { source: 'main', resource: 'person', id: '2' }, record, stage: {} });
  await world.embedded.snapshots.commit([{ snapshot: person, expected: 0 }]);
  await world.press({ action_id: 'tidings:digest', selected_option: { value: 'daily 08:00' } }, { channel: '' });
  expect(await world.embedded.subscriptions.list()).toMatchObject([
    { where: { data: { record: { assigneeid: ['2'], assignees: [{ 'equals-ignore-case': 'Ann Lee' }] } } } },
  ]);
});
