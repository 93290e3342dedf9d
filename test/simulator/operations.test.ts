/**
 * The operations table of the API document, row by row and role by role.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role, Simulator } from '../../simulator/simulator.ts';
import { ask, startStill, validBody } from './api-client.ts';

const ROLES: readonly Role[] = ['Administrator', 'Manager', 'Resource', 'Executive'];
const ALL = 'AMRE';

/** Method, path, roles by their first letters, success. */
const OPERATIONS: readonly (readonly [method: string, path: string, roles: string, success: number])[] = [
  ['GET', '/client/', ALL, 200],
  ['POST', '/client/', 'A', 201],
  ['GET', '/client/1/', ALL, 200],
  ['PUT', '/client/1/', 'A', 202],
  ['DELETE', '/client/new/', 'A', 200],
  ['GET', '/contactdescriptor/?contacttypeid=1', ALL, 200],
  ['GET', '/contacttype/', ALL, 200],
  ['GET', '/document/', ALL, 200],
  ['GET', '/document/public/', ALL, 200],
  ['GET', '/document/public/download/', ALL, 200],
  ['GET', '/expense/', 'AME', 200],
  ['POST', '/expense/', 'AM', 201],
  ['GET', '/expense/1/', 'AME', 200],
  ['PUT', '/expense/1/', 'AM', 202],
  ['DELETE', '/expense/new/', 'A', 200],
  ['GET', '/group/', ALL, 200],
  ['GET', '/group/1/', ALL, 200],
  ['GET', '/invoice/', 'AME', 200],
  ['GET', '/invoice/1/', 'AME', 200],
  ['POST', '/invoice/', 'AM', 201],
  ['PUT', '/invoice/1/', 'AM', 202],
  ['DELETE', '/invoice/new/', 'AM', 200],
  ['GET', '/person/', 'AMR', 200],
  ['GET', '/person/1/', 'AMR', 200],
  ['POST', '/person/', 'A', 201],
  ['PUT', '/person/1/', 'A', 202],
  ['DELETE', '/person/new/', 'A', 200],
  ['GET', '/project/', ALL, 200],
  ['GET', '/project/1/', ALL, 200],
  ['POST', '/project/', 'A', 201],
  ['PUT', '/project/1/', 'A', 202],
  ['DELETE', '/project/new/', 'A', 200],
  ['GET', '/projectmodule/', ALL, 200],
  ['GET', '/projectmodule/1/', ALL, 200],
  ['POST', '/projectmodule/', 'A', 201],
  ['PUT', '/projectmodule/1/', 'A', 202],
  ['DELETE', '/projectmodule/new/', 'A', 200],
  ['GET', '/task/', ALL, 200],
  ['GET', '/task/1/', ALL, 200],
  ['POST', '/task/', 'AMR', 201],
  ['PUT', '/task/1/', 'AMR', 202],
  ['DELETE', '/task/new/', 'AM', 200],
  ['GET', '/me/', ALL, 200],
  ['GET', '/quota/', ALL, 200],
];

/** Other resources of the inventory, list and member. */
const OTHERS: readonly (readonly [name: string, roles: string])[] = [
  ['invoiceitem', 'AME'],
  ['invoicenote', 'AME'],
  ['invoiceterm', ALL],
  ['milestone', ALL],
  ['milestonenote', ALL],
  ['module', ALL],
  ['payment', 'AME'],
  ['paymenttype', ALL],
  ['personcontact', 'AMR'],
  ['projectlabel', ALL],
  ['projectnote', ALL],
  ['projectteam', 'AMR'],
  ['projectworktype', ALL],
  ['request', ALL],
  ['tasklistfilter', 'AM'],
  ['tasknote', ALL],
  ['taskpriority', ALL],
  ['taskstatus', ALL],
  ['time', ALL],
  ['timer', 'AMR'],
  ['worktype', ALL],
];

const PUT_BODIES: Readonly<Record<string, Record<string, string>>> = {
  client: { description: 'A good one' },
  expense: { note: 'Receipt lost' },
  invoice: { description: 'Thank you' },
  person: { title: 'Founder' },
  project: { budget: '120' },
  projectmodule: { description: 'As agreed' },
  task: { title: 'Choose another paper' },
};

describe('operations', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startStill();
  });
  afterAll(() => simulator.stop());

  function bodyOf(method: string, path: string, as: Role): { body?: Record<string, string> } {
    const resource = path.split('/')[1] ?? '';
    if (method === 'PUT') return { body: PUT_BODIES[resource] ?? {} };
    if (method !== 'POST') return {};
    // A Resource user owns what they create.
    return { body: { ...validBody(resource), ...(resource === 'task' && as === 'Resource' ? { ownerid: '5' } : {}) } };
  }

  function concrete(path: string): string {
    const resource = path.split('/')[1] as 'client';
    const { account } = simulator;
    if (path.includes('/new/')) return path.replace('new', String(account.create(resource, validBody(resource)).id));
    const shown = account.list('document', { public: 't' })[0];
    return path.replace('public', String(shown?.id));
  }

  for (const [method, path, roles, success] of OPERATIONS) {
    for (const as of ROLES) {
      const allowed = roles.includes(as.charAt(0));
      it(`${method} ${path} answers ${allowed ? success : 403} to ${as}`, async () => {
        const response = await ask(simulator, concrete(path), { as, method, ...bodyOf(method, path, as) });
        expect(response.status, response.text).toBe(allowed ? success : 403);
        if (!allowed) expect(response.json.error.code).toBe(10);
        if (method === 'DELETE' && allowed) expect(response.text).toBe('');
      });
    }
  }

  for (const [name, roles] of OTHERS) {
    it(`${name} is listed and read by ${roles} alone`, async () => {
      for (const as of ROLES) {
        const expected = roles.includes(as.charAt(0)) ? 200 : 403;
        expect((await ask(simulator, `/${name}/`, { as })).status).toBe(expected);
      }
      const first = simulator.account.list(name as 'time')[0];
      if (first === undefined) return;
      const response = await ask(simulator, `/${name}/${first.id}/`);
      expect(response.json[name]).toMatchObject({ id: first.id });
    });
  }

  it('a deleted record is gone', async () => {
    const path = concrete('/task/new/');
    await ask(simulator, path, { method: 'DELETE' });
    const response = await ask(simulator, path);
    expect(response.status).toBe(404);
  });

  it('answers POST and PUT with 200 when the switch says so', async () => {
    simulator.setQuirks({ success: '200' });
    const made = await ask(simulator, '/task/', { method: 'POST', body: validBody('task') });
    const changed = await ask(simulator, '/task/1/', { method: 'PUT', body: { title: 'Another' } });
    simulator.setQuirks({ success: '201/202' });
    expect([made.status, made.json.code, changed.status]).toEqual([200, 200, 200]);
  });

  it('POST and PUT answer with the whole record', async () => {
    const made = await ask(simulator, '/invoice/', { method: 'POST', body: validBody('invoice') });
    const record = made.json.invoice as Record<string, string>;
    expect(record).toEqual((await ask(simulator, `/invoice/${record.id}/`)).json.invoice);
    expect(Object.keys(record)).toHaveLength(37);
  });
});
