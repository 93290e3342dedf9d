/**
 * Every filter of the API document, one row each, against its naive meaning over all records.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator, WireRecord } from '../../simulator/simulator.ts';
import { ask, everything, list, startStill } from './api-client.ts';
import { NAIVE, type World } from './naive-filters.ts';

/** Values to try: taken from the account (see the simulator's seed), with CSV, -1 and days that records really have. */
const VALUES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  client: {
    localid: ['1', '2,00003', '99'],
    active: ['t', 'f'],
    search: ['an', '00002', 'zzz'],
    projectsonly: ['t', 'f'],
  },
  document: {
    public: ['t', 'f'],
    taskid: ['FIRST', '1,2,3'],
    milestoneid: ['1,2,3,4,5,6,7,8', 'FIRST'],
    queueid: ['1', '1,2'],
    clientid: ['1', '1,2,3'],
    projectid: ['1', '2,3,4,5'],
    moduleid: ['1', '2,3'],
    personid: ['1', '2,3,4'],
    search: ['brief', 'use this', '.pdf', 'ux'],
    projectactive: ['t', 'f'],
    taskassignedorownedby: ['1', '5'],
    tag: ['legal', 'design', 'none'],
    datebegin: ['FIRST', '2026-11-01'],
    dateend: ['FIRST', '2026-11-01'],
    id: ['1', '7'],
  },
  expense: {
    projectid: ['1', '2,3'],
    personid: ['1', '2,3,4,5'],
    clientid: ['FIRST', '2,3'],
    managerid: ['1', '2,3'],
    datebegin: ['FIRST', '2026-10-20'],
    dateend: ['FIRST', '2026-10-20'],
    date: ['FIRST', '2026-01-01'],
  },
  invoice: {
    localid: ['1', '00002,3'],
    clientid: ['FIRST', '2,3'],
    projectid: ['1', '2,3'],
    datebegin: ['FIRST', '2026-11-01'],
    dateend: ['FIRST', '2026-11-01'],
    status: ['outstanding', 'paid'],
    search: ['PO-', 'instalment', '00004', 'berlin', 'payable'],
  },
  person: {
    localid: ['1', '2,3'],
    username: ['a', 'an'],
    email: ['agency', '.example'],
    firstname: ['a', 'Jo'],
    lastname: ['er'],
    excludegroupids: ['1', '2,3'],
    projectid: ['1', '2,3'],
    clientid: ['FIRST', '1,2'],
    projectclientid: ['1', '2'],
    search: ['an', 'Monday', '+49', 'foods'],
    active: ['t', 'f'],
    groupid: ['1', '3'],
    allprojects: ['t', 'f'],
    restricttasks: ['t', 'f'],
  },
  project: {
    localid: ['1', '00002,3'],
    clientid: ['1', '-1', '1,-1'],
    managerid: ['1', '-1', '3,4,-1'],
    labelid: ['1', '2,3'],
    name: ['e', 'campaign'],
    datestart: ['FIRST'],
    datestartbegin: ['FIRST', '2026-11-01'],
    datestartend: ['FIRST', '2026-11-01'],
    dateend: ['FIRST'],
    dateendbegin: ['FIRST', '2026-12-01'],
    dateendend: ['FIRST', '2026-12-01'],
    search: ['retainer', 'written', '00001', 'an'],
    active: ['t', 'f'],
    billable: ['t', 'f'],
    personid: ['1', '5', '6'],
  },
  projectmodule: { projectid: ['1', '2,3'], active: ['t', 'f'], personid: ['5', '6'] },
  task: {
    localid: ['1', '2,3'],
    personid: ['5', '1'],
    includetimerid: ['5'],
    assigneeid: ['5', '5,6', '-1', '5,-1'],
    followerid: ['5', '-1', '4,-1'],
    statusid: ['1', '2,7'],
    clientid: ['1', '-1', '2,-1'],
    projectid: ['1', '2,3'],
    moduleid: ['1', '2,3'],
    milestoneid: ['1', '-1', '2,3,-1'],
    title: ['the', 'PAGE'],
    datecreated: ['FIRST', '2026-11-14'],
    datecreatedbegin: ['FIRST', '2026-11-10'],
    datecreatedend: ['FIRST', '2026-11-10'],
    dateopen: ['FIRST'],
    dateopenbegin: ['FIRST', '2026-11-10'],
    dateopenend: ['FIRST', '2026-11-10'],
    datedue: ['FIRST'],
    dateduebegin: ['FIRST', '2026-11-14'],
    datedueend: ['FIRST', '2026-11-14'],
    dateclosed: ['FIRST'],
    dateclosedbegin: ['FIRST', '2026-11-01'],
    dateclosedend: ['FIRST', '2026-11-01'],
    datemodifiedbegin: ['FIRST', '2026-11-10 00:00:00'],
    datemodifiedend: ['FIRST', '2026-11-10 00:00:00'],
    hasduedate: ['t', 'f'],
    ownerid: ['1', '3,4'],
    priorityid: ['1', '2,3'],
    tasklistfilterid: ['1', '2', '3'],
    overdue: ['t', 'f'],
    excludeclosed: ['t', 'f'],
    assignedorownedby: ['5', '3,6'],
    hastaskrelation: ['5', '3,6'],
    search: ['page', '12', 'style guide', 'look'],
  },
};

/** Field whose first value stands for FIRST. */
const FIELD: Readonly<Record<string, string>> = {
  'document taskid': 'taskid',
  'document milestoneid': 'milestoneid',
  'document datebegin': 'dateuploaded',
  'document dateend': 'dateuploaded',
  'project dateendbegin': 'dateend',
  'project dateendend': 'dateend',
};

function fieldOf(resource: string, filter: string): string {
  if ((resource === 'expense' || resource === 'invoice') && filter.startsWith('date')) return 'date';
  return FIELD[`${resource} ${filter}`] ?? filter.replace(/(?<=^date\w{3,})(begin|end)$/, '');
}

describe('filters', () => {
  let simulator: Simulator;
  const world: Record<string, Map<string, WireRecord>> = {};
  beforeAll(async () => {
    // Entities off: the naive meaning is about the words themselves.
    simulator = await startStill({ tasks: 600, projects: 40, clients: 40, documents: 90, quirks: { entities: false } });
    // A young account has nothing inactive yet.
    for (const id of [2, 5, 9]) simulator.account.update('project', id, { active: 'f' });
    simulator.account.update('person', 9, { active: 'f' });
    for (const resource of [...Object.keys(NAIVE), 'projectteam', 'personcontact', 'request']) {
      const records = await list(simulator, `/${resource}/?${everything}`);
      world[resource] = new Map(records.map((record) => [record.id ?? '', record]));
    }
  });
  afterAll(() => simulator.stop());

  for (const [resource, filters] of Object.entries(VALUES)) {
    for (const [filter, values] of Object.entries(filters)) {
      it(`${resource}: ${filter}`, async () => {
        const all = [...(world[resource]?.values() ?? [])];
        const naive = NAIVE[resource]?.[filter];
        expect(all.length).toBeGreaterThan(3);
        let selective = 0;
        for (const value of values) {
          const own = all
            .map((record) => record[fieldOf(resource, filter)])
            .filter((date) => date !== null && date !== '');
          const asked = value === 'FIRST' ? (own[Math.floor(own.length / 2)] ?? '') : value;
          const expected = all.filter((record) => naive?.(record, asked, world as World));
          const query = new URLSearchParams({ [filter]: asked });
          const found = await list(simulator, `/${resource}/?${query}&${everything}`);
          expect(
            found.map(({ id }) => id),
            `${filter}=${asked}`,
          ).toEqual(expected.map(({ id }) => id));
          if (expected.length > 0 && expected.length < all.length) selective++;
        }
        // A filter that lets everything or nothing through proves nothing.
        if (filter !== 'includetimerid') expect(selective, 'values that select some and not all').toBeGreaterThan(0);
      });
    }
  }

  it('the tables of filters and of their meanings have the same names', () => {
    for (const [resource, filters] of Object.entries(NAIVE)) {
      expect(Object.keys(VALUES[resource] ?? {}).sort()).toEqual(Object.keys(filters).sort());
    }
  });

  it('a space in a date and time may be encoded as %20', async () => {
    const plus = await list(simulator, `/task/?datemodifiedbegin=2026-11-10+00:00:00&${everything}`);
    const percent = await list(simulator, `/task/?datemodifiedbegin=2026-11-10%2000:00:00&${everything}`);
    expect(percent).toEqual(plus);
    expect(percent.length).toBeGreaterThan(0);
  });

  it('modified since is strictly after: a task stamped in that very second is left out', async () => {
    const stamp = world.task?.get('200')?.datemodified ?? '';
    const ids = async (filter: string) =>
      (await list(simulator, `/task/?${filter}=${encodeURIComponent(stamp)}&${everything}`)).map(({ id }) => id);
    expect(await ids('datemodifiedbegin')).not.toContain('200');
    expect(await ids('datemodifiedend')).not.toContain('200');
  });

  it('includetimerid adds the timer of that person and nothing else', async () => {
    const timer = simulator.account.list('timer')[0];
    const found = await list(simulator, `/task/?includetimerid=${timer?.personid}&${everything}`);
    const task = found.find(({ id }) => id === timer?.taskid);
    expect(task).toMatchObject({ timerid: timer?.id, starttime: timer?.starttime });
    expect(found.filter(({ timerid }) => timerid !== null)).toHaveLength(1);
  });

  it('contactdescriptor lists the descriptors of the type asked for, and needs one', async () => {
    const found = await list(simulator, `/contactdescriptor/?contacttypeid=2&${everything}`);
    expect(new Set(found.map(({ contacttypeid }) => contacttypeid))).toEqual(new Set(['2']));
    const refused = await ask(simulator, '/contactdescriptor/');
    expect([refused.status, refused.json.error.code]).toEqual([400, 18]);
    expect(refused.json.error.message).toContain('contacttypeid');
  });

  it('tasknote without a task holds the last seven days, with a task all of its notes', async () => {
    const { account } = simulator;
    account.clock.set('2026-10-01T10:00:00Z');
    account.update('task', 1, { title: 'An old change' });
    account.clock.set('2026-11-14T11:00:00Z');
    account.update('task', 2, { title: 'A new change' });
    const recent = await list(simulator, `/tasknote/?${everything}`);
    expect(recent.map(({ taskid }) => taskid)).toEqual(['2']);
    expect(await list(simulator, '/tasknote/?taskid=1')).toHaveLength(1);
  });
});
