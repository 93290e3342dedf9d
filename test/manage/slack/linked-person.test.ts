/** The API tokens that people link: each goes only to the address that it was given for. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { MINUTE } from '../../../core/model/time.ts';
import { stageOnDay } from '../../../core/snapshot/stage.ts';
import { forgetSource } from '../../../core/source/forget-source.ts';
import type { SourceConfig } from '../../../runtime/config/config.ts';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { event, NOON, snapshot, subscription } from '../../samples.ts';
import { connectPerson, rememberAs, storeTasks as storeTasksOf } from './linked-world.ts';
import { type Args, type SlackWorld, startSlackWorld, textIn } from './slack-world.ts';

/** A server at another address: counts the requests with the token of a person. */
async function startOther() {
  let requests = 0;
  const server = createServer(({ headers }, response) => {
    const sent = Buffer.from((headers.authorization ?? '').replace('Basic ', ''), 'base64').toString();
    if (sent.includes(account.tokens.Administrator[0] ?? '')) requests += 1;
    response.writeHead(401).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
  return { url, requests: () => requests, close: () => server.close() };
}

let account: Simulator;
let other: Awaited<ReturnType<typeof startOther>>;
let folder: string;
let world: SlackWorld;
beforeAll(async () => {
  account = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0 });
});
afterAll(async () => account.stop());
beforeEach(async () => {
  other = await startOther();
  folder = mkdtempSync(join(tmpdir(), 'tidings-links-'));
  await start([{ name: 'north', baseUrl: account.url }]);
  await storeTasks('north');
  await world.record(event('e', { id: 'evt_e', source: '/sources/north', subject: 'task/1', time: world.clock.now() }));
  await world.embedded.subscriptions.add(
    subscription('website', {
      to: { channel: 'slack', settings: { channel: 'C1' } },
      declared: false,
      owner: 'slack:C1',
    }),
  );
});
afterEach(async () => {
  await world.stop();
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(sources: readonly Args[], requests = 0) {
  world = await startSlackWorld({
    requests,
    file: join(folder, 'tidings.db'),
    config: { sources: sources.map((one) => ({ token: '${TOKEN}', timeZone: 'UTC', ...one })) },
  });
}

const storeTasks = (source: string, from = account) => storeTasksOf(world, source, from);

/** The same data with other sources in the config. */
async function restart(...sources: readonly Args[]) {
  await world.stop();
  await start(sources, world.requests());
}

const connect = ({ source = '', whileOpen = async () => {} } = {}) =>
  connectPerson(world, account.tokens.Administrator[0] ?? '', {
    source,
    whileOpen: async () => {
      await whileOpen();
      return world;
    },
  });

/** As another process does it. */
async function forget(source: string) {
  const db = openDatabase(join(folder, 'tidings.db'));
  expect(await forgetSource({ ...sqliteStores(db), clock: world.clock, holder: 'forget' }, source)).toBeDefined();
  db.close();
}

let presses = 0;
/** Each time another date: the account is the same for all tests. */
async function press(action = 'due', of = 'evt_e') {
  const value = action === 'due' ? { selected_date: `2027-03-${10 + (++presses % 20)}` } : { value: action };
  const button = { action_id: `tidings:${action}`, block_id: `tidings:${of}:website`, ...value };
  return textIn((await world.press(button, { ts: `1731750000.${++presses}` })).replies);
}

const linkOf = (source: string) => world.embedded.documents.get('slack-link', `UANN ${source}`);
const lines = () => world.slack.callsOf('chat.postMessage').map(({ text }) => text);

describe('a linked token', () => {
  it('acts as the person, also after a slash was added to the address', async () => {
    expect(await connect()).toContain('Connected as');
    await restart({ name: 'north', baseUrl: `${account.url}/` });
    await press();
    expect(lines()).toEqual([expect.stringMatching(/^<@UANN> moved the due date to 2027-03-/)]);
  });

  it('is not sent to another address of the same source, and the person learns why', async () => {
    await connect();
    await restart({ name: 'north', baseUrl: other.url });
    for (const action of ['assign', 'close', 'due'])
      expect(await press(action)).toContain('The address of the account has changed since you linked your API token');
    expect(other.requests()).toBe(0);
    await restart({ name: 'north', baseUrl: account.url });
    await press();
    expect(lines()).toEqual([expect.stringMatching(/^<@UANN> moved the due date to 2027-03-/)]);
  });

  it('is not sent to another kind of system at the same address', async () => {
    await connect();
    await restart({ name: 'north', baseUrl: account.url, kind: 'redmine' });
    expect(await press()).toContain('The address of the account has changed');
  });

  it.each(['baseUrl', 'account'])('that an earlier version stored without %s is not sent', async (left) => {
    await connect();
    const link = Object.entries((await linkOf('north')) ?? {}).filter(([key]) => key !== left);
    await world.embedded.documents.save('slack-link', 'UANN north', Object.fromEntries(link), null);
    expect(await press()).toContain('Your API token was linked in an earlier version');
    await connect();
    await press();
    expect(lines()).toEqual([expect.stringMatching(/^<@UANN> moved the due date to 2027-03-/)]);
  });

  it('is not used for another account at the same address, once its records are those of the source', async () => {
    await connect();
    await forget('north');
    // Nobody knows yet which account will be next.
    expect(await press()).toContain('Tidings reads another account under this name since you linked your API token');
    const company = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0, seed: 7 });
    world.advance(MINUTE);
    await storeTasks('north', company);
    await company.stop();
    await rememberAs(world.embedded, 'north', account.url);
    for (const action of ['assign', 'close', 'due'])
      expect(await press(action)).toContain('Tidings reads another account under this name');
    expect(await connect()).toContain('it is of another account than the one that Tidings reads');
    expect(lines()).toEqual([]);
  });

  it('changes nothing by a message of the account that Tidings read before', async () => {
    await connect();
    await forget('north');
    world.advance(MINUTE);
    await storeTasks('north');
    expect(await connect()).toContain('Connected as');
    expect(await press()).toContain('Tidings no longer reads the account of this message: nothing was changed.');
    expect(lines()).toEqual([]);
    const now = event('n', { id: 'evt_n', source: '/sources/north', subject: 'task/1', time: world.clock.now() });
    await world.record(now);
    expect(await press('due', 'evt_n')).toBe('[]');
    expect(lines()).toEqual([expect.stringMatching(/^<@UANN> moved the due date to 2027-03-/)]);
  });

  it('of another account at the same address is not kept, whatever the names of its people', async () => {
    const company = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0, seed: 7 });
    await restart({ name: 'north', baseUrl: account.url }, { name: 'south', baseUrl: account.url });
    await storeTasks('south', company);
    await company.stop();
    expect(await connect({ source: 'south' })).toContain('it is of another account than the one that Tidings reads');
    // The same answer as without this person: it would confirm a name.
    const key = { source: 'south', resource: 'person', id: '1' };
    const record = { id: '1', firstname: 'Zoe', lastname: 'Quill', active: true };
    await world.embedded.snapshots.commit([{ snapshot: snapshot('1', { key, record, stage: {} }), expected: 0 }]);
    expect(await connect({ source: 'south' })).toContain('it is of another account than the one that Tidings reads');
    expect(await linkOf('south')).toBeUndefined();
    expect(await connect({ source: 'north' })).toContain('Connected as');
  });

  it('is not kept while nothing shows which account it is of', async () => {
    await restart({ name: 'north', baseUrl: account.url }, { name: 'south', baseUrl: account.url });
    expect(await connect({ source: 'south' })).toContain('Tidings has not read the account yet');
    expect(await linkOf('south')).toBeUndefined();
  });

  it.each([
    ['four tasks', 4, 10, 4, false],
    ['tasks of today and yesterday', 20, 0, 2, false],
    ['four tasks besides those of today and the two days before', 7, 0, 7, false],
    ['tasks of two days', 20, 10, 2, false],
    ['five tasks of three days', 5, 10, 3, true],
  ])('that shows %s is kept: only if others cannot have copied them', async (_, tasks, daysAgo, days, isKept) => {
    const company = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0 });
    for (let id = 1; id <= 20; id++) {
      const task = company.account.data.task.get(id);
      if (id > tasks) company.account.remove('task', id);
      else if (task !== undefined) task.datecreated = company.account.data.today() - daysAgo - (id % days);
    }
    await restart({ name: 'north', baseUrl: account.url }, { name: 'south', baseUrl: company.url });
    await storeTasks('south', company);
    const told = await connect({ source: 'south' });
    await company.stop();
    expect(told).toContain(isKept ? 'Connected as' : 'five are needed, created on three days');
    expect((await linkOf('south')) !== undefined).toBe(isKept);
  });

  it.each([
    ['copied a minute later, on the same days', 5, 60, 20, false],
    ['all changed in one second', 20, 0, 1, false],
    ['changed in two seconds', 20, 0, 2, false],
    ['changed in three seconds, but only four not since', 4, 0, 3, false],
    ['changed in three seconds, and five not since', 5, 0, 3, true],
  ])(
    'that shows old tasks %s is kept: only with the seconds that nobody can choose',
    async (_, same, late, seconds, isKept) => {
      const company = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0 });
      const modify = (id: number, later = 0) =>
        company.account.backdate(id, Date.parse('2026-01-01T12:00:00Z') + ((id % seconds) + later) * 1000);
      for (let id = 1; id <= 20; id++) modify(id);
      await restart({ name: 'north', baseUrl: account.url }, { name: 'south', baseUrl: company.url });
      await storeTasks('south', company);
      // What the token shows: some were changed since.
      for (let id = 1; id <= 20; id++) modify(id, id > same ? 3600 : late);
      const told = await connect({ source: 'south' });
      await company.stop();
      expect(told).toContain(isKept ? 'Connected as' : 'changed in three different seconds');
      expect((await linkOf('south')) !== undefined).toBe(isKept);
    },
  );

  it('is kept only if the account has its person, where people are read', async () => {
    const storePerson = (id: string, firstname: string) => {
      const record = { id, firstname, lastname: 'Lee', active: true };
      const key = { source: 'north', resource: 'person', id };
      return world.embedded.snapshots.commit([{ snapshot: snapshot(id, { key, record, stage: {} }), expected: 0 }]);
    };
    await storePerson('77', 'Zoe');
    expect(await connect()).toContain('Tidings has not read its person in the account under this name');
    await storePerson('1', 'Zoe');
    expect(await connect()).toContain('Tidings has not read its person in the account under this name');
    expect(await linkOf('north')).toBeUndefined();
  });

  it('says nothing about who the person is in another account', async () => {
    await connect();
    const person = String((await linkOf('north'))?.person);
    const record = {
      id: '99',
      title: 'Of another person',
      datedue: '2026-11-10',
      dateclosed: null,
      assigneeid: [person],
    };
    const task = snapshot('99', {
      key: { source: 'north', resource: 'task', id: '99' },
      record,
      stage: stageOnDay('task', record, '2026-11-14', world.embedded.config.rules),
    });
    await world.embedded.snapshots.commit([{ snapshot: task, expected: 0 }]);
    const home = async () => {
      await world.openHome('UANN');
      return textIn(world.slack.callsOf('views.publish').at(-1));
    };
    expect(await home()).toContain('Of another person');
    await restart({ name: 'north', baseUrl: other.url });
    expect(await home()).not.toContain('Of another person');
    expect(await home()).toContain('Tidings does not know who you are in the account');
  });

  it('that was typed into a form is not sent to an address that the source got meanwhile', async () => {
    const told = await connect({ whileOpen: () => restart({ name: 'north', baseUrl: other.url }) });
    expect(told).toContain('The token was not kept: the accounts were changed while the form was open');
    expect(other.requests()).toBe(0);
    expect(await linkOf('north')).toBeUndefined();
  });
});

it('disconnect forgets every link, also to a source that moved or was removed', async () => {
  await restart({ name: 'north', baseUrl: account.url }, { name: 'south', baseUrl: account.url });
  await storeTasks('south');
  for (const source of ['north', 'south']) expect(await connect({ source })).toContain('Connected as');
  await restart({ name: 'north', baseUrl: other.url });
  expect(await press()).toContain('The address of the account has changed');
  expect(textIn((await world.type('disconnect')).replies)).toContain('Your API token is forgotten');
  expect(await Promise.all(['north', 'south'].map(linkOf))).toEqual([undefined, undefined]);
  expect(textIn((await world.type('disconnect')).replies)).toContain('No API token of yours is linked');
  expect(world.errors).toEqual([]);
});

it('says of nobody that they have done what failed', async () => {
  await connect();
  const button = { action_id: 'tidings:due', block_id: 'tidings:evt_e:website', selected_date: '2027-05-05' };
  const pressDue = () => world.press(button, { ts: '1731750000.99' });
  const { openSourceAs } = world.ports;
  const failing = async () => {
    throw new RetryLater('TIDINGS_SOURCE_STATUS', 'the API answered with 503');
  };
  Object.assign(world.ports, { openSourceAs: failing });
  await pressDue();
  for (let run = 0; run < 10; run++) {
    world.advance(5 * MINUTE);
    await world.pump();
  }
  expect(world.errors.splice(0)).toHaveLength(1);
  Object.assign(world.ports, { openSourceAs });
  const api = await openSourceAs(world.ports.config.sources[0] as SourceConfig, account.tokens.Administrator[0] ?? '');
  await api.update?.('task', '1', { datedue: '2027-05-05' });
  await api.close();
  expect(textIn((await pressDue()).replies)).toContain('The task is like that already: nothing was changed.');
});

it('tells nobody which secret of the installation cannot be read', async () => {
  await connect();
  const missing = async () => {
    throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', "'file:/data/bot-token' could not be read: ENOENT");
  };
  Object.assign(world.ports, { openSourceAs: missing });
  const button = { action_id: 'tidings:due', block_id: 'tidings:evt_e:website', selected_date: '2027-05-05' };
  await world.press(button, { ts: '1731750000.98' });
  for (let run = 0; run < 10; run++) {
    world.advance(5 * MINUTE);
    await world.pump();
  }
  const told = world.slack.responses.map(({ body }) => textIn(body)).join('\n');
  expect(told).toContain('That did not work: `TIDINGS_SECRET_UNAVAILABLE`');
  expect(told).not.toContain('/data/bot-token');
  world.errors.splice(0);
});

it('tells nobody the address of an account that does not answer', async () => {
  await restart({ name: 'north', baseUrl: 'http://127.0.0.1:9/' });
  await connect();
  for (let run = 0; run < 10; run++) {
    world.advance(5 * MINUTE);
    await world.pump();
  }
  const told = textIn(world.slack.callsOf('chat.postEphemeral').at(-1));
  expect(told).toContain('That did not work: `TIDINGS_SOURCE_UNREACHABLE`');
  expect(told).not.toContain('127.0.0.1');
  expect(String(world.errors.splice(0)[0])).toContain('127.0.0.1');
});
