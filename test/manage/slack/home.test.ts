/** The Home tab of a person whom the account knows: their tasks with links and days, and their subscriptions. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { snapshot } from '../../samples.ts';
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
