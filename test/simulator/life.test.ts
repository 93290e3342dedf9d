/**
 * The same seed gives the same account with the same activity; the journal records all of it; the clock can be controlled.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { Clock } from '../../simulator/account/clock.ts';
import { RESOURCES } from '../../simulator/resources/resource.ts';
import type { JournalEntry, Simulator, SimulatorOptions, WireRecord } from '../../simulator/simulator.ts';
import { ask, list, startStill } from './api-client.ts';

const TABLES = RESOURCES.filter((name) => name !== 'me' && name !== 'quota' && name !== 'tasknote');
type TableName = (typeof TABLES)[number];

const started: Simulator[] = [];
async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startStill({ tasks: 150, ...options });
  started.push(simulator);
  return simulator;
}
afterEach(() => Promise.all(started.splice(0).map((simulator) => simulator.stop())));

function everything(simulator: Simulator): Record<string, WireRecord[]> {
  const needed = (name: string): Record<string, string> =>
    name === 'contactdescriptor' ? { contacttypeid: '1,2,3,4,5' } : {};
  return Object.fromEntries(TABLES.map((name) => [name, simulator.account.list(name as TableName, needed(name))]));
}

describe('the generated account', () => {
  it('is the same, with the same tokens, for the same seed and start', async () => {
    const [one, two] = [await start(), await start()];
    expect(everything(one)).toEqual(everything(two));
    expect(one.tokens).toEqual(two.tokens);
  });

  it('differs for another seed', async () => {
    const [one, two] = [await start(), await start({ seed: 8 })];
    expect(everything(one).task).not.toEqual(everything(two).task);
    expect(one.tokens.Administrator[0]).not.toBe(two.tokens.Administrator[0]);
  });

  it.each([1, 10, 37, 5000])('an account of %i tasks has every role and every kind of record', async (tasks) => {
    const simulator = await start({ tasks });
    expect(simulator.account.count('task')).toBe(tasks);
    for (const list of Object.values(simulator.tokens)) expect(list.length).toBeGreaterThan(0);
    for (const resource of ['client', 'project', 'invoice', 'expense', 'document', 'time'] as const) {
      expect(simulator.account.count(resource), resource).toBeGreaterThan(0);
    }
  });

  it('accepts sizes per resource', async () => {
    const { account } = await start({ tasks: 100, projects: 5, clients: 4, people: 12, invoices: 33 });
    const counts = (['project', 'client', 'person', 'invoice'] as const).map((resource) => account.count(resource));
    expect(counts).toEqual([5, 4, 12, 33]);
  });

  it('has open and closed tasks, assigned and unassigned, people in several zones, and consistent hours', async () => {
    const { account } = await start({ tasks: 2000 });
    const tasks = account.list('task');
    for (const test of [
      (task: WireRecord) => task.status === 'Closed',
      (task: WireRecord) => task.assigneeid === '',
      (task: WireRecord) => (task.assigneeid ?? '').includes(','),
      (task: WireRecord) => task.datedue === null,
      (task: WireRecord) => (task.title ?? '').includes('&amp;'),
    ]) {
      const share = tasks.filter(test).length / tasks.length;
      expect(share).toBeGreaterThan(0.02);
      expect(share).toBeLessThan(0.95);
    }
    expect(new Set(account.list('person').map(({ timezone }) => timezone)).size).toBeGreaterThan(3);
    const hours = new Map<string, number>();
    for (const entry of account.list('time')) {
      hours.set(entry.taskid ?? '', (hours.get(entry.taskid ?? '') ?? 0) + Math.round(Number(entry.time) * 100));
    }
    for (const task of tasks) expect(Math.round(Number(task.actual) * 100)).toBe(hours.get(task.id ?? '') ?? 0);
  });

  it('contains nothing in the future', async () => {
    const { account } = await start({ tasks: 1000 });
    for (const task of account.list('task')) {
      expect((task.datemodified ?? '') < '2026-11-14 11:00:00').toBe(true);
      expect((task.datecreated ?? '') <= '2026-11-14').toBe(true);
      expect((task.dateclosed ?? '') <= '2026-11-14').toBe(true);
    }
  });
});

/** Applies a journal to what was, leaving out what follows from other records and from the day. */
function replay(before: Record<string, WireRecord[]>, entries: readonly JournalEntry[]): Map<string, WireRecord> {
  const state = new Map<string, WireRecord>();
  for (const [resource, records] of Object.entries(before)) {
    for (const record of records) state.set(`${resource} ${record.id}`, record);
  }
  for (const { resource, id, action, before: then, after } of entries) {
    const key = `${resource} ${id}`;
    expect(state.has(key), key).toBe(action !== 'created');
    if (action !== 'created' && then !== null)
      expect(own(resource, then), key).toEqual(own(resource, state.get(key) ?? {}));
    if (after === null) state.delete(key);
    else state.set(key, after);
  }
  return state;
}

/** Values that are the record's own, not names and numbers of others, nor a matter of today. */
function own(resource: string, record: WireRecord): WireRecord {
  const foreign: Record<string, readonly string[]> = {
    task: [
      'project',
      'client',
      'clientid',
      'clientlocalid',
      'milestone',
      'module',
      'assignees',
      'followers',
      'owners',
      'projectlabel',
      'projectlabel_order',
      'projectlabelid',
    ],
    invoice: [
      'project',
      'client',
      'clientid',
      'projectlabel',
      'projectlabel_order',
      'projectlabelid',
      'daysoverdue',
      'status',
    ],
    project: ['client', 'clientlocalid', 'label', 'labelcolor', 'label_order', 'manager'],
    time: ['project', 'task', 'module', 'person'],
    document: ['project', 'client', 'clientid', 'task', 'milestone', 'person', 'projectid'],
    expense: ['project', 'client', 'clientid', 'person'],
    payment: ['invoice'],
    person: ['client', 'clientlocalid'],
    projectmodule: ['project', 'module'],
    timer: ['task'],
    request: ['project'],
    milestone: ['project'],
  };
  return Object.fromEntries(Object.entries(record).filter(([name]) => !(foreign[resource] ?? []).includes(name)));
}

describe('simulated activity', () => {
  it('is the same for the same seed and start, however often it is read', async () => {
    const [one, two] = [await start({ life: 60_000 }), await start({ life: 60_000 })];
    one.account.clock.advance(6 * 3_600_000);
    for (let n = 0; n < 36; n++) {
      two.account.clock.advance(600_000);
      two.account.settle();
    }
    expect(two.account.journal.read()).toEqual(one.account.journal.read());
    expect(one.account.journal.last).toBeGreaterThan(300);
  });

  it('keeps its pace and gives each action the instant it was due', async () => {
    const { account } = await start({ life: 60_000 });
    account.clock.advance(24 * 3_600_000);
    const entries = account.journal.read();
    const instants = new Set(entries.map(({ at }) => at));
    expect(instants.size).toBeGreaterThan(1200);
    expect(instants.size).toBeLessThan(1700);
    expect(entries.every((entry, n) => n === 0 || entry.at >= (entries[n - 1]?.at ?? ''))).toBe(true);
    const task = entries.findLast(({ resource, action }) => resource === 'task' && action === 'updated');
    expect(task?.after?.datemodified).toBe(task?.at.slice(0, 19).replace('T', ' '));
  });

  it('performs every kind of action within a month', async () => {
    const { account } = await start({ tasks: 400 });
    account.live(4000);
    const seen = new Set(account.journal.read().map(({ resource, action }) => `${resource} ${action}`));
    for (const what of [
      'task created',
      'task updated',
      'task deleted',
      'time created',
      'invoice created',
      'invoice updated',
      'payment created',
      'project created',
      'project updated',
      'client created',
      'client updated',
      'person created',
      'person updated',
      'expense created',
      'document created',
      'milestone updated',
      'tasknote created',
    ]) {
      expect(seen).toContain(what);
    }
    const updates = account.journal.read({ resource: 'task' }).filter(({ action }) => action === 'updated');
    expect(updates.some(({ before, after }) => before?.status !== 'Closed' && after?.status === 'Closed')).toBe(true);
    expect(updates.some(({ before, after }) => before?.status === 'Closed' && after?.status !== 'Closed')).toBe(true);
    const invoices = account.journal.read({ resource: 'invoice' });
    expect(invoices.some(({ before, after }) => before?.datepaid === '' && after?.datepaid)).toBe(true);
    expect(invoices.some(({ before, after }) => before?.datepaid && after?.datepaid === '')).toBe(true);
  });

  it('is visible over HTTP to every role, also in cached pages', async () => {
    const simulator = await start({ tasks: 120 });
    for (let round = 0; round < 25; round++) {
      simulator.account.live(8);
      for (const as of ['Administrator', 'Executive'] as const) {
        expect(await list(simulator, '/task/?limit=1000', { as })).toEqual(simulator.account.list('task', {}, as));
      }
      if (round % 10 === 9) simulator.setQuirks({ blanks: round === 9 ? 'null' : 'empty', entities: round === 9 });
    }
  });

  it.each([
    ['project', 'name'],
    ['client', 'name'],
    ['person', 'firstname'],
    ['milestone', 'title'],
    ['module', 'name'],
    ['projectmodule', 'module'],
    ['projectlabel', 'name'],
    ['taskstatus', 'name'],
    ['taskpriority', 'name'],
  ] as const)('a changed %s %s shows in every task at once', async (resource, field) => {
    const simulator = await start({ tasks: 120 });
    for (let again = 0; again < 2; again++) await list(simulator, '/task/?limit=1000');
    for (const { id } of simulator.account.list(resource))
      simulator.account.update(resource, id ?? '', { [field]: 'Ω' });
    const tasks = await list(simulator, '/task/?limit=1000');
    expect(tasks).toEqual(simulator.account.list('task'));
    expect(tasks.some((task) => JSON.stringify(task).includes('Ω'))).toBe(true);
  });

  it('pauses, resumes without catching up, and steps', async () => {
    const { account } = await start({ life: 60_000 });
    if (account.life !== undefined) account.life.paused = true;
    account.clock.advance(3_600_000);
    expect(account.journal.last).toBe(0);
    account.live(3);
    const stepped = account.journal.last;
    expect(stepped).toBeGreaterThan(0);
    if (account.life !== undefined) account.life.paused = false;
    expect(account.journal.last).toBe(stepped);
    account.clock.advance(3_600_000);
    expect(account.journal.last).toBeGreaterThan(stepped + 30);
  });

  it('is off by default', async () => {
    const { account } = await start();
    account.clock.advance(30 * 86_400_000);
    expect(account.journal.last).toBe(0);
  });
});

describe('journal', () => {
  it('is exact: the initial state with every entry applied is the current state', async () => {
    const simulator = await start({ tasks: 300, life: 120_000 });
    const before = everything(simulator);
    for (let n = 0; n < 40; n++) {
      simulator.account.clock.advance(3_600_000);
      await list(simulator, '/task/?limit=1');
    }
    const state = replay(before, simulator.account.journal.read());
    const now = everything(simulator);
    for (const [resource, records] of Object.entries(now)) {
      for (const record of records) {
        const known = state.get(`${resource} ${record.id}`);
        expect(own(resource, known ?? {}), `${resource} ${record.id}`).toEqual(own(resource, record));
        state.delete(`${resource} ${record.id}`);
      }
    }
    expect([...state.keys()].filter((key) => !key.startsWith('tasknote'))).toEqual([]);
  });

  it('has one entry per HTTP write, with the record before and after, the person and the time', async () => {
    const simulator = await start();
    const before = simulator.account.read('task', 5);
    simulator.account.clock.advance(1234);
    await ask(simulator, '/task/5/', {
      as: 'Manager',
      method: 'PUT',
      body: { priorityid: 1 },
      headers: { 'X-Service-Disable-Action-Notes': 't' },
    });
    expect(simulator.account.journal.read()).toEqual([
      {
        seq: 1,
        at: '2026-11-14T11:00:01.234Z',
        by: '3',
        action: 'updated',
        resource: 'task',
        id: '5',
        before,
        after: simulator.account.read('task', 5),
      },
    ]);
  });

  it('a renamed project is one entry, on the project', async () => {
    const { account } = await start();
    account.rename('project', 1, 'Reading room');
    expect(account.journal.read().map(({ resource, action }) => `${resource} ${action}`)).toEqual(['project updated']);
  });

  it('a payment and a time entry also journal the invoice and the task they change', async () => {
    const { account } = await start();
    account.pay(account.list('invoice', { status: 'outstanding' }).find(({ total }) => total !== '0.00')?.id ?? '');
    account.logTime(1, 2);
    const entries = account.journal.read().map(({ resource, action }) => `${resource} ${action}`);
    expect(entries).toEqual(['payment created', 'invoice updated', 'time created', 'task updated']);
  });

  it('has no entry for a refused write', async () => {
    const simulator = await start();
    await ask(simulator, '/task/1/', { method: 'PUT', body: { title: 'x', statusid: 99 } });
    await ask(simulator, '/invoice/', { method: 'POST', body: { title: 'x' } });
    expect(simulator.account.journal.last).toBe(0);
  });

  it('has one entry per task of a bulk edit, all at the same instant', async () => {
    const { account } = await start();
    account.bulkEdit('task', [1, 2, 3], { priorityid: 5 }, { notes: false });
    const entries = account.journal.read();
    expect(entries.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(new Set(entries.map(({ at }) => at)).size).toBe(1);
  });

  it('can be read from an entry on, by resource, by record and in pages', async () => {
    const { account } = await start();
    account.live(50);
    const all = account.journal.read();
    expect(account.journal.read({ since: 10 })).toEqual(all.slice(10));
    expect(account.journal.read({ since: 10, limit: 5 })).toEqual(all.slice(10, 15));
    expect(account.journal.read({ resource: 'time' })).toEqual(all.filter(({ resource }) => resource === 'time'));
    const { resource, id } = all[0] ?? { resource: '', id: '' };
    expect(account.journal.read({ resource, id }).every((entry) => entry.id === id)).toBe(true);
  });
});

describe('clock', () => {
  it('follows the machine, runs faster, stops, and can be set and advanced', () => {
    let machine = 1_000;
    const clock = new Clock({ machine: () => machine });
    machine = 2_000;
    expect(clock.now()).toBe(2_000);
    clock.speed = 60;
    machine = 3_000;
    expect(clock.now()).toBe(62_000);
    clock.speed = 0;
    machine = 9_000;
    expect(clock.now()).toBe(62_000);
    clock.set('2026-03-29T01:00:00Z');
    clock.advance(500);
    expect(new Date(clock.now()).toISOString()).toBe('2026-03-29T01:00:00.500Z');
    expect(() => clock.set('soon')).toThrow(/expected an ISO instant/);
    expect(() => Object.assign(clock, { speed: -1 })).toThrow(/speed must be 0 or more/);
  });

  it.each([
    ['Europe/Berlin', '2026-03-28T22:59:59Z', '2026-03-28', '2026-03-28T23:00:00Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29', '2026-03-29T22:00:00Z', '2026-03-30'],
    ['America/Los_Angeles', '2026-11-02T07:59:59Z', '2026-11-01', '2026-11-02T08:00:00Z', '2026-11-02'],
    ['Asia/Kolkata', '2028-02-28T18:29:59Z', '2028-02-28', '2028-02-28T18:30:00Z', '2028-02-29'],
    ['Pacific/Kiritimati', '2026-12-31T09:59:59Z', '2026-12-31', '2026-12-31T10:00:00Z', '2027-01-01'],
  ])('the day in %s turns at its own midnight', async (timeZone, last, before, first, after) => {
    const { account } = await start({ tasks: 1, timeZone });
    account.clock.set(last);
    expect(account.today()).toBe(before);
    account.clock.set(first);
    expect(account.today()).toBe(after);
  });
});
