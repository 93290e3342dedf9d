/** What surprises in a real Redmine. */

import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { redmineApi } from '../../adapters/sources/redmine/client.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { deriveEvents } from '../../core/events/derive.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { MINUTE } from '../../core/model/time.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { openEmbedded } from '../../runtime/embedded/embedded.ts';
import { pollCycle } from '../../runtime/poll-cycle.ts';
import { act, createIssue, createPerson, createProject, editIssue, type Person, request } from './people.ts';
import { type RedmineServer, startRedmine } from './server.ts';
import { logIn } from './web-session.ts';

let server: RedmineServer;
let project: number;
let secret: number;
let ann: Person;

beforeAll(async () => {
  server = await startRedmine();
  project = await createProject(server, 'Public');
  secret = await createProject(server, 'Secret', false);
  ann = await createPerson(server, 'Ann', [project, secret]);
  for (let count = 0; count < 12; count++) {
    await createIssue(server, ann.key, { project_id: count < 3 ? project : secret, subject: `Issue ${count}` });
  }
});
afterAll(() => server.stop());

/** Tidings on the server, after its baseline. */
async function open(token = server.adminKey, options: object = {}) {
  let offset = 0;
  const source = { kind: 'redmine', baseUrl: server.url, token, timeZone: 'UTC', ...options };
  const often = { resources: { task: { every: '1s', sweep: '1d' } } };
  const embedded = await openEmbedded({
    config: parseConfig('test.json', JSON.stringify({ source: { ...often, ...source } }), {}),
    database: openDatabase(':memory:'),
    environment: {},
    clock: { now: () => new Date(Date.now() + offset).toISOString() },
    holder: 'test',
    random: () => 0.5,
  });
  let polledAt = 0;
  const poll = async (everything = false) => {
    // Tasks are scanned every second, and the instants of Redmine are whole seconds.
    await sleep(Math.max(0, polledAt + 1100 - Date.now()));
    const [config] = embedded.config.sources;
    try {
      return await pollCycle(embedded, config ?? expect.unreachable(), {}, { everything });
    } finally {
      polledAt = Date.now();
    }
  };
  const events = async (): Promise<readonly TidingsEvent[]> => {
    const entries = await embedded.feed.read('test', 100_000);
    await embedded.feed.acknowledge('test', entries.at(-1)?.position ?? 0);
    return entries.flatMap(({ transition }) => deriveEvents(transition));
  };
  const news = async () => (await events()).map(({ type, subject }) => `${type} ${subject}`);
  await poll(true);
  await events();
  const advance = (millis: number) => {
    offset += millis;
  };
  return { embedded, poll, events, news, advance, close: () => embedded.close() };
}

describe('a key', () => {
  it('that is revoked is unauthorized: nothing is deleted, created or passed over', async () => {
    const { database } = server;
    const world = await open(ann.key);
    const setKey = (value: string) =>
      database.prepare("UPDATE tokens SET value = ? WHERE user_id = ? AND action = 'api'").run(value, ann.id);
    setKey('0'.repeat(40));
    const id = await createIssue(server, server.adminKey, { project_id: secret, subject: 'Made meanwhile' });
    // Redmine itself shows the public issues to anyone.
    expect((await request(server, ann.key, 'GET', 'issues.json')).status).toBe(200);
    for (const everything of [false, true]) {
      world.advance(31_000);
      const { failed, scans } = await world.poll(everything);
      expect(scans).toEqual([]);
      expect(new Set(failed.map(({ code }) => code))).toEqual(new Set(['TIDINGS_SOURCE_UNAUTHORIZED']));
    }
    expect((await world.news()).filter((line) => !line.startsWith('source.'))).toEqual([]);
    setKey(ann.key);
    world.advance(5 * MINUTE);
    await world.poll(true);
    expect(await world.news()).toContain(`task.created task/${id}`);
    await world.close();
  });

  it('of a person without rights on users skips them and reads the rest', async () => {
    const world = await open(ann.key);
    const states = await world.embedded.scanStates.get('main', 'person');
    expect(states?.forbiddenAt).not.toBeNull();
    expect((await world.embedded.scanStates.get('main', 'task'))?.baselinedAt).not.toBeNull();
    await world.close();
  });
});

describe('an issue', () => {
  let world: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    world = await open();
  });
  beforeEach(async () => void (await world.poll()));
  afterAll(() => world.close());

  it('is created, changed, assigned, closed and reopened, by its people and at its instants', async () => {
    await world.events();
    const id = await createIssue(server, ann.key, { project_id: project, subject: 'A &amp; <b>', tracker_id: 2 });
    await editIssue(server, server.adminKey, id, { assigned_to_id: ann.id, done_ratio: 30, tracker_id: 1 });
    await editIssue(server, ann.key, id, { status_id: 5 });
    await editIssue(server, server.adminKey, id, { status_id: 2, due_date: '2026-01-05' });
    await world.poll();
    const events = (await world.events()).filter(({ subject }) => subject === `task/${id}`);
    const lines = events.map(({ type, data }) => `${type} by ${data.by?.id}`);
    expect(lines).toEqual(
      expect.arrayContaining([
        `task.created by ${ann.id}`,
        'task.assigned by 1',
        'task.updated by 1',
        `task.closed by ${ann.id}`,
        'task.reopened by 1',
        'task.due_date_changed by 1',
      ]),
    );
    const journals = server.database
      .prepare('SELECT created_on FROM journals WHERE journalized_id = ? ORDER BY id')
      .all(Number(id));
    const closedAt = String(journals[1]?.created_on).slice(0, 19).replace(' ', 'T');
    expect(events.find(({ type }) => type === 'task.closed')?.data.occurred.before.slice(0, 19)).toBe(closedAt);
    expect(events[0]?.data.record).toMatchObject({ title: 'A &amp; <b>', x_trackerid: '2' });
    const assigned = events.find(({ type }) => type === 'task.assigned')?.data;
    expect(assigned?.record).toMatchObject({ assignees: ['Ann Vogt'], x_done_ratio: 30, x_tracker: 'Bug' });
  });

  it('shows the names of what it referred to between two polls only', async () => {
    const other = await createProject(server, `Other ${Date.now()}`);
    const version = { name: '2.0', status: 'open' };
    await act(server, server.adminKey, 'POST', `projects/${project}/versions.json`, { version });
    const [row] = server.database.prepare('SELECT max(id) AS id FROM versions').all();
    const id = await createIssue(server, ann.key, { project_id: project, subject: 'Passing', tracker_id: 1 });
    await world.poll();
    await world.events();
    const passing = { tracker_id: 2, priority_id: 5, fixed_version_id: row?.id, assigned_to_id: ann.id };
    await editIssue(server, server.adminKey, id, passing);
    await editIssue(server, server.adminKey, id, { project_id: other, fixed_version_id: '' });
    const final = { project_id: project, tracker_id: 3, priority_id: 1, assigned_to_id: '' };
    await editIssue(server, server.adminKey, id, final);
    await world.poll();
    const records = (await world.events())
      .filter(({ subject }) => subject === `task/${id}`)
      .map(({ data }) => data.record);
    expect(records[0]).toMatchObject({
      ...{ x_trackerid: '2', x_tracker: 'Feature', severity: 'Immediate', milestone: '2.0', assignees: ['Ann Vogt'] },
    });
    expect(records.map((record) => record?.project)).toContainEqual(expect.stringMatching(/^Other/));
    expect(JSON.stringify(records)).not.toContain('"#');
  });

  it('that is past its due date is overdue', async () => {
    world.advance(3 * MINUTE);
    await world.poll();
    await world.poll();
    world.advance(3 * MINUTE);
    const id = await createIssue(server, ann.key, { project_id: project, subject: 'Late', due_date: '2026-01-03' });
    await world.poll();
    world.advance(3 * MINUTE);
    await world.poll();
    expect(await world.news()).toContain(`task.overdue task/${id}`);
  });

  it('of a bulk edit has its own event, with the person', async () => {
    await world.events();
    const issues = server.database.prepare('SELECT id FROM issues WHERE project_id = ? LIMIT 8').all(secret);
    const ids = issues.map(({ id }) => String(id));
    await (await logIn(server, 'ann')).bulkEdit(ids, { priority_id: '5' });
    await world.poll();
    const updated = (await world.events()).filter(({ type }) => type === 'task.updated');
    expect(updated.map(({ subject }) => subject).sort()).toEqual(ids.map((one) => `task/${one}`).sort());
    expect(new Set(updated.map(({ data }) => data.by?.name))).toEqual(new Set(['Ann Vogt']));
  });

  it('that got hours shows them after a sweep, although its date is the same', async () => {
    await world.events();
    const id = await createIssue(server, ann.key, { project_id: project, subject: 'Hours' });
    await world.poll();
    await world.events();
    const entry = { issue_id: Number(id), hours: 2.5, activity_id: 8 };
    await act(server, ann.key, 'POST', 'time_entries.json', { time_entry: entry });
    await world.poll(true);
    const events = await world.events();
    expect(events.map(({ type }) => type)).toContain('time.created');
    const hours = events.find(({ subject }) => subject === `task/${id}`);
    expect(hours?.data.changes).toEqual([{ field: 'actual', from: 0, to: 2.5 }]);
  });

  it('keeps its events when only names of other records change', async () => {
    await world.poll(true);
    await world.events();
    server.database.prepare("UPDATE issue_statuses SET name = 'Fresh' WHERE id = 1").run();
    await act(server, server.adminKey, 'PUT', `projects/${project}.json`, { project: { name: 'Renamed' } });
    await world.poll(true);
    expect((await world.news()).filter((line) => line.startsWith('task.'))).toEqual([]);
    const [id] = server.database.prepare('SELECT id FROM issues WHERE status_id = 1 AND project_id = ?').all(project);
    const key = { source: 'main', resource: 'task', id: String(id?.id) };
    expect((await world.embedded.snapshots.get(key))?.record).toMatchObject({ status: 'Fresh', project: 'Renamed' });
  });

  it('of an archived project is neither deleted nor created again', async () => {
    await world.poll(true);
    await world.events();
    await act(server, server.adminKey, 'PUT', `projects/${secret}/archive.json`);
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      world.advance(65 * MINUTE);
      await world.poll(true);
    }
    await act(server, server.adminKey, 'PUT', `projects/${secret}/unarchive.json`);
    await world.poll(true);
    expect((await world.news()).filter((line) => line.startsWith('task.'))).toEqual([]);
  });

  it('that becomes private for others is not deleted, and is no new one when it is shown again', async () => {
    const ben = await createPerson(server, `Ben${Date.now()}`, [project], 5);
    const reporter = await open(ben.key);
    const id = await createIssue(server, ann.key, { project_id: project, subject: 'Hidden at times' });
    await reporter.poll(true);
    await reporter.events();
    await editIssue(server, server.adminKey, id, { is_private: true });
    reporter.advance(15 * MINUTE);
    await reporter.poll(true);
    await editIssue(server, server.adminKey, id, { is_private: false });
    await reporter.poll(true);
    const lines = (await reporter.news()).filter((line) => line.endsWith(`task/${id}`));
    expect(lines.filter((line) => /deleted|created/.test(line))).toEqual([]);
    await reporter.close();
  });

  it('that is moved out of sight is not deleted, and is no new one when it is back', async () => {
    const cem = await createPerson(server, `Cem${Date.now()}`, [project], 5);
    const reporter = await open(cem.key);
    const id = await createIssue(server, ann.key, { project_id: project, subject: 'Travels' });
    await reporter.poll(true);
    await reporter.events();
    await editIssue(server, server.adminKey, id, { project_id: secret });
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      reporter.advance(15 * MINUTE);
      await reporter.poll(true);
    }
    await editIssue(server, server.adminKey, id, { project_id: project });
    await reporter.poll(true);
    const lines = (await reporter.news()).filter((line) => line.endsWith(`task/${id}`));
    expect(lines.filter((line) => /deleted|created/.test(line))).toEqual([]);
    await reporter.close();
  });

  it('has its custom fields by their names, with the person who changed one', async () => {
    const { lastInsertRowid: field } = server.database
      .prepare(
        'INSERT INTO custom_fields (type, name, field_format, is_for_all, editable, visible) VALUES (?, ?, ?, 1, 1, 1)',
      )
      .run('IssueCustomField', 'Target group', 'string');
    const link = server.database.prepare(
      'INSERT INTO custom_fields_trackers (custom_field_id, tracker_id) VALUES (?, ?)',
    );
    for (const tracker of [1, 2, 3]) link.run(field, tracker);
    const id = await createIssue(server, ann.key, { project_id: project, subject: 'Custom', tracker_id: 1 });
    await world.poll();
    await world.events();
    const value = (text: string) => ({ custom_fields: [{ id: Number(field), value: text }] });
    await editIssue(server, ann.key, id, value('schools'));
    await editIssue(server, server.adminKey, id, value('firms'));
    await world.poll();
    const updated = (await world.events()).filter(({ type }) => type === 'task.updated');
    expect(
      updated.map(({ data }) => [data.by?.name, data.changes?.at(-1)?.field, data.record?.x_target_group]),
    ).toEqual([
      ['Ann Vogt', 'x_target_group', 'schools'],
      ['Redmine Admin', 'x_target_group', 'firms'],
    ]);
  });

  it('is deleted only on its own 404', async () => {
    await world.poll(true);
    await world.events();
    const id = await createIssue(server, ann.key, { project_id: project, subject: 'Short-lived' });
    await createIssue(server, ann.key, { project_id: project, subject: 'Keeps the number' });
    await world.poll();
    await act(server, server.adminKey, 'DELETE', `issues/${id}.json`);
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      world.advance(11 * MINUTE);
      await world.poll(true);
    }
    expect((await world.news()).filter((line) => line.startsWith('task.deleted'))).toEqual([`task.deleted task/${id}`]);
  });
});

describe('a version', () => {
  it('is a milestone, with its project and due date', async () => {
    const world = await open();
    const version = { name: '3.0', status: 'open', due_date: '2027-03-01' };
    await act(server, server.adminKey, 'POST', `projects/${project}/versions.json`, { version });
    await world.poll(true);
    const created = (await world.events()).find(({ type }) => type === 'milestone.created');
    expect(created?.data.record).toMatchObject({ name: '3.0', projectid: String(project), datedue: '2027-03-01' });
    const path = `versions/${created?.data.record?.id}.json`;
    await act(server, server.adminKey, 'PUT', path, { version: { due_date: '2027-04-01' } });
    await world.poll(true);
    expect((await world.events()).map(({ type, data }) => [type, data.changes])).toContainEqual([
      'milestone.updated',
      [{ field: 'datedue', from: '2027-03-01', to: '2027-04-01' }],
    ]);
    await world.close();
  });
});

describe('an answer', () => {
  it('that is slow is waited for', async () => {
    const proxy = createServer((incoming, response) => {
      const { url = '/', method, headers } = incoming;
      const passed = forward(new URL(url, server.url), { method, headers }, async (answer) => {
        await sleep(1500);
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(passed);
    });
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    const { port } = proxy.address() as AddressInfo;
    const world = await open(server.adminKey, { baseUrl: `http://127.0.0.1:${port}` });
    const id = await createIssue(server, ann.key, { project_id: project, subject: 'Slowly' });
    expect((await world.poll()).failed).toEqual([]);
    expect(await world.news()).toContain(`task.created task/${id}`);
    await world.close();
    proxy.close();
  });

  const answering = async (status: number, headers: Record<string, string>, body: string) => {
    const fake = createServer((_, response) => response.writeHead(status, headers).end(body));
    await new Promise<void>((listening) => fake.listen(0, '127.0.0.1', listening));
    const { port } = fake.address() as AddressInfo;
    const api = redmineApi({ baseUrl: `http://127.0.0.1:${port}`, token: 'k', retries: 0 });
    const error = await api.get('task', '1').catch((reason: unknown) => reason);
    await api.close();
    fake.close();
    return error;
  };

  it.each([
    [500, 'text/html', 'TIDINGS_SOURCE_STATUS'],
    [404, 'text/html', 'TIDINGS_SOURCE_STATUS'],
    [403, 'text/html', 'TIDINGS_SOURCE_STATUS'],
    [401, 'text/html', 'TIDINGS_SOURCE_UNAUTHORIZED'],
  ])('%i as a page of %s is no statement about a record', async (status, type, code) => {
    expect(await answering(status, { 'content-type': type }, '<html>no</html>')).toMatchObject({ code });
  });

  it('422 of Redmine says what is wrong', async () => {
    const api = redmineApi({ baseUrl: server.url, token: server.adminKey, retries: 0 });
    const filters = { modifiedAfter: 'garbage' };
    const request = api.list('task', { offset: 0, limit: 1, filters });
    await expect(request).rejects.toMatchObject({
      code: 'TIDINGS_SOURCE_REQUEST_INVALID',
      message: expect.stringContaining('Updated is invalid'),
    });
    await api.close();
  });
});
