/**
 * Tasks, time, people, projects and modules: what follows from a write, and what is refused.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/simulator.ts';
import { ask, startStill, validBody } from './api-client.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startStill({ tasks: 60 });
});
afterEach(() => simulator.stop());

const read = (resource: 'task' | 'project' | 'time' | 'person', id: string | number | null | undefined) =>
  simulator.account.read(resource, id ?? '') ?? {};

describe('tasks', () => {
  it('every write stamps datemodified with the time of the clock, in UTC, even one that changes nothing', () => {
    const { account } = simulator;
    account.clock.set('2026-11-20T23:30:05.900Z');
    const title = account.update('task', 1, { title: 'Same' }).title ?? '';
    expect(read('task', 1).datemodified).toBe('2026-11-20 23:30:05');
    account.clock.advance(60_000);
    account.update('task', 1, { title });
    expect(read('task', 1).datemodified).toBe('2026-11-20 23:31:05');
  });

  it('closing sets dateclosed to today, reopening empties it, and a date that is sent wins', () => {
    const { account } = simulator;
    expect(account.update('task', 1, { statusid: 1 })).toMatchObject({ dateclosed: '', status: 'Open' });
    expect(account.update('task', 1, { statusid: 7 })).toMatchObject({ dateclosed: '2026-11-14', status: 'Closed' });
    expect(account.update('task', 1, { statusid: 2 })).toMatchObject({ dateclosed: '' });
    expect(account.update('task', 1, { statusid: 7, dateclosed: '2026-11-01' })).toMatchObject({
      dateclosed: '2026-11-01',
    });
  });

  it('is overdue when open and due before today in the zone of the account', async () => {
    const { account } = simulator;
    account.update('task', 1, { statusid: 1, datedue: '2026-11-14' });
    const overdue = async () => (await ask(simulator, '/task/?overdue=t&limit=1000')).text.includes('{"id":"1",');
    expect(await overdue()).toBe(false);
    account.clock.set('2026-11-14T23:00:00Z');
    expect(await overdue()).toBe(true);
    account.update('task', 1, { statusid: 7 });
    expect(await overdue()).toBe(false);
  });

  it('time shows on the task, billable or not, and changes datemodified', () => {
    const { account } = simulator;
    const task = account.create('task', validBody('task'));
    account.clock.advance(5_000);
    account.create('time', { taskid: task.id, date: '2026-11-14', time: '1.5', billable: 't' });
    const entry = account.create('time', { taskid: task.id, date: '2026-11-14', time: '0.75', billable: 'f' });
    expect(read('task', task.id)).toMatchObject({
      billable: '1.50',
      unbillable: '0.75',
      actual: '2.25',
      datemodified: '2026-11-14 11:00:05',
    });
    account.update('time', entry.id ?? '', { time: '2', billable: 't' });
    expect(read('task', task.id)).toMatchObject({ billable: '3.50', unbillable: '0.00', actual: '3.50' });
    account.remove('time', entry.id ?? '');
    expect(read('task', task.id)).toMatchObject({ actual: '1.50' });
  });

  it('names of other records are joined when read: a renamed project shows at once and touches no task', () => {
    const { account } = simulator;
    const before = account.list('task', { projectid: '1' });
    account.clock.advance(3_600_000);
    account.rename('project', 1, 'Harbour festival');
    const after = account.list('task', { projectid: '1' });
    expect(after).toEqual(before.map((task) => ({ ...task, project: 'Harbour festival' })));
  });

  it('a task that moves to another project gets a number there and leaves its milestone', () => {
    const { account } = simulator;
    const milestone = account.list('milestone', { projectid: '1' })[0];
    account.update('task', 1, { projectid: 1, milestoneid: milestone?.id });
    const highest = Math.max(...account.list('task', { projectid: '2' }).map(({ localid }) => Number(localid)));
    expect(account.update('task', 1, { projectid: 2 })).toMatchObject({
      localid: String(highest + 1),
      milestoneid: null,
    });
    expect(() => account.update('task', 1, { milestoneid: milestone?.id })).toThrow(
      /milestoneid: .* belongs to project 1/,
    );
  });

  it.each(['-1', '1000000.01'])('an estimate of %s hours is refused', (estimate) => {
    expect(() => simulator.account.update('task', 1, { estimate })).toThrow(/^estimate: expected 0 to/);
  });

  it('a deleted task leaves its hours with the project', () => {
    const { account } = simulator;
    const entry = account.create('time', { taskid: 5, date: '2026-11-14', time: 1 });
    account.remove('task', 5);
    expect(read('time', entry.id)).toMatchObject({ taskid: null, task: null, projectid: entry.projectid });
  });

  it('a Resource user owns new tasks alone and changes no owner', async () => {
    const post = (ownerid: string) =>
      ask(simulator, '/task/', { as: 'Resource', method: 'POST', body: { ...validBody('task'), ownerid } });
    expect((await post('1')).status).toBe(403);
    expect((await post('5,1')).status).toBe(403);
    const made = await post('5');
    const { id } = made.json.task as { id: string };
    expect(made.status).toBe(201);
    const put = (body: object) => ask(simulator, `/task/${id}/`, { as: 'Resource', method: 'PUT', body });
    expect((await put({ ownerid: '1' })).status).toBe(403);
    expect((await put({ ownerid: '5', title: 'Same owner' })).status).toBe(202);
  });
});

describe('people', () => {
  const post = (body: object) => ask(simulator, '/person/', { method: 'POST', body: { firstname: 'Ada', ...body } });

  it.each([
    [{ username: 'ada', groupid: '3' }, 'email'],
    [{ username: 'ada', email: 'ada@example.com' }, 'groupid'],
    [{ username: 'ADA', email: 'ada@example.com', groupid: '3' }, 'username'],
  ])('a person who can log in: %j lacks or repeats %s', async (body, named) => {
    await post({ username: 'ada', email: 'ada@example.com', groupid: '3' });
    const response = await post(body);
    expect(response.json.error).toMatchObject({ code: 18, message: expect.stringMatching(new RegExp(`^${named}`)) });
  });

  it('allprojects puts a person on the team of future projects, not of present ones', async () => {
    const { id } = (await post({ allprojects: 't' })).json.person as { id: string };
    expect(simulator.account.list('projectteam', { personid: id })).toEqual([]);
    const project = simulator.account.create('project', validBody('project'));
    expect(simulator.account.list('projectteam', { personid: id })).toMatchObject([{ projectid: project.id }]);
  });

  it('neither the account holder nor a person in use can be deleted; others can', async () => {
    const remove = (id: string) => ask(simulator, `/person/${id}/`, { method: 'DELETE' });
    expect((await remove('1')).json.error.message).toContain('primary');
    const busy = simulator.account.list('task')[0]?.ownerid?.split(',')[0] ?? '';
    expect((await remove(busy === '1' ? '3' : busy)).json.error.code).toBe(18);
    const { id } = (await post({})).json.person as { id: string };
    expect((await remove(id)).status).toBe(200);
  });

  it('active can be switched off and on by PUT, for people, projects and modules', async () => {
    for (const path of ['/person/9/', '/project/1/', '/projectmodule/1/']) {
      for (const active of ['f', 't']) {
        const response = await ask(simulator, path, { method: 'PUT', body: { active } });
        expect(response.json[path.split('/')[1] ?? '']).toMatchObject({ active });
      }
    }
  });

  it('a changed group is a changed role at once', async () => {
    const token = simulator.tokens.Manager[0] ?? '';
    expect((await ask(simulator, '/invoice/', { token })).status).toBe(200);
    await ask(simulator, '/person/3/', { method: 'PUT', body: { groupid: '3' } });
    expect((await ask(simulator, '/invoice/', { token })).status).toBe(403);
  });
});

describe('projects and modules', () => {
  const put = (body: object) => ask(simulator, '/project/1/', { method: 'PUT', body });

  it('only Administrators and Managers manage projects; the first one named is the manager', async () => {
    expect((await put({ managerid: '1,5' })).json.error.message).toContain('person 5');
    const response = await put({ managerid: '3,1' });
    const { firstname, lastname } = simulator.account.read('person', 3) ?? {};
    expect(response.json.project).toMatchObject({ managerid: '3,1', manager: `${firstname} ${lastname}` });
  });

  it('a project ends no earlier than it starts', async () => {
    expect((await put({ datestart: '2026-11-01', dateend: '2026-10-31' })).json.error.message).toContain('dateend');
  });

  it('a plan may limit the number of active projects', async () => {
    const small = await startStill({ tasks: 20, projects: 3, activeProjects: 3 });
    const response = await ask(small, '/project/', { method: 'POST', body: validBody('project') });
    const idle = await ask(small, '/project/', { method: 'POST', body: { ...validBody('project'), active: 'f' } });
    await small.stop();
    expect(response.json.error.message).toMatch(/^active: the plan allows 3/);
    expect(idle.status).toBe(201);
  });

  it('sends the managers one mail when the budget alert is reached', () => {
    const { account } = simulator;
    const project = account.create('project', { ...validBody('project'), budget: 10, alert_percent: 80, managerid: 3 });
    const log = (hours: number) => account.create('time', { projectid: project.id, date: '2026-11-14', time: hours });
    log(7);
    expect(read('project', project.id).alert_date).toBe('');
    log(1);
    log(1);
    expect(read('project', project.id).alert_date).toBe('2026-11-14');
    expect(account.notifications.filter(({ subject }) => subject.startsWith('Budget alert'))).toHaveLength(1);
  });

  it('a project or client that others point at cannot be deleted', async () => {
    expect((await ask(simulator, '/project/1/', { method: 'DELETE' })).json.error.message).toMatch(
      /still used by \d+ task/,
    );
    expect((await ask(simulator, '/client/1/', { method: 'DELETE' })).json.error.message).toMatch(/still used by/);
  });

  it('a module stays with its project, a custom one needs a name, a default one is assigned once', async () => {
    const post = (body: object) =>
      ask(simulator, '/projectmodule/', { method: 'POST', body: { projectid: 1, active: 't', ...body } });
    expect((await post({})).json.error.message).toMatch(/^module: is required/);
    expect((await post({ moduleid: 1 })).json.error.message).toContain('already assigned');
    expect((await post({ moduleid: 99 })).json.error.message).toContain('no module with id 99');
    const moved = await ask(simulator, '/projectmodule/1/', { method: 'PUT', body: { projectid: 2 } });
    expect(moved.json.error.message).toMatch(/^projectid: cannot be changed/);
    const renamed = await ask(simulator, '/projectmodule/1/', { method: 'PUT', body: { module: 'Ideas' } });
    expect(renamed.json.projectmodule).toMatchObject({ module: 'Ideas', moduleid: '1', custom: 't' });
    const task = simulator.account.create('task', validBody('task'));
    expect(task.module).toBe('Ideas');
  });
});
