/**
 * The common conventions, authentication, errors and limits of the API document.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/simulator.ts';
import { ask, basic, list, startStill, validBody } from './api-client.ts';

describe('conventions', () => {
  let simulator: Simulator;
  let token: string;
  beforeAll(async () => {
    simulator = await startStill();
    token = simulator.tokens.Administrator[0] ?? '';
  });
  afterAll(() => simulator.stop());

  const raw = (path: string, headers: Record<string, string>) => fetch(`${simulator.url}${path}`, { headers });

  it('a list has personid, status, code, listcount and the records', async () => {
    const { json } = await ask(simulator, '/task/?limit=2', { as: 'Manager' });
    expect(Object.keys(json)).toEqual(['personid', 'status', 'code', 'listcount', 'task']);
    expect(json).toMatchObject({ personid: '3', status: 'OK', code: 200, listcount: 240 });
    expect(json.task).toHaveLength(2);
  });

  it('a list of one is still an array, a member an object without listcount', async () => {
    expect((await ask(simulator, '/document/?id=1')).json.document).toHaveLength(1);
    const { json } = await ask(simulator, '/task/1/');
    expect(Object.keys(json)).toEqual(['personid', 'status', 'code', 'task']);
  });

  it('listcount is the number of matches before limit and offset', async () => {
    const { json } = await ask(simulator, '/task/?excludeclosed=t&limit=3&offset=2');
    const all = await list(simulator, '/task/?excludeclosed=t&limit=10000');
    expect(json.listcount).toBe(all.length);
    expect(json.task).toEqual(all.slice(2, 5));
  });

  it.each(['task', 'invoice', 'project', 'time', 'person'])('%s lists ten by default', async (resource) => {
    const response = await ask(simulator, `/${resource}/`);
    expect(response.json[resource]).toHaveLength(10);
  });

  it('limit has no maximum', async () => {
    expect(await list(simulator, '/task/?limit=999999999')).toHaveLength(240);
  });

  it('a limit of 0 lists nothing and still counts; an offset past the end as well', async () => {
    expect((await ask(simulator, '/task/?limit=0')).json).toMatchObject({ listcount: 240, task: [] });
    expect((await ask(simulator, '/task/?offset=1000')).json).toMatchObject({ listcount: 240, task: [] });
  });

  it('paths work with and without the slash at the end', async () => {
    expect((await ask(simulator, '/task/1')).json).toEqual((await ask(simulator, '/task/1/')).json);
    expect((await ask(simulator, '/task?limit=1')).json).toEqual((await ask(simulator, '/task/?limit=1')).json);
  });

  it('a repeated list has the same bytes until a record, the day or a quirk changes', async () => {
    const page = async () => (await ask(simulator, '/invoice/?status=outstanding&limit=50')).text;
    const first = await page();
    for (let again = 0; again < 3; again++) expect(await page()).toBe(first);
    simulator.account.rename(
      'project',
      simulator.account.list('invoice', { status: 'outstanding' })[0]?.projectid ?? '',
      'Lighthouse',
    );
    const renamed = await page();
    expect(renamed).toContain('Lighthouse');
    for (let again = 0; again < 3; again++) expect(await page()).toBe(renamed);
    simulator.account.clock.advance(86_400_000);
    const later = await page();
    simulator.account.clock.advance(-86_400_000);
    expect(later).not.toBe(renamed);
    simulator.setQuirks({ envelopeNumbers: 'string' });
    const quirky = await page();
    simulator.setQuirks({ envelopeNumbers: 'number' });
    expect(quirky).toContain('"code":"200"');
    expect(await page()).toBe(renamed);
    expect((await ask(simulator, '/invoice/?status=outstanding&limit=50', { as: 'Executive' })).text).not.toContain(
      '"datebegin"',
    );
  });

  it('a blank parameter is ignored', async () => {
    expect((await ask(simulator, '/task/?statusid=&limit=')).json).toEqual((await ask(simulator, '/task/')).json);
  });

  it.each([
    [{}, 'xml'],
    [{ accept: '*/*' }, 'xml'],
    [{ accept: 'application/xml' }, 'xml'],
    [{ accept: 'text/html' }, 'xml'],
    [{ accept: 'application/json' }, 'json'],
    [{ accept: 'application/json;q=0.5, application/xml' }, 'xml'],
    [{ accept: 'application/xml;q=0.5, application/json, */*' }, 'json'],
  ])('with %j the answer is %s', async (headers, format) => {
    // fetch adds Accept: */* by itself, which must do no harm; node:http would send none.
    const answer = await raw('/task/', { authorization: basic(token), ...headers });
    expect(answer.headers.get('content-type')).toBe(`application/${format}; charset=utf-8`);
  });

  it.each([
    '/task/?limit=50',
    '/invoice/?limit=50',
    '/person/?limit=50',
    '/task/1/',
    '/me/',
    '/quota/',
    '/task/?localid=999999',
    '/nothing/',
  ])('the XML of %s is well formed and says what the JSON says', async (path) => {
    const json = (await ask(simulator, path)).json;
    const text = await (await raw(path, { authorization: basic(token) })).text();
    expect(XMLValidator.validate(text)).toBe(true);
    const parser = new XMLParser({
      parseTagValue: false,
      trimValues: false,
      isArray: (name) => name === 'item',
      htmlEntities: true,
    });
    const { response } = parser.parse(text) as { response: Record<string, unknown> };
    expect(Object.keys(response)).toEqual(Object.keys(json));
    for (const [name, value] of Object.entries(json)) expect(response[name], name).toEqual(asXml(value));
  });

  it.each([
    ['no header', undefined, 2],
    ['another scheme', 'Bearer abc', 2],
    ['an unknown token', basic('nobody'), 3],
    ['an empty token', basic(''), 3],
    ['an empty password', 'EMPTY', 7],
  ])('%s is a 401', async (_, header, code) => {
    const sent = header === 'EMPTY' ? basic(token, '') : header;
    const answer = await raw('/task/', {
      accept: 'application/json',
      ...(sent === undefined ? {} : { authorization: sent }),
    });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ status: 'Unauthorized', code: 401, error: { code } });
  });

  it('the token of an inactive person, or of one who may no longer log in, is a 401', async () => {
    const { account } = simulator;
    account.update('person', 2, { active: 'f' });
    const second = simulator.tokens.Administrator[1] ?? '';
    expect((await ask(simulator, '/task/', { token: second })).json.error.code).toBe(8);
    account.update('person', 2, { active: 't', username: '' });
    expect((await ask(simulator, '/task/', { token: second })).json.error.code).toBe(9);
    account.update('person', 2, { username: 'second' });
    expect((await ask(simulator, '/task/', { token: second })).status).toBe(200);
  });

  it.each([
    ['GET', '/nothing/', 400, 13],
    ['GET', '/', 400, 13],
    ['GET', '//', 400, 13],
    ['GET', '/__proto__/', 400, 13],
    ['GET', '/task/1/copy/', 400, 15],
    ['GET', '/task/first/', 400, 15],
    ['GET', '/document/1/download/again/', 400, 15],
    ['GET', '/contacttype/1/', 400, 15],
    ['GET', '/me/1/', 400, 15],
    ['PATCH', '/task/1/', 400, 16],
    ['POST', '/task/1/', 400, 16],
    ['PUT', '/task/', 400, 16],
    ['DELETE', '/task/', 400, 16],
    ['POST', '/group/', 400, 16],
    ['DELETE', '/document/1/', 400, 16],
    ['POST', '/me/', 400, 16],
    ['PUT', '/quota/', 400, 16],
    ['GET', '/task/?page=2', 400, 17],
    ['GET', '/task/?id=2', 400, 17],
    ['GET', '/taskstatus/?nonsense=1', 400, 17],
    ['GET', '/task/1/?limit=2', 400, 17],
    ['GET', '/me/?search=x', 400, 17],
    ['GET', '/quota/?limit=1', 400, 17],
    ['GET', '/client/?clientid=1', 400, 17],
    ['GET', '/task/?limit=-1', 400, 18],
    ['GET', '/task/?limit=ten', 400, 18],
    ['GET', '/task/?offset=1.5', 400, 18],
    ['GET', '/task/?statusid=open', 400, 18],
    ['GET', '/task/?personid=1,2', 400, 18],
    ['GET', '/task/?overdue=yes', 400, 18],
    ['GET', '/task/?datedue=2026-02-30', 400, 18],
    ['GET', '/task/?datemodifiedbegin=2026-11-14', 400, 18],
    ['GET', '/task/?datemodifiedbegin=2026-11-14T10:00:00Z', 400, 18],
    ['GET', '/task/?tasklistfilterid=99', 400, 18],
    ['GET', '/invoice/?status=overdue', 400, 18],
    ['GET', '/task/999999/', 404, 14],
    ['PUT', '/task/999999/', 404, 14],
    ['DELETE', '/task/999999/', 404, 14],
    ['GET', '/document/999999/download/', 404, 14],
  ])('%s %s answers %i with code %i', async (method, path, status, code) => {
    const response = await ask(simulator, path, { method, ...(method === 'PUT' ? { body: {} } : {}) });
    expect(response.status, response.text).toBe(status);
    expect(Object.keys(response.json)).toEqual(['status', 'code', 'error']);
    expect(response.json).toMatchObject({ code: status, error: { code } });
    expect(response.json.error.message.length).toBeGreaterThan(10);
  });

  it('an unknown parameter is named', async () => {
    expect((await ask(simulator, '/task/?page=2')).json.error.message).toContain("'page'");
  });

  it('a task note lists what changed, unless a header disables it', async () => {
    const notes = () => list(simulator, '/tasknote/?taskid=9');
    await ask(simulator, '/task/9/', {
      method: 'PUT',
      body: { statusid: '7' },
      headers: { 'X-Service-Disable-Action-Notes': 't' },
    });
    expect(await notes()).toEqual([]);
    await ask(simulator, '/task/9/', { method: 'PUT', body: { statusid: '2' }, as: 'Manager' });
    const [note] = await notes();
    expect(note).toMatchObject({ taskid: '9', personid: '3' });
    expect(note?.note).toContain('Status: Closed → In Progress');
    await ask(simulator, '/task/9/', { method: 'PUT', body: { title: 'Cut <b> & paste' } });
    expect((await notes()).at(-1)?.note).toMatch(/ → Cut &lt;b&gt; &amp; paste$/);
  });

  it('mail is sent only when the header asks for it', async () => {
    const body = { ...validBody('task'), ownerid: '3', assigneeid: '5' };
    await ask(simulator, '/task/', { method: 'POST', body });
    expect(simulator.account.notifications).toEqual([]);
    await ask(simulator, '/task/', { method: 'POST', body, headers: { 'X-Service-Send-Notifications': 't' } });
    expect(simulator.account.notifications.map(({ subject }) => subject)).toEqual(
      Array(2).fill('New task: Choose the paper'),
    );
  });
});

/** JSON values as they stand in XML: null and '' alike empty, numbers as text, lists as items. */
function asXml(value: unknown): unknown {
  if (value === null || value === '') return '';
  if (Array.isArray(value)) return value.length === 0 ? '' : { item: value.map(asXml) };
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value as object).map(([name, inner]) => [name, asXml(inner)]));
  return String(value);
}
