/** The digest of the home ends with the link that showed whose tasks it is about. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../../core/model/time.ts';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { runSlackWork } from '../../../manage/slack/run-work.ts';
import { taskId } from '../../../manage/slack/slack-task.ts';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { NOON, snapshot } from '../../samples.ts';
import { dyingPorts } from './killed-world.ts';
import { connectPerson, storeTasks } from './linked-world.ts';
import { type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

const ENDED = 'The digest of your tasks has ended';

let account: Simulator;
let world: SlackWorld;
beforeAll(async () => {
  account = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0 });
});
afterAll(async () => account.stop());
beforeEach(async () => {
  const source = { baseUrl: account.url, token: '${TOKEN}', timeZone: 'UTC' };
  world = await startSlackWorld({ config: { source } });
  await storeTasks(world, 'main', account);
  await connectPerson(world, account.tokens.Administrator[0] ?? '');
});
afterEach(async () => world.stop());

const linked = async () => String((await world.embedded.documents.get('slack-link', 'UANN main'))?.person);
const choose = (value: string) =>
  world.press({ action_id: 'tidings:digest', selected_option: { value } }, { channel: '' });
const disconnect = async () => textIn((await world.type('disconnect')).replies);
const own = () => world.embedded.subscriptions.list();
const sent = () => world.slack.callsOf('chat.postMessage').filter(({ channel }) => channel === 'DUANN');

/** An overdue task of this person. */
async function storeTask(person: string) {
  const record = { id: '99', title: 'Secret plan', datedue: '2026-11-10', dateclosed: null, assigneeid: [person] };
  const stage = stageOnDay('task', record, '2026-11-14', world.embedded.config.rules);
  const key = { source: 'main', resource: 'task', id: '99' };
  await world.embedded.snapshots.commit([{ snapshot: snapshot('99', { key, record, stage }), expected: 0 }]);
}

it('is sent no more after disconnect, and the person learns it', async () => {
  await storeTask(await linked());
  await choose('daily 08:00');
  expect(await own()).toHaveLength(1);
  world.advance(24 * HOUR);
  await world.pump();
  const before = sent().length;
  expect(await disconnect()).toContain(ENDED);
  expect(await own()).toEqual([]);
  world.advance(48 * HOUR);
  await world.pump();
  expect(sent()).toHaveLength(before);
  const { entries } = await world.embedded.audit.page({ limit: 2 });
  expect(entries.map(({ action, by }) => [action, by.id])).toEqual([
    ['subscription.removed', 'UANN'],
    ['person.disconnected', 'UANN'],
  ]);
});

it('stays if the mail address shows that the person is the same', async () => {
  const id = await linked();
  world.slack.emails.set('UANN', 'ann@example.com');
  // What Slack says is kept for half a minute.
  world.advance(MINUTE);
  const record = { id, firstname: 'Ann', lastname: 'Lee', email: 'ann@example.com', active: true };
  const key = { source: 'main', resource: 'person', id };
  await world.embedded.snapshots.commit([{ snapshot: snapshot(id, { key, record, stage: {} }), expected: 0 }]);
  await choose('daily 08:00');
  expect(await disconnect()).not.toContain(ENDED);
  expect(await own()).toHaveLength(1);
});

it('ends also if it excludes something, or an earlier version made it; what the person follows otherwise stays', async () => {
  const id = await linked();
  await choose('daily 08:00');
  const [made] = await own();
  if (made?.madeBy === undefined) throw new Error('no digest');
  const add = (name: string, record: Record<string, unknown>, more = {}) =>
    world.embedded.subscriptions.add({ ...made, name, where: { data: { record } }, ...more });
  const excluded = { project: [{ 'none-of': [{ 'equals-ignore-case': 'Shop' }] }] };
  await add('earlier', { assigneeid: [id], ...excluded });
  await add('of-a-colleague', { assigneeid: ['12345'] });
  await add('of-somebody-else', { assigneeid: [id] }, { madeBy: { ...made.madeBy, id: 'UBEN' } });
  expect(await disconnect()).toContain(ENDED);
  expect((await own()).map(({ name }) => name)).toEqual(['of-a-colleague', 'of-somebody-else']);
});

it('ends also after the process was killed at any write, and the person learns it', async () => {
  let isKilled = true;
  for (let writes = 0; isKilled; writes++) {
    if (writes > 0) await connectPerson(world, account.tokens.Administrator[0] ?? '');
    await choose('daily 08:00');
    await world.send(world.commandBody('disconnect', { trigger: `dies-${writes}`, name: `dies-${writes}` }));
    const dying = dyingPorts(world.ports, writes);
    await runSlackWork(dying.ports, taskId(`dies-${writes}`)).catch(() => {});
    isKilled = dying.isDead();
    world.advance(2 * MINUTE);
    await world.pump();
    expect(textIn(world.slack.responses.filter(({ to }) => to === `dies-${writes}`))).toContain(ENDED);
    expect(await own()).toEqual([]);
    expect(await world.embedded.documents.get('slack-link', 'UANN main')).toBeUndefined();
    expect(writes).toBeLessThan(50);
  }
});
