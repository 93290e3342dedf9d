/** Titles of records in what the app says: Slack finds no markup, mention or link in them. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { event, snapshot } from '../../samples.ts';
import { type Args, findButton, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

let world: SlackWorld;
const links = { task: 'https://work.example.com/{id}' };
beforeEach(async () => {
  world = await startSlackWorld({
    config: { source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'UTC' }, links },
  });
  world.slack.emails.set('UANN', 'ann@example.com');
  const ann = { id: '5', email: 'ann@example.com', firstname: 'Ann', lastname: 'Lee', active: true };
  const key = { source: 'main', resource: 'person', id: '5' };
  const record = {
    id: '1',
    title: '*Token expired*: :x: `log in` at https://evil.example.com <!channel>',
    datedue: '2026-11-14',
    dateclosed: null,
    project: '_Board_',
    assigneeid: ['5'],
  };
  const stage = stageOnDay('task', record, '2026-11-14', world.embedded.config.rules);
  const nextMoment = '2026-11-15T00:00:00.000Z';
  const stored = [snapshot('5', { key, record: ann, stage: {} }), snapshot('1', { record, stage, nextMoment })];
  await world.embedded.snapshots.commit(stored.map((one) => ({ snapshot: one, expected: 0 })));
  const base = event('evt_1', { type: 'task.updated', subject: 'task/1', time: world.clock.now() });
  await world.record({ ...base, data: { ...base.data, record } });
});
afterEach(async () => world.stop());

/** What Slack parses, without what is in code marks. */
function parsedIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(parsedIn);
  if (typeof value !== 'object' || value === null) return [];
  const { text, ...rest } = value as Args;
  const isParsed = typeof text === 'string' && (rest.type === undefined || rest.type === 'mrkdwn');
  const own = isParsed ? [text.replaceAll(/`[^`]*`/g, '')] : [];
  return [...own, ...parsedIn(typeof text === 'object' ? text : undefined), ...parsedIn(Object.values(rest))];
}

function expectPlain(message: unknown) {
  expect(textIn(message)).toMatch(/Token expired/);
  for (const text of parsedIn(message)) expect(text).not.toMatch(/Token expired|Board|evil|log in/);
}

it('is what the preview, the confirmation and the forecast of a subscription show', async () => {
  const asked = await world.type('subscribe task.overdue task.updated');
  expectPlain(asked.replies);
  expectPlain((await world.press(findButton(asked.replies[0], 'Subscribe'))).replies);
  expectPlain((await world.type('preview')).replies);
});

it('is what why shows', async () => {
  expectPlain((await world.type('why task/1')).replies);
});

it('is what the home shows', async () => {
  await world.openHome('UANN');
  expect(world.errors).toEqual([]);
  expectPlain(world.slack.callsOf('views.publish'));
});

it('does not hide the stars of event types from the admins', async () => {
  const { replies } = await world.type('subscribe *.created task.* invoice.*');
  await world.press(findButton(replies[0], 'Ask an admin'));
  const request = world.slack.callsOf('chat.postMessage').find(({ channel }) => channel === 'DUADMIN');
  const reasons = request?.blocks.filter(({ type }: Args) => type === 'context');
  expect(textIn(reasons)).toContain('not *.created, invoice.*.');
  expect(parsedIn(reasons)).toEqual([]);
});
