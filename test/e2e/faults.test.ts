/** Polls the simulator under each fault: no false events, no lost events, and outages are reported. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WorkApi, workApi } from '../../adapters/sources/work/client.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { announceFeed } from '../../core/events/announce-feed.ts';
import { eventTypeOf } from '../../core/events/catalogue.ts';
import { DAY, HOUR, MINUTE } from '../../core/model/time.ts';
import { parseConfig } from '../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../runtime/embedded/embedded.ts';
import { pollCycle } from '../../runtime/poll-cycle.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';

const START = '2026-11-14T11:00:00.000Z';

let simulator: Simulator;
let embedded: Embedded;
/** Uses a client that hardly waits for responses, or one that does. */
let setPatience: (patient: boolean) => void;

/** The account and Tidings share a clock, which the test advances. */
async function setUp(tasks = 120) {
  simulator = await startSimulator({ tasks, now: START, speed: 0 });
  const [token = ''] = simulator.tokens.Administrator;
  const clock = { now: () => new Date(simulator.account.clock.now()).toISOString() };
  const config = parseConfig('test.json', JSON.stringify({ source: { baseUrl: simulator.url, token } }), {});
  const wired = await openEmbedded({
    config,
    database: openDatabase(':memory:'),
    environment: {},
    clock,
    holder: 'test',
    random: () => 0.5,
  });
  // No waiting in tests, neither for the rate limit nor for retries.
  const client = (patient: boolean, timeout: number) =>
    workApi({
      ...{ baseUrl: simulator.url, token, perMinute: Number.POSITIVE_INFINITY, sleep: async () => {} },
      retries: patient ? 1 : 0,
      timeouts: { headers: timeout, body: timeout },
    });
  const [patientApi, impatientApi] = [client(true, 10_000), client(false, 30)];
  const ports = wired.sources.get('main');
  if (ports === undefined) throw new Error('no source');
  const withApi = (api: WorkApi): Embedded => ({
    ...wired,
    sources: new Map([['main', { ...ports, api }]]),
    close: async () => {
      await Promise.all([patientApi.close(), impatientApi.close()]);
      await wired.close();
    },
  });
  embedded = withApi(patientApi);
  setPatience = (patient) => {
    embedded = withApi(patient ? patientApi : impatientApi);
  };
}

beforeEach(() => setUp());

async function tearDown(): Promise<void> {
  await embedded.close();
  await simulator.stop();
}
afterEach(tearDown);

async function cycle(everything = false) {
  const [source] = embedded.config.sources;
  if (source === undefined) throw new Error('no source');
  return pollCycle(embedded, source, {}, { everything });
}

/** Lets time pass, polling every five minutes, or less often. */
async function pass(duration: number, every = 5 * MINUTE): Promise<void> {
  for (let gone = 0; gone < duration; gone += every) {
    simulator.account.clock.advance(every);
    await cycle();
  }
}

/** Events since the last call, as `task.updated task/7`, without those that time alone triggers. */
async function newEvents(): Promise<string[]> {
  const found: string[] = [];
  for (;;) {
    const events = (await announceFeed(embedded))?.events;
    if (events === undefined) return found;
    found.push(...events.filter(({ data }) => data.cause !== 'tick').map(({ type, subject }) => `${type} ${subject}`));
  }
}

const openTask = () => String(simulator.account.list('task', { excludeclosed: 't', limit: '1' })[0]?.id);
const close = (id: string) => simulator.account.update('task', id, { statusid: 7 });

describe('without a fault', () => {
  it('emits each change once', async () => {
    await cycle();
    expect(await newEvents()).toEqual(['source.baselined source/main']);
    const id = openTask();
    close(id);
    simulator.account.rename('project', 1, 'Quite another name');
    simulator.account.pay(String(simulator.account.list('invoice', { status: 'outstanding', limit: '1' })[0]?.id));
    await pass(7 * HOUR);
    const emitted = await newEvents();
    expect(emitted).toContain(`task.closed task/${id}`);
    expect(emitted).toContain('project.updated project/1');
    expect(emitted.filter((line) => line.startsWith('invoice.updated'))).toHaveLength(1);
    expect(new Set(emitted).size).toBe(emitted.length);
    expect(emitted.filter((line) => line.startsWith('task.') && !line.endsWith(`/${id}`))).toEqual([]);
  });
});

describe('with attribution', () => {
  it('names the person who made a change, and no one if two people changed the record', async () => {
    const [token] = simulator.tokens.Administrator;
    const config = { source: { baseUrl: simulator.url, token, attribution: true } };
    embedded = { ...embedded, config: parseConfig('test.json', JSON.stringify(config), {}) };
    await cycle();
    await newEvents();
    const [one, two] = simulator.account.list('task', { excludeclosed: 't', limit: '2' }).map(({ id }) => String(id));
    simulator.account.clock.advance(MINUTE);
    simulator.account.update('task', one ?? '', { statusid: 7 }, { by: 2 });
    simulator.account.update('task', two ?? '', { title: 'Mine' }, { by: 2 });
    simulator.account.clock.advance(MINUTE);
    simulator.account.update('task', two ?? '', { title: 'No, mine' }, { by: 3 });
    await pass(5 * MINUTE);
    await newEvents();
    const { events } = await embedded.events.list({ limit: 100 });
    const by = (type: string, id = '') =>
      events.find((event) => event.type === type && event.subject === `task/${id}`)?.data.by;
    const person = simulator.account.read('person', 2);
    expect(by('task.closed', one)).toEqual({ id: '2', name: expect.stringContaining(String(person?.firstname)) });
    expect(events.some(({ subject }) => subject === `task/${two}`)).toBe(true);
    expect(by('task.updated', two)).toBeUndefined();
  });

  it('does not take the author of a comment for the author of a change', async () => {
    const [token] = simulator.tokens.Administrator;
    const config = { source: { baseUrl: simulator.url, token, attribution: true } };
    embedded = { ...embedded, config: parseConfig('test.json', JSON.stringify(config), {}) };
    await cycle();
    await newEvents();
    const { account } = simulator;
    const id = String(account.list('task', { excludeclosed: 't', limit: '1' })[0]?.id);
    account.clock.advance(MINUTE);
    account.update('task', id, { title: 'Changed by three' }, { by: 3, notes: false });
    const modified = Math.floor(account.clock.now() / 1000);
    account.data.tasknote.add({ on: Number(id), personid: 2, note: 'The title is not clear', public: true, modified });
    await pass(5 * MINUTE);
    await newEvents();
    const { events } = await embedded.events.list({ limit: 100 });
    const updated = events.find(({ type, subject }) => type === 'task.updated' && subject === `task/${id}`);
    expect(updated?.data.record.title).toBe('Changed by three');
    expect(updated?.data.by).toBeUndefined();
  });
});

describe('with an API that', () => {
  const faults: [string, Parameters<Simulator['setFaults']>[0], string[]][] = [
    ['responds with 500', { serverError: true }, ['source.unreachable', 'source.recovered']],
    ['responds with 502 and an HTML page', { htmlPage: true }, ['source.unreachable', 'source.recovered']],
    ['responds with 200 and an HTML page', { htmlPage: { status: 200 } }, ['source.unreachable', 'source.recovered']],
    ['closes the connection in the middle of the body', { cutBody: true }, ['source.unreachable', 'source.recovered']],
    ['truncates the body', { truncate: true }, ['source.unreachable', 'source.recovered']],
    ['never responds', { hang: true }, ['source.unreachable', 'source.recovered']],
    ['suspends the account', { serverError: { status: 503, code: 4 } }, ['source.unreachable', 'source.recovered']],
    [
      'responds with 402 Payment Required',
      { serverError: { status: 402, code: 6 } },
      ['source.unauthorized', 'source.recovered'],
    ],
    ['fails every third request', { serverError: { status: 500, code: 19, probability: 0.33 } }, []],
    ['sends the body slowly', { drip: { ms: 1, bytes: 65_536 } }, []],
    ['reports a count that is too high', { wrongCount: { by: 5 } }, []],
    ['reports a count that is one too low', { wrongCount: { by: -1 } }, []],
    ['returns no more than ten rows', { smallPages: { rows: 10 } }, []],
    ['has a row with the id 0', { oddRow: { row: 'invalid' } }, []],
    ['repeats a row', { oddRow: { row: 'repeated' } }, []],
    ['deletes a record between two pages', { betweenPages: { change: 'delete' } }, []],
    ['creates a record between two pages', { betweenPages: { change: 'create' } }, []],
    ['indexes changes a minute late', { lateModified: { ms: 60_000, mode: 'index' } }, []],
    ['dates changes a minute early', { lateModified: { ms: 60_000, mode: 'stamp' } }, []],
  ];

  it.each(faults)('%s', async (_, fault, health) => {
    await cycle();
    await newEvents();
    const before = simulator.account.journal.read({ since: 0, limit: 1_000_000 }).length;
    simulator.setFaults(fault);
    setPatience(fault.hang === undefined);
    const id = openTask();
    close(id);
    await pass(20 * MINUTE);
    await cycle(true);
    simulator.setFaults(Object.fromEntries(Object.keys(fault).map((name) => [name, false])));
    setPatience(true);
    await pass(HOUR);
    await pass(12 * HOUR, 30 * MINUTE);
    await cycle(true);
    const emitted = await newEvents();
    // The account's journal has the change of the test and the changes made by the fault.
    const happened = simulator.account.journal.read({ since: before, limit: 1_000_000 });
    const expected = new Set(happened.map(({ resource, id }) => `${resource}/${id}`));
    const aboutSource = emitted.filter((line) => line.startsWith('source.')).map((line) => line.split(' ')[0]);
    expect(aboutSource).toEqual(health);
    expect(emitted).toContain(`task.closed task/${id}`);
    const strange = emitted.filter((line) => !line.startsWith('source.') && !expected.has(line.split(' ')[1] ?? ''));
    expect(strange).toEqual([]);
    expect(new Set(emitted).size).toBe(emitted.length);
    const deleted = happened
      .filter(({ action, resource }) => action === 'deleted' && resource === 'task')
      .map(({ id }) => `task.deleted task/${id}`);
    expect(emitted.filter((line) => line.startsWith('task.deleted')).sort()).toEqual(deleted.sort());
  });

  it('revoked token: reports it, emits no deletions, and continues when the token works again', async () => {
    await tearDown();
    await setUp(300);
    await cycle();
    await newEvents();
    const [token = ''] = simulator.tokens.Administrator;
    simulator.setRole(token, 'Executive');
    await pass(30 * MINUTE);
    await cycle(true);
    simulator.setRole(token, undefined);
    await pass(2 * DAY, 30 * MINUTE);
    const emitted = await newEvents();
    // An Executive may not read people and modules and sees few documents: reported, but not as deletions.
    expect(emitted).toEqual(['source.forbidden source/main', 'source.mass_disappearance source/main']);
  });

  it('12 days of changed names, colours and roles: only time-driven events', async () => {
    await tearDown();
    await setUp(300);
    const [token = ''] = simulator.tokens.Administrator;
    const off = ['project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'].map((name) => [
      name,
      'off',
    ]);
    const config = { source: { baseUrl: simulator.url, token, resources: Object.fromEntries(off) } };
    embedded = { ...embedded, config: parseConfig('test.json', JSON.stringify(config), {}) };
    await cycle();
    await newEvents();
    for (let day = 0; day < 12; day++) {
      simulator.account.rename('project', 1 + (day % 10), `Project of day ${day}`);
      simulator.account.rename('client', 1 + (day % 4), `Client of day ${day}`);
      simulator.account.update('person', 2, { lastname: `Day${day}` });
      simulator.setRole(token, day % 2 === 0 ? 'Executive' : undefined);
      for (let hour = 0; hour < 24; hour += 3) {
        simulator.account.clock.advance(3 * HOUR);
        await cycle();
      }
    }
    simulator.setRole(token, undefined);
    await pass(7 * HOUR);
    const emitted = (await newEvents()).filter((line) => eventTypeOf(line.split(' ')[0] ?? '')?.byTime !== true);
    expect(new Set(emitted)).toEqual(new Set(['source.role_changed source/main']));
    const snapshots = embedded.sources.get('main')?.snapshots;
    const [task] = simulator.account.list('task', { projectid: '1', limit: '1' });
    const kept = await snapshots?.get({ source: 'main', resource: 'task', id: String(task?.id) });
    expect(kept?.record.project).toBe('Project of day 10');
  });

  it('exhausted quota: reports it, and catches up after midnight GMT', async () => {
    await cycle();
    await newEvents();
    simulator.quota.reset(6000);
    const id = openTask();
    close(id);
    await pass(3 * HOUR);
    expect(await newEvents()).toEqual(['source.quota_exhausted source/main']);
    await pass(10.5 * HOUR);
    expect((await newEvents()).filter((line) => !line.startsWith('source.'))).toEqual([
      `task.closed task/${id}`,
      `task.status_changed task/${id}`,
      `task.updated task/${id}`,
    ]);
  });
});
