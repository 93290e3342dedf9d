/**
 * The settable tables of the API document: what is required, how long, of which type; and that nothing else may be set.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/simulator.ts';
import { ask, basic, startStill, validBody } from './api-client.ts';

/** Settable fields as the document lists them: `+` required without a default, `=` required with one; (n) most characters. */
const SETTABLE: Readonly<Record<string, string>> = {
  person:
    'clientid:integer title:string(255) firstname+:string(65) lastname:string(85) allprojects:boolean notes:html private=:boolean active=:boolean username:string(255) password:string(30) email:string(255) groupid:integer',
  project:
    'clientid:integer managerid:integers labelid:integer name+:string(255) description:html datestart+:date dateend:date budget:double billable=:boolean active=:boolean alert_percent:double',
  projectmodule: 'projectid+:integer moduleid:integer description:string active+:boolean module:string(155)',
  task: 'assigneeid:integers followerid:integers milestoneid:integer statusid+:integer projectid+:integer moduleid+:integer title+:string(255) summary:html dateopen+:date datedue:date dateclosed:date estimate:double ownerid+:integers priorityid+:integer',
  invoice:
    'projectid+:integer date+:date termid+:integer termother:string(255) termotherdatedue:date title+:string(255) description:string addressfrom:string addressto:string purchaseorder:string(55) tax:double secondtax:double secondtaxcompound:boolean disclaimer:string datebegin:date dateend:date',
};

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  integer: ['x', '1.5', '1,2', '-1', true, { id: 1 }],
  integers: ['1,,2', 'x', '1;2', [1, 2]],
  boolean: ['true', 'yes', '1', true],
  date: ['14.11.2026', '2026-02-30', '2026-11-14 10:00:00', '20261114'],
  double: ['1,5', 'abc', '1e400', '0x10'],
};

interface Settable {
  resource: string;
  name: string;
  type: string;
  max: number | undefined;
  required: boolean;
  defaulted: boolean;
}

const rows: Settable[] = Object.entries(SETTABLE).flatMap(([resource, text]) =>
  text.split(' ').map((field) => {
    const [, name = '', mark, type = '', max] = /^(\w+?)([+=]?):(\w+)(?:\((\d+)\))?$/.exec(field) ?? [];
    return {
      resource,
      name,
      type,
      max: max === undefined ? undefined : Number(max),
      required: mark !== '',
      defaulted: mark === '=',
    };
  }),
);

describe('writes', () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startStill();
  });
  afterAll(() => simulator.stop());

  const post = (resource: string, body: unknown) => ask(simulator, `/${resource}/`, { method: 'POST', body });
  const put = (resource: string, body: unknown) => ask(simulator, `/${resource}/1/`, { method: 'PUT', body });

  async function refused(response: Awaited<ReturnType<typeof ask>>, field: string): Promise<void> {
    expect([response.status, response.json?.error.code], response.text).toEqual([400, 18]);
    expect(response.json.error.message).toMatch(new RegExp(`^${field}: `));
  }

  for (const { resource, name } of rows.filter((row) => row.required && !row.defaulted)) {
    it(`${resource}.${name} is required to create one, and may not be made blank`, async () => {
      const { [name]: _, ...without } = validBody(resource);
      await refused(await post(resource, without), name);
      await refused(await put(resource, { [name]: '' }), name);
      await refused(await put(resource, { [name]: null }), name);
    });
  }

  for (const { resource, name } of rows.filter((row) => row.defaulted)) {
    it(`${resource}.${name} is t when absent, and may not be made blank`, async () => {
      const made = (await post(resource, validBody(resource))).json[resource] as Record<string, string>;
      expect(made[name]).toBe('t');
      await refused(await put(resource, { [name]: '' }), name);
    });
  }

  for (const { resource, name, max } of rows.filter((row) => row.max !== undefined)) {
    it(`${resource}.${name} takes ${max} characters and not one more`, async () => {
      const length = max ?? 0;
      const extra = name === 'username' ? { email: 'ada@example.com', groupid: '3' } : {};
      const fitting = await post(resource, { ...validBody(resource), ...extra, [name]: 'é'.repeat(length) });
      expect(fitting.status, fitting.text).toBe(201);
      await refused(await post(resource, { ...validBody(resource), ...extra, [name]: 'é'.repeat(length + 1) }), name);
      await refused(await put(resource, { [name]: 'x'.repeat(length + 1) }), name);
    });
  }

  for (const { resource, name, type } of rows.filter((row) => WRONG[row.type] !== undefined)) {
    it(`${resource}.${name} must be of type ${type}`, async () => {
      for (const value of WRONG[type] ?? []) {
        await refused(await post(resource, { ...validBody(resource), [name]: value }), name);
        await refused(await put(resource, { [name]: value }), name);
      }
    });
  }

  for (const { resource, name, type } of rows.filter((row) => /id$/.test(row.name) && row.name !== 'moduleid')) {
    it(`${resource}.${name} must name a record that exists`, async () => {
      await refused(await put(resource, { [name]: type === 'integers' ? '1,99999' : 99_999 }), name);
    });
  }

  it.each(['client', 'expense', 'invoice', 'person', 'project', 'projectmodule', 'task'])(
    'a field that is not settable is refused by name on %s',
    async (resource) => {
      await refused(await post(resource, { ...validBody(resource), id: '5' }), 'id');
      await refused(await put(resource, { nonsense: '1' }), 'nonsense');
    },
  );

  it.each([
    ['client', 'name'],
    ['expense', 'projectid'],
    ['expense', 'fee'],
  ])('%s needs %s', async (resource, name) => {
    const { [name]: _, ...without } = validBody(resource);
    await refused(await post(resource, without), name);
  });

  it('PUT changes what is sent and nothing else', async () => {
    const before = simulator.account.read('project', 2);
    const response = await ask(simulator, '/project/2/', { method: 'PUT', body: { name: 'Renamed & polished' } });
    expect(response.json.project).toEqual({ ...before, name: 'Renamed &amp; polished' });
  });

  it('numbers may be sent as numbers or as strings', async () => {
    const response = await ask(simulator, '/task/3/', { method: 'PUT', body: { estimate: 1.25, priorityid: 3 } });
    expect(response.json.task).toMatchObject({ estimate: '1.25', priorityid: '3', severity: 'P3' });
  });

  it('a record may be sent under the name of its resource', async () => {
    const response = await ask(simulator, '/task/3/', { method: 'PUT', body: { task: { title: 'Wrapped' } } });
    expect(response.json.task).toMatchObject({ title: 'Wrapped' });
  });

  it.each([
    ['application/xml', '<task><title>Fold &amp; glue &#8220;boxes”</title><estimate>2.5</estimate><datedue/></task>'],
    [
      'text/xml; charset=utf-8',
      '<?xml version="1.0"?><request><task><title><![CDATA[Fold & glue “boxes”]]></title><estimate>2.5</estimate><datedue></datedue></task></request>',
    ],
  ])('a body in %s is read', async (type, body) => {
    const answer = await fetch(`${simulator.url}/task/4/`, {
      method: 'PUT',
      headers: {
        authorization: basic(simulator.tokens.Administrator[0] ?? ''),
        accept: 'application/json',
        'content-type': type,
      },
      body,
    });
    const { task } = (await answer.json()) as { task: Record<string, string> };
    expect(answer.status).toBe(202);
    expect(task).toMatchObject({ title: 'Fold &amp; glue &ldquo;boxes&rdquo;', estimate: '2.50', datedue: null });
  });

  it.each([
    ['application/json', '{"title": '],
    ['application/json', '[1]'],
    ['application/json', ''],
    ['application/xml', '<task><title>x</task>'],
    ['application/xml', 'no xml'],
    ['text/plain', 'title=x'],
  ])('a malformed body is refused: %s %s', async (type, body) => {
    const answer = await fetch(`${simulator.url}/task/4/`, {
      method: 'PUT',
      headers: {
        authorization: basic(simulator.tokens.Administrator[0] ?? ''),
        accept: 'application/json',
        'content-type': type,
      },
      body,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 400, error: { code: 18 } });
  });
});
