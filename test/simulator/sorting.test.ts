/**
 * Every sort field of the API document, one row each, both ways; and what may not be sorted by.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator, WireRecord } from '../../simulator/simulator.ts';
import { ask, everything, list, startStill } from './api-client.ts';

type Key = (record: WireRecord) => string | number | null;

const words =
  (field: string): Key =>
  (record) =>
    record[field] ? (record[field] ?? '').toLowerCase() : null;
const digits =
  (field: string): Key =>
  (record) =>
    record[field] ? Number(record[field]) : null;
/** First of a comma-separated list of ids. */
const first =
  (field: string): Key =>
  (record) =>
    record[field] ? Number((record[field] ?? '').split(',')[0]) : null;

const SORTS: Readonly<Record<string, Readonly<Record<string, Key>>>> = {
  client: { id: digits('id'), localid: digits('localid'), name: words('name'), datecreated: words('datecreated') },
  document: {
    id: digits('id'),
    personid: digits('personid'),
    title: words('title'),
    public: words('public'),
    datemodified: words('datemodified'),
    active: words('active'),
  },
  expense: {
    id: digits('id'),
    projectid: digits('projectid'),
    date: words('date'),
    expense: words('expense'),
    fee: digits('fee'),
    note: words('note'),
    personid: digits('personid'),
    project: words('project'),
    client: words('client'),
    person: words('person'),
  },
  invoice: {
    id: digits('id'),
    projectid: digits('projectid'),
    date: words('date'),
    title: words('title'),
    description: words('description'),
    localid: digits('localid'),
    purchaseorder: words('purchaseorder'),
    project: words('project'),
    client: words('client'),
    datepaid: words('datepaid'),
    subtotal: digits('subtotal'),
    total: digits('total'),
    payments: digits('payments'),
    balance: digits('balance'),
    datedue: words('datedue'),
    daysoverdue: digits('daysoverdue'),
    projectlabelid: digits('projectlabelid'),
    projectlabel: words('projectlabel'),
    projectabel_order: digits('projectlabel_order'),
  },
  project: {
    id: digits('id'),
    localid: digits('localid'),
    clientid: digits('clientid'),
    managerid: first('managerid'),
    name: words('name'),
    datestart: words('datestart'),
    dateend: words('dateend'),
    billable: words('billable'),
    labelid: digits('labelid'),
    label: words('label'),
    label_order: digits('label_order'),
  },
  task: {
    id: digits('id'),
    localid: digits('localid'),
    queueid: digits('queueid'),
    assigneeid: first('assigneeid'),
    statusid: digits('statusid'),
    projectid: digits('projectid'),
    module: words('module'),
    moduleid: digits('moduleid'),
    title: words('title'),
    summary: words('summary'),
    datecreated: words('datecreated'),
    dateopen: words('dateopen'),
    datedue: words('datedue'),
    dateclosed: words('dateclosed'),
    estimate: digits('estimate'),
    ownerid: first('ownerid'),
    priorityid: digits('priorityid'),
    'sev.priority': digits('priority'),
    severity: words('severity'),
    status: words('status'),
    status_order: digits('status_order'),
    project: words('project'),
    client: words('client'),
    assignee: words('assignees'),
    milestoneid: digits('milestoneid'),
    milestone: words('milestone'),
    owners: words('owners'),
    projectlabelid: digits('projectlabelid'),
    projectlabel: words('projectlabel'),
    projectabel_order: digits('projectlabel_order'),
  },
};

/** Blank first, then by value, then by id. */
function sorted(records: readonly WireRecord[], key: Key, descending: boolean): WireRecord[] {
  const rank = (a: string | number | null, b: string | number | null) =>
    a === b ? 0 : a === null ? -1 : b === null ? 1 : a < b ? -1 : 1;
  return [...records].sort((a, b) => (descending ? -1 : 1) * rank(key(a), key(b)) || Number(a.id) - Number(b.id));
}

describe('sorting', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startStill({ projects: 30, clients: 12, quirks: { entities: false } });
  });
  afterAll(() => simulator.stop());

  for (const [resource, fields] of Object.entries(SORTS)) {
    for (const [field, key] of Object.entries(fields)) {
      it(`${resource} sorts by ${field}, both ways`, async () => {
        const all = await list(simulator, `/${resource}/?${everything}`);
        for (const direction of ['ASC', 'DESC']) {
          const found = await list(simulator, `/${resource}/?sortfield=${field}&sortdir=${direction}&${everything}`);
          expect(found.map(({ id }) => id)).toEqual(sorted(all, key, direction === 'DESC').map(({ id }) => id));
        }
      });
    }
  }

  for (const resource of ['person', 'projectmodule', 'group', 'contactdescriptor']) {
    it(`${resource} cannot be sorted`, async () => {
      const response = await ask(simulator, `/${resource}/?sortfield=id&contacttypeid=1`);
      expect([response.status, response.json.error.code]).toEqual([400, 17]);
      expect(response.json.error.message).toContain('sortfield');
    });
  }

  it('a list without a sort field comes by id', async () => {
    const ids = (await list(simulator, '/task/?limit=50')).map(({ id }) => Number(id));
    expect(ids).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  });

  it.each([
    ['sortfield=datemodified', 'sortfield'],
    ['sortfield=constructor', 'sortfield'],
    ['sortfield=projectlabel_order', 'sortfield'],
    ['sortfield=id&sortdir=asc', 'sortdir'],
    ['sortdir=UP', 'sortdir'],
  ])('task?%s is refused with code 18', async (query, named) => {
    const response = await ask(simulator, `/task/?${query}`);
    expect([response.status, response.json.error.code]).toEqual([400, 18]);
    expect(response.json.error.message).toContain(named);
  });
});
