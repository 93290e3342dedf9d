/**
 * The response tables of the API document: which fields there are, who sees them, what may be empty.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role, Simulator, WireRecord } from '../../simulator/simulator.ts';
import { ask, everything, list, startStill } from './api-client.ts';

/** Fields as the document lists them: `?` nullable; `!` Administrator/Manager only, `*` Administrator only, `^` hidden from Executive. */
const FIELDS: Readonly<Record<string, string>> = {
  person:
    'id localid clientid? title?! firstname lastname primaryaccount notes?! allprojects! active private! tips username?! groupid? group? client? numlogins! lastlogin?! timezone?! timezone_offset?! restricttasks! clientlocalid? calendarorientation editordisabled email? hourlyrate?* cancomment!',
  project:
    'id name description?! datestart dateend? alert_percent! alert_date?! active billable budget?! clientid? client? clientlocalid? labelid? label? labelcolor? label_order? localidunpadded localid manager? managerid?',
  task: 'id localid queueid? assigneeid?^ statusid projectid moduleid title summary? dateopen datedue? dateclosed? estimate ownerid^ priorityid datemodified color priority severity status status_order project clientid? clientlocalid? client? milestoneid? milestone? module projectlocalid assignees?^ followers?^ followerid?^ owners^ billable unbillable actual datecreated projectlabel? projectlabel_order? projectlabelid?',
  invoice:
    'id projectid date termid termother? termotherdatedue? title description? localid addressfrom? addressto? purchaseorder? tax? disclaimer? datebegin?! dateend?! second_tax? second_tax_compound? project client? clientid? term datepaid? subtotal taxamount? secondtaxamount? numitems total payments balance datedue? daysoverdue daysoverduepaid? status projectlabel? projectlabel_order? projectlabelid?',
};

const ROLES: readonly Role[] = ['Administrator', 'Manager', 'Resource', 'Executive'];
const READERS: Readonly<Record<string, string>> = { person: 'AMR', project: 'AMRE', task: 'AMRE', invoice: 'AME' };

function seen(mark: string, role: Role): boolean {
  if (mark.includes('!')) return role === 'Administrator' || role === 'Manager';
  if (mark.includes('*')) return role === 'Administrator';
  return !(mark.includes('^') && role === 'Executive');
}

describe('fields', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startStill({ people: 40 });
  });
  afterAll(() => simulator.stop());

  for (const [resource, marks] of Object.entries(FIELDS)) {
    for (const role of ROLES) {
      if (!READERS[resource]?.includes(role.charAt(0))) continue;
      it(`${role} sees exactly their fields of ${resource}`, async () => {
        const records = await list(simulator, `/${resource}/?${everything}`, { as: role });
        const fields = marks
          .split(' ')
          .map((name) => ({ name: name.replace(/\W+$/, ''), mark: name.replace(/^\w+/, '') }));
        const expected = fields.filter(({ mark }) => seen(mark, role)).map(({ name }) => name);
        for (const record of records) {
          // A private person's address is kept from Resource users.
          const shown =
            resource === 'person' && role === 'Resource' && !('email' in record)
              ? expected.filter((name) => name !== 'email')
              : expected;
          expect(Object.keys(record)).toEqual(shown);
        }
        for (const { name, mark } of fields) {
          if (!seen(mark, role) || mark.includes('?') || name === 'lastname') continue;
          expect(
            records.filter((record) => record[name] === null || record[name] === ''),
            name,
          ).toEqual([]);
        }
      });
    }
  }

  it('every value is a string or null', async () => {
    for (const resource of [
      'person',
      'project',
      'task',
      'invoice',
      'client',
      'expense',
      'document',
      'projectmodule',
      'time',
    ]) {
      for (const record of await list(simulator, `/${resource}/?${everything}`)) {
        for (const value of Object.values(record)) expect(value === null || typeof value === 'string').toBe(true);
      }
    }
  });

  it('days, instants, flags and colours have the form the document gives them', async () => {
    for (const task of await list(simulator, `/task/?${everything}`)) {
      for (const day of [
        task.dateopen,
        task.datecreated,
        task.datedue ?? '2026-01-01',
        task.dateclosed || '2026-01-01',
      ]) {
        expect(day).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      }
      expect(task.datemodified).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
      expect(task.color).toMatch(/^[0-9A-F]{6}$/);
      expect(task.severity).toMatch(/^P\d$/);
      expect(task.estimate).toMatch(/^\d+\.\d{2}$/);
    }
    for (const person of await list(simulator, `/person/?${everything}`)) expect(person.active).toMatch(/^[tf]$/);
  });

  it('an unassigned task has the empty string, a task without a client null', async () => {
    const unassigned = (await list(simulator, '/task/?assigneeid=-1'))[0];
    expect([unassigned?.assigneeid, unassigned?.assignees]).toEqual(['', '']);
    const project = simulator.account.create('project', { name: 'Our own', datestart: '2026-11-01' });
    const task = simulator.account.update('task', 1, { projectid: project.id });
    expect([task.clientid, task.client, task.clientlocalid]).toEqual([null, null, null]);
  });

  it('the address of a private person is shown to staff and to themselves only', async () => {
    const { account, tokens } = simulator;
    account.update('person', 5, { private: 't' });
    account.update('person', 8, { private: 't' });
    const own = await ask(simulator, '/person/5/', { token: tokens.Resource[0] ?? '' });
    const other = await ask(simulator, '/person/8/', { token: tokens.Resource[0] ?? '' });
    const staff = await ask(simulator, '/person/8/', { as: 'Manager' });
    expect(own.json.person).toHaveProperty('email');
    expect(other.json.person).not.toHaveProperty('email');
    expect(staff.json.person).toHaveProperty('email');
  });

  it('a document read alone is less detailed than in the list', async () => {
    const listed = (await list(simulator, '/document/?id=1'))[0] as WireRecord;
    const alone = (await ask(simulator, '/document/1/')).json.document as WireRecord;
    expect(Object.keys(listed).length).toBeGreaterThan(Object.keys(alone).length);
    expect(listed).toMatchObject(alone);
  });

  it('Executive users see public documents only', async () => {
    const all = await list(simulator, `/document/?${everything}`);
    const shown = await list(simulator, `/document/?${everything}`, { as: 'Executive' });
    expect(shown.map(({ id }) => id)).toEqual(all.filter((document) => document.public === 't').map(({ id }) => id));
    const hidden = all.find((document) => document.public === 'f');
    expect((await ask(simulator, `/document/${hidden?.id}/`, { as: 'Executive' })).status).toBe(404);
    expect((await ask(simulator, `/document/${hidden?.id}/download/`, { as: 'Executive' })).status).toBe(404);
  });

  it('a download is the file itself', async () => {
    const response = await ask(simulator, '/document/1/download/');
    const record = simulator.account.read('document', 1);
    expect(response.type).toBe('application/octet-stream');
    expect(Buffer.byteLength(response.text)).toBe(Number(record?.filesize));
  });

  it('Resource users see no inactive modules, in lists, by id, or by asking for them', async () => {
    const inactive = simulator.account.create('projectmodule', { projectid: '1', module: 'Hidden', active: 'f' });
    for (const path of ['/projectmodule/?limit=1000', '/projectmodule/?active=f&limit=1000']) {
      const found = await list(simulator, path, { as: 'Resource' });
      expect(found.filter(({ active }) => active === 'f')).toEqual([]);
    }
    expect((await ask(simulator, `/projectmodule/${inactive.id}/`, { as: 'Resource' })).status).toBe(404);
    expect((await ask(simulator, `/projectmodule/${inactive.id}/`, { as: 'Executive' })).status).toBe(200);
  });

  it('a person restricted to their own tasks sees what they own or are assigned, whatever they ask for', async () => {
    const token = simulator.tokens.Resource[1] ?? '';
    const all = await list(simulator, `/task/?${everything}`);
    const own = all.filter((task) =>
      [task.ownerid, task.assigneeid].some((ids) => (ids ?? '').split(',').includes('6')),
    );
    expect(own.length).toBeGreaterThan(0);
    for (const query of ['', 'assigneeid=5&', 'ownerid=1&', 'hastaskrelation=5&', 'assignedorownedby=1&']) {
      const found = await list(simulator, `/task/?${query}${everything}`, { token });
      expect(
        found.map(({ id }) => id),
        query,
      ).toEqual(own.map(({ id }) => id));
    }
    const foreign = all.find((task) => !own.includes(task));
    expect((await ask(simulator, `/task/${foreign?.id}/`, { token })).status).toBe(404);
    const put = await ask(simulator, `/task/${foreign?.id}/`, { token, method: 'PUT', body: { title: 'Mine now' } });
    expect(put.status).toBe(404);
    const person = simulator.account.data.person.get(6);
    if (person === undefined) throw new Error('person 6 is missing');
    person.restricttasks = false;
    const lifted = await list(simulator, `/task/?sortfield=id&sortdir=DESC&${everything}`, { token });
    person.restricttasks = true;
    const again = await list(simulator, `/task/?sortfield=id&sortdir=DESC&${everything}`, { token });
    expect([lifted.length, again.length]).toEqual([all.length, own.length]);
  });

  it('me is an array of one, the person of the token', async () => {
    const response = await ask(simulator, '/me/', { as: 'Executive' });
    expect(response.json.me).toMatchObject([{ id: response.json.personid, group: 'Executive' }]);
    expect(response.json.listcount).toBe(1);
  });
});
