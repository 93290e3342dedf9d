/**
 * Every quirk and every fault switch: on, aimed, counted, and off again.
 */
import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator, type WireRecord } from '../../simulator/simulator.ts';
import { FAULT_NAMES } from '../../simulator/switches.ts';
import { ask, basic, list, startStill } from './api-client.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startStill({ tasks: 60 });
});
afterEach(() => simulator.stop());

describe('quirks', () => {
  it('entities in plain text, or none; never in HTML', async () => {
    simulator.account.update('task', 1, { title: '“Café” & <b> d’Oré', summary: '<p>Café &amp; co</p>' });
    const title = async () => ((await ask(simulator, '/task/1/')).json.task as WireRecord).title;
    expect(await title()).toBe('&ldquo;Caf&eacute;&rdquo; &amp; &lt;b&gt; d&rsquo;Or&eacute;');
    simulator.setQuirks({ entities: false });
    expect((await ask(simulator, '/task/1/')).json.task).toMatchObject({
      title: '“Café” & <b> d’Oré',
      summary: '<p>Café &amp; co</p>',
    });
  });

  it.each([
    ['array', '"project":[]'],
    ['null', '"project":null'],
    ['missing', '"listcount":0}'],
  ] as const)('an empty list as %s', async (emptyList, text) => {
    simulator.setQuirks({ emptyList });
    expect((await ask(simulator, '/project/?localid=999')).text).toContain(text);
  });

  it('envelope numbers as strings', async () => {
    simulator.setQuirks({ envelopeNumbers: 'string' });
    expect((await ask(simulator, '/task/?limit=1')).json).toMatchObject({ code: '200', listcount: '60' });
    expect((await ask(simulator, '/task/?page=1')).json).toMatchObject({ code: '400', error: { code: '17' } });
  });

  it.each([
    ['mixed', '', null],
    ['null', null, null],
    ['empty', '', ''],
  ] as const)('blanks as %s', async (blanks, closed, due) => {
    simulator.account.update('task', 1, { statusid: 1, datedue: '' });
    simulator.setQuirks({ blanks });
    expect((await ask(simulator, '/task/1/')).json.task).toMatchObject({ dateclosed: closed, datedue: due });
  });

  it('a client’s address with mailto:', async () => {
    simulator.setQuirks({ mailto: true });
    expect((await list(simulator, '/client/'))[0]?.email).toMatch(/^mailto:office@/);
    expect((await list(simulator, '/person/'))[0]?.email).not.toContain('mailto');
  });

  it('can all be set at the start', async () => {
    const other = await startStill({ tasks: 10, quirks: { emptyList: 'null', entities: false } });
    expect((await ask(other, '/project/?localid=999')).json.project).toBeNull();
    await other.stop();
  });
});

/** The fields that a new task needs. */
function pick(task: WireRecord | undefined) {
  const { projectid, moduleid, priorityid, statusid, ownerid, dateopen } = task ?? {};
  return { projectid, moduleid, priorityid, statusid, ownerid, dateopen };
}

describe('faults', () => {
  const fast = (path = '/task/?limit=1') => ask(simulator, path);

  it('latency delays the response', async () => {
    simulator.setFaults({ latency: { ms: 120 } });
    const start = performance.now();
    await fast();
    expect(performance.now() - start).toBeGreaterThan(110);
  });

  it.each([500, 502, 503])('serverError answers %i in the form of the service', async (status) => {
    simulator.setFaults({ serverError: { status, code: 20 } });
    expect((await fast()).json).toMatchObject({ code: status, error: { code: 20 } });
  });

  it('serverError fails before the write, or with `after` after it', async () => {
    const put = () => ask(simulator, '/task/1/', { method: 'PUT', body: { title: 'Written' } });
    simulator.setFaults({ serverError: true });
    expect((await put()).status).toBe(500);
    expect(simulator.account.read('task', 1)?.title).not.toBe('Written');
    simulator.setFaults({ serverError: { after: true } });
    expect((await put()).status).toBe(500);
    expect(simulator.account.read('task', 1)?.title).toBe('Written');
  });

  it('cutBody announces more than it sends', async () => {
    simulator.setFaults({ cutBody: true });
    await expect(fast('/task/?limit=60')).rejects.toThrow(/terminated|fetch failed/);
  });

  it('truncate sends half of the JSON as a complete body', async () => {
    const whole = await fast();
    simulator.setFaults({ truncate: true });
    const half = await fast();
    expect(half.status).toBe(200);
    expect(half.text).toBe(whole.text.slice(0, half.text.length));
    expect(half.json).toBeUndefined();
  });

  it('htmlPage responds with the error page of a proxy', async () => {
    simulator.setFaults({ htmlPage: true });
    const response = await fast();
    expect([response.status, response.type]).toEqual([502, 'text/html']);
    expect(response.text).toContain('<h1>502 Bad Gateway</h1>');
  });

  it('drip sends the whole body in pieces', async () => {
    const whole = await fast('/task/?limit=10');
    simulator.setFaults({ drip: { ms: 10, bytes: 1000 } });
    const start = performance.now();
    expect((await fast('/task/?limit=10')).text).toBe(whole.text);
    expect(performance.now() - start).toBeGreaterThan(60);
  });

  it('hang never responds, and the simulator can still stop', async () => {
    simulator.setFaults({ hang: true });
    const answered = await new Promise((resolve) => {
      const request = get(`${simulator.url}/task/`, { headers: { authorization: basic('x') } }, () => resolve(true));
      request.on('error', () => resolve('closed'));
      setTimeout(() => simulator.stop().catch(() => undefined), 50);
    });
    expect(answered).toBe('closed');
    simulator = await startStill({ tasks: 10 });
  });

  it('wrongCount changes listcount by its setting', async () => {
    simulator.setFaults({ wrongCount: { by: -2 } });
    expect((await fast()).json.listcount).toBe(58);
  });

  it('smallPages bounds every page, whatever the limit', async () => {
    simulator.setFaults({ smallPages: { rows: 7 } });
    expect(await list(simulator, '/task/?limit=20&offset=5')).toHaveLength(7);
    expect(await list(simulator, '/task/?limit=3')).toHaveLength(3);
  });

  it('oddRow puts a row with the id 0 first, or the first row twice, and counts it', async () => {
    const ids = async (search: string) => (await list(simulator, `/task/?${search}`)).map(({ id }) => id);
    const [first, second] = await ids('limit=2');
    simulator.setFaults({ oddRow: true });
    expect(await ids('limit=3')).toEqual(['0', first, second]);
    expect(await ids('limit=2&offset=1')).toEqual([first, second]);
    expect((await fast()).json.listcount).toBe(61);
    simulator.setFaults({ oddRow: { row: 'repeated' } });
    expect(await ids('limit=3')).toEqual([first, first, second]);
    expect(await ids('limit=2&offset=1')).toEqual([first, second]);
  });

  it('betweenPages deletes a record of an earlier page, which moves the next page', async () => {
    simulator.setFaults({ betweenPages: { change: 'delete', count: 1 } });
    const page = (offset: number) => list(simulator, `/task/?limit=20&offset=${offset}`);
    await page(0);
    const second = await page(20);
    expect(simulator.account.count('task')).toBe(59);
    expect(second[0]?.id).toBe('22');
    expect(simulator.account.journal.read({ resource: 'task' }).at(-1)?.action).toBe('deleted');
    await page(40);
    expect(simulator.account.count('task')).toBe(59);
  });

  it.each(['task', 'invoice', 'project', 'client', 'expense', 'person', 'document'] as const)(
    'betweenPages creates a %s',
    async (resource) => {
      simulator.setFaults({ betweenPages: { change: 'create', resource } });
      const before = simulator.account.count(resource);
      await list(simulator, `/${resource}/?limit=1`);
      expect(simulator.account.count(resource)).toBe(before);
      await list(simulator, `/${resource}/?limit=1&offset=1`);
      expect(simulator.account.count(resource)).toBe(before + 1);
    },
  );

  it('pages of different readers do not count as consecutive', async () => {
    simulator.setFaults({ betweenPages: true });
    await list(simulator, '/task/?limit=5');
    await list(simulator, '/task/?limit=5&offset=5', { as: 'Manager' });
    await list(simulator, '/task/?limit=5&offset=5&excludeclosed=t');
    expect(simulator.account.count('task')).toBe(60);
  });

  it('replicaLag answers as of some minutes ago: lists, counts, filters and single records', async () => {
    const { account } = simulator;
    simulator.setFaults({ replicaLag: { ms: 600_000 } });
    account.clock.advance(60_000);
    const before = (await ask(simulator, '/task/1/')).json.task;
    account.update('task', 1, { title: 'Newer' });
    account.remove('task', 2);
    const { id } = account.create('task', { ...pick(account.read('task', 1)), title: 'Created' });
    expect((await ask(simulator, '/task/1/')).json.task).toEqual(before);
    expect((await ask(simulator, '/task/2/')).status).toBe(200);
    expect((await ask(simulator, `/task/${id}/`)).status).toBe(404);
    expect((await ask(simulator, '/task/?limit=100')).json.listcount).toBe(60);
    expect((await list(simulator, '/task/?limit=3')).map((row) => row.id)).toEqual(['1', '2', '3']);
    expect(await list(simulator, '/task/?title=Newer')).toEqual([]);
    account.clock.advance(600_000);
    expect((await ask(simulator, '/task/1/')).json.task).toMatchObject({ title: 'Newer' });
    expect((await list(simulator, '/task/?limit=3')).map((row) => row.id)).toEqual(['1', '3', '4']);
    expect((await ask(simulator, `/task/${id}/`)).status).toBe(200);
  });

  it('replicaLag shows an invoice as it was before its payment', async () => {
    simulator.setFaults({ replicaLag: true });
    simulator.account.clock.advance(60_000);
    const [owed] = await list(simulator, '/invoice/?status=outstanding&limit=1');
    simulator.account.pay(String(owed?.id));
    expect((await ask(simulator, `/invoice/${owed?.id}/`)).json.invoice).toMatchObject({ balance: owed?.balance });
    simulator.setFaults({ replicaLag: false });
    expect((await ask(simulator, `/invoice/${owed?.id}/`)).json.invoice).toMatchObject({ balance: '0.00' });
  });

  it('lostProject hides a project and all that belongs to it', async () => {
    const all = await list(simulator, '/task/?limit=100');
    const lost = all.filter(({ projectid }) => projectid === all[0]?.projectid);
    simulator.setFaults({ lostProject: { project: Number(all[0]?.projectid) } });
    expect(await list(simulator, '/task/?limit=100')).toHaveLength(all.length - lost.length);
    expect((await ask(simulator, `/task/${all[0]?.id}/`)).status).toBe(404);
    expect((await ask(simulator, `/project/${all[0]?.projectid}/`)).status).toBe(404);
    simulator.setFaults({ lostProject: false });
    expect((await ask(simulator, `/task/${all[0]?.id}/`)).status).toBe(200);
  });

  it('unfiltered aims a fault at whole lists only', async () => {
    simulator.setFaults({ serverError: { unfiltered: true, resource: 'task' } });
    expect((await fast('/task/?sortfield=id&sortdir=ASC&offset=0&limit=5')).status).toBe(500);
    expect((await fast('/task/?datemodifiedbegin=2020-01-01 00:00:00')).status).toBe(200);
    expect((await fast('/task/1/')).status).toBe(200);
    expect((await fast('/project/')).status).toBe(200);
  });

  it('lateModified index: modified-since filters find a change only later, although the record shows it', async () => {
    simulator.setFaults({ lateModified: { ms: 30_000, mode: 'index' } });
    const since = () => list(simulator, '/task/?datemodifiedbegin=2026-11-14%2010:59:59');
    const task = simulator.account.update('task', 1, { title: 'Changed' });
    expect(task).toMatchObject({ title: 'Changed', datemodified: '2026-11-14 11:00:00' });
    const made = simulator.account.create('task', {
      projectid: 1,
      moduleid: 1,
      statusid: 1,
      priorityid: 1,
      ownerid: 1,
      title: 'New',
      dateopen: '2026-11-14',
    });
    expect(await since()).toEqual([]);
    simulator.account.clock.advance(30_000);
    expect((await since()).map(({ id }) => id)).toEqual(['1', made.id]);
  });

  it('lateModified stamp: the timestamp is older than the change', () => {
    simulator.setFaults({ lateModified: { ms: 90_000, mode: 'stamp' } });
    expect(simulator.account.update('task', 1, {}).datemodified).toBe('2026-11-14 10:58:30');
    simulator.setFaults({ lateModified: false });
    expect(simulator.account.update('task', 1, {}).datemodified).toBe('2026-11-14 11:00:00');
  });

  it('the role of a token changes for a number of requests, or until it is restored', async () => {
    simulator.setFaults({ role: { to: 'Resource', count: 1 } });
    expect((await fast('/invoice/')).status).toBe(403);
    expect((await fast('/invoice/')).status).toBe(200);
    const token = simulator.tokens.Administrator[0] ?? '';
    simulator.setRole(token, 'Executive');
    expect(Object.keys((await list(simulator, '/task/?limit=1'))[0] ?? {})).not.toContain('ownerid');
    simulator.setRole(token, undefined);
    expect(Object.keys((await list(simulator, '/task/?limit=1'))[0] ?? {})).toContain('ownerid');
  });

  it('a fault applies to its resource and method only', async () => {
    simulator.setFaults({ serverError: { resource: ['invoice', 'project'], method: 'get' } });
    expect((await fast('/task/')).status).toBe(200);
    expect((await fast('/project/')).status).toBe(500);
    expect((await ask(simulator, '/project/1/', { method: 'PUT', body: {} })).status).toBe(202);
  });

  it('the probability of a fault is seeded', async () => {
    const statuses = async () => {
      const one = await startStill({ tasks: 10, faults: { serverError: { probability: 0.3 } } });
      const found: number[] = [];
      for (let n = 0; n < 60; n++) found.push((await ask(one, '/me/')).status);
      await one.stop();
      return found;
    };
    const first = await statuses();
    expect(await statuses()).toEqual(first);
    const struck = first.filter((status) => status === 500).length;
    expect(struck).toBeGreaterThan(8);
    expect(struck).toBeLessThan(30);
  });

  it.each(FAULT_NAMES)('%s can be switched on by name and off again', (name) => {
    simulator.setFaults({ [name]: true });
    simulator.setFaults({ [name]: false });
    expect(simulator.account.data.lag).toBeUndefined();
  });

  it.each([
    [{ explode: true }, /expected one of latency/],
    [{ latency: { ms: 'long' } }, /faults\.latency\.ms: expected a number/],
    [{ role: { to: 'King' } }, /faults\.role\.to: expected one of Administrator/],
    [{ serverError: { resource: 'nothing' } }, /no resource 'nothing'/],
    [{ serverError: { probability: 2 } }, /expected 0 to 1/],
    [{ hang: { loud: true } }, /faults\.hang\.loud: there is no such setting/],
  ])('%j is refused', async (faults, message) => {
    await expect(startSimulator({ tasks: 10, faults: faults as never })).rejects.toThrow(message);
  });

  it('rejects an unknown quirk and an unknown value', () => {
    expect(() => simulator.setQuirks({ mood: 'bad' } as never)).toThrow(/expected one of entities/);
    expect(() => simulator.setQuirks({ blanks: 'zero' } as never)).toThrow(/expected one of mixed, null, empty/);
  });
});
