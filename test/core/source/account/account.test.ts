/** A source whose config reaches another account: nothing is polled, nothing becomes an event. */

import { describe, expect, it } from 'vitest';
import { sqliteStores } from '../../../../adapters/sqlite/stores.ts';
import { RetryLater } from '../../../../core/model/errors.ts';
import { HOUR, MINUTE } from '../../../../core/model/time.ts';
import {
  accountMark,
  describeAccount,
  normalizeBaseUrl,
  OTHER_ACCOUNT,
  readAccount,
  rememberAccount,
} from '../../../../core/source/account/account.ts';
import { forgetSource } from '../../../../core/source/forget-source.ts';
import { NOON } from '../../../samples.ts';
import { baselined, fill, setUp, type World } from '../poll-world.ts';

const HERE = 'https://work.example.com/api';
const THERE = 'https://other.example.com/api';

/** A baselined source whose tasks have all their identifying fields, and the name of the token's person. */
async function agency(count = 30): Promise<World> {
  const world = setUp();
  world.api.me = { person: '1', role: 'Administrator', firstname: 'Ann', lastname: 'Vogt' };
  fillAccount(world, count, 'A');
  await world.run();
  await world.news();
  world.clock.advance(5 * MINUTE);
  return world;
}

function fillAccount({ api }: World, count: number, mark: string): void {
  api.rows.clear();
  for (let id = 1; id <= count; id++)
    api.put(String(id), {
      localid: String(id),
      title: `${mark}${id}`,
      datecreated: mark === 'A' ? '2026-10-01' : '2025-02-03',
      projectid: '7',
      statusid: '1',
    });
}

function become(world: World, person: string, firstname: string, mark: string): void {
  world.api.me = { person, role: 'Administrator', firstname, lastname: 'Vogt' };
  fillAccount(world, 40, mark);
}

const account = async ({ snapshots }: World) => (await readAccount(snapshots, 'main')).account;
const health = async ({ snapshots }: World) =>
  (await snapshots.get({ source: 'main', resource: 'source', id: 'main' }))?.record;
const titles = async ({ snapshots }: World) => {
  const found: unknown[] = [];
  for await (const { record } of snapshots.list('main', 'task')) found.push(record.title);
  return found;
};

describe('a source', () => {
  it('remembers its account at the first poll', async () => {
    const world = await agency();
    expect(await account(world)).toEqual({ baseUrl: HERE, person: '1', name: 'Ann Vogt' });
  });

  it.each([
    ['at another address', { baseUrl: THERE }, '1', 'Ann'],
    ['at another address, with another person', { baseUrl: THERE }, '9', 'Zoe'],
    ['at the same address, with another person', {}, '9', 'Zoe'],
    ['at the same address, whose person has the same id', {}, '1', 'Zoe'],
  ])('refuses another account %s', async (_, change, person, firstname) => {
    const world = await agency();
    const before = await titles(world);
    become(world, person, firstname, 'B');
    for (let round = 0; round < 4; round++) {
      world.clock.advance(6 * HOUR);
      const { scans, failed } = await world.run({ ...change, everything: true });
      expect(scans).toEqual([]);
      expect(failed).toMatchObject([{ code: OTHER_ACCOUNT, resource: 'task' }]);
      expect(failed[0]?.message).toContain(`stored from ${HERE} (person 1, Ann Vogt), found`);
      expect(failed[0]?.message).toContain('tidings sources forget main');
    }
    expect(await world.news()).toEqual([]);
    expect(await titles(world)).toEqual(before);
    expect(await health(world)).toMatchObject({ state: 'other_account', person: '1' });
  });

  it('notices another person in the first response, without waiting for the hourly request', async () => {
    const world = await agency();
    world.api.namesPerson = true;
    become(world, '9', 'Zoe', 'B');
    expect((await world.run()).failed).toMatchObject([{ code: OTHER_ACCOUNT }]);
    expect(await world.news()).toEqual([]);
  });

  it.each([
    ['whose person has the same id', 'Zoe', undefined],
    ['while the API does not say whose it is', 'Ann', 'failing'],
  ])('refuses the token of another account at once, %s', async (_, firstname, me) => {
    const world = setUp();
    let digest = 'first';
    world.api.tokenDigest = () => digest;
    world.api.me = { person: '1', role: 'Administrator', firstname: 'Ann', lastname: 'Vogt' };
    fillAccount(world, 30, 'A');
    await world.run();
    await world.news();
    const before = await titles(world);
    world.clock.advance(5 * MINUTE);
    digest = 'second';
    become(world, '1', firstname, 'B');
    const list = world.api.list.bind(world.api);
    world.api.list = async (resource, query, signal) => {
      if (resource === 'me' && me === 'failing') throw new RetryLater('TIDINGS_SOURCE_STATUS', '500 from the API');
      return list(resource, query, signal);
    };
    expect((await world.run()).failed).toMatchObject([{ code: OTHER_ACCOUNT }]);
    expect(await world.news()).toEqual([]);
    expect(await titles(world)).toEqual(before);
  });

  it('accepts another token of its account, which costs one request', async () => {
    const world = await agency();
    let digest = 'first';
    world.api.tokenDigest = () => digest;
    await world.run();
    const costOfPoll = async () => {
      world.clock.advance(5 * MINUTE);
      const before = world.api.requests();
      expect((await world.run()).failed).toEqual([]);
      return world.api.requests() - before;
    };
    const usual = await costOfPoll();
    digest = 'second';
    expect(await costOfPoll()).toBe(usual + 1);
    expect(await costOfPoll()).toBe(usual);
    expect(await account(world)).toEqual({ baseUrl: HERE, person: '1', name: 'Ann Vogt' });
  });

  it('goes on with its own account afterwards, without a message of its recovery', async () => {
    const world = await agency();
    const rows = new Map(world.api.rows);
    const me = world.api.me;
    become(world, '9', 'Zoe', 'B');
    world.clock.advance(2 * HOUR);
    await world.run({ baseUrl: THERE });
    world.api.rows.clear();
    for (const [id, row] of rows) world.api.rows.set(id, row);
    world.api.me = me;
    world.api.put('3', { title: 'Better' });
    world.clock.advance(2 * HOUR);
    expect((await world.run()).failed).toEqual([]);
    expect(await world.news()).toEqual(['task.updated 3']);
    expect(await health(world)).toMatchObject({ state: 'ok', reason: null });
  });

  it('does not apply the rules of a config for another account to the stored records', async () => {
    const world = await agency();
    become(world, '9', 'Zoe', 'B');
    const { reckoning, timeZone } = (await health(world)) ?? {};
    world.clock.advance(2 * HOUR);
    await world.run({ baseUrl: THERE, timeZone: 'Asia/Tokyo', rules: { ...world.order.rules, taskDueSoon: 9 } });
    expect(await health(world)).toMatchObject({ reckoning, timeZone });
  });

  it('adopts a new address of the same account, even if a few records were edited meanwhile', async () => {
    const world = await agency();
    world.api.put('2', { title: 'Edited during the move' });
    world.clock.advance(2 * HOUR);
    expect((await world.run({ baseUrl: THERE })).failed).toEqual([]);
    expect(await world.news()).toEqual(['task.updated 2']);
    expect(await account(world)).toMatchObject({ baseUrl: THERE });
  });

  it('adopts another person of the same account', async () => {
    const world = await agency();
    world.api.me = { person: '2', role: 'Administrator', firstname: 'Ben', lastname: 'Okafor' };
    world.clock.advance(2 * HOUR);
    await world.run();
    expect(await world.news()).toEqual(['source.role_changed main']);
    expect(await account(world)).toMatchObject({ person: '2', name: 'Ben Okafor' });
  });

  it('adopts records of an earlier version, which remembered no account', async () => {
    const world = await agency();
    await forgetAccount(world);
    world.clock.advance(2 * HOUR);
    expect((await world.run()).failed).toEqual([]);
    expect(await account(world)).toEqual({ baseUrl: HERE, person: '1', name: 'Ann Vogt' });
  });

  it('refuses another account for records of an earlier version', async () => {
    const world = await agency();
    await forgetAccount(world);
    become(world, '9', 'Zoe', 'B');
    world.clock.advance(2 * HOUR);
    expect((await world.run()).failed).toMatchObject([{ code: OTHER_ACCOUNT }]);
    expect(await world.news()).toEqual([]);
  });

  it('polls an API that does not say whose the token is, and refuses another account there too', async () => {
    const world = await agency();
    const { list } = world.api;
    const silent: World['api']['list'] = async (resource, query, signal) => {
      if (resource === 'me') throw new Error('no such resource');
      return list(resource, query, signal);
    };
    world.api.list = silent;
    world.clock.advance(2 * HOUR);
    expect((await world.run()).failed).toEqual([]);
    fillAccount(world, 40, 'B');
    expect((await world.run({ baseUrl: THERE, everything: true })).failed).toMatchObject([{ code: OTHER_ACCOUNT }]);
  });

  it('does not scan while the API of another address does not respond', async () => {
    const world = await agency();
    world.api.before = () => {
      throw new Error('down');
    };
    world.clock.advance(2 * HOUR);
    expect((await world.run({ baseUrl: THERE })).scans).toEqual([]);
    expect(await account(world)).toMatchObject({ baseUrl: HERE });
  });

  it('makes no more requests than before while nothing changed', async () => {
    const world = await agency();
    const before = world.api.requests();
    await world.run();
    expect(world.api.requests() - before).toBe(1);
  });
});

async function forgetAccount({ db }: World): Promise<void> {
  db.prepare("DELETE FROM snapshots WHERE resource = 'account'").run();
}

describe('a forgotten source', () => {
  const forget = (world: World) =>
    forgetSource({ ...sqliteStores(world.db), clock: world.clock, holder: 'forget' }, 'main');

  it('starts over with another account: a baseline, then its changes', async () => {
    const world = await agency();
    become(world, '9', 'Zoe', 'B');
    expect(await forget(world)).toMatchObject({ records: { task: 30, source: 1 } });
    world.clock.advance(2 * HOUR);
    await world.run({ baseUrl: THERE });
    expect(await world.news()).toEqual(['source.baselined main']);
    expect(await titles(world)).toHaveLength(40);
    expect(await account(world)).toMatchObject({ baseUrl: THERE, person: '9' });
    world.api.put('3', { title: 'Better' });
    world.clock.advance(5 * MINUTE);
    await world.run({ baseUrl: THERE });
    expect(await world.news()).toEqual(['task.updated 3']);
  });

  it('gives new records higher versions than the forgotten ones, so that no event id repeats', async () => {
    const world = await agency();
    world.api.put('3', { title: 'Better' });
    await world.run();
    await forget(world);
    world.clock.advance(2 * HOUR);
    await world.run();
    const snapshot = await world.snapshots.get({ source: 'main', resource: 'task', id: '4' });
    expect(snapshot?.version).toBe(3);
  });

  it('is not forgotten while it is polled', async () => {
    const world = await agency();
    const lease = await world.ports.leases.acquire('poll/main', 'poller', world.clock.now(), 2 * MINUTE);
    expect(lease).toBeDefined();
    expect(await forget(world)).toBeUndefined();
    expect(await titles(world)).toHaveLength(30);
  });
});

describe('the address of an account', () => {
  it.each([
    ['https://Work.Example.com/api/', 'https://work.example.com/api'],
    ['https://work.example.com:443/api', 'https://work.example.com/api'],
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
  ])('%s is %s', (written, same) => expect(normalizeBaseUrl(written)).toBe(same));

  it('is shown with the person, as far as known', () => {
    expect(describeAccount({ baseUrl: HERE, person: '1', name: null })).toBe(`${HERE} (person 1)`);
    expect(describeAccount({ baseUrl: HERE, person: null, name: null })).toBe(HERE);
  });
});

it('a source without stored records takes any account', async () => {
  const world = await baselined(0);
  fill(world, 3);
  world.clock.advance(2 * HOUR);
  expect((await world.run({ baseUrl: THERE })).failed).toEqual([]);
});

describe('the mark of an account', () => {
  const markOf = async ({ snapshots }: World) => accountMark(await readAccount(snapshots, 'main'));

  it('stays with the account, whatever its address, its token and the name of its person', async () => {
    const world = await agency();
    const mark = await markOf(world);
    expect(mark).toBe(NOON);
    become(world, '2', 'Zoe', 'A');
    world.clock.advance(2 * HOUR);
    await world.run({ baseUrl: THERE });
    expect(await account(world)).toMatchObject({ baseUrl: THERE, person: '2' });
    expect(await markOf(world)).toBe(mark);
  });

  it('is another one after the records were forgotten, or a person confirmed another account', async () => {
    const world = await agency();
    const first = await markOf(world);
    const ports = { ...sqliteStores(world.db), snapshots: world.snapshots, clock: world.clock };
    await forgetSource({ ...ports, holder: 'forget' }, 'main');
    expect(await markOf(world)).toBeUndefined();
    await world.run();
    const second = await markOf(world);
    expect(second).not.toBe(first);
    world.clock.advance(2 * HOUR);
    await rememberAccount(
      ports,
      'main',
      { ...(await readAccount(world.snapshots, 'main')), isAdopted: true },
      undefined,
    );
    expect(await markOf(world)).toBeUndefined();
    await world.run();
    expect(await markOf(world)).not.toBe(second);
  });

  it('is another one if no stored record shows that the account is the same', async () => {
    const world = await agency(0);
    const mark = await markOf(world);
    world.api.me = { person: '9', role: 'Administrator', firstname: 'Zoe', lastname: 'Vogt' };
    world.clock.advance(2 * HOUR);
    await world.run();
    expect(await account(world)).toMatchObject({ person: '9' });
    expect(await markOf(world)).not.toBe(mark);
  });

  it('of data of an earlier version is empty, until it is another account', async () => {
    const world = await agency();
    const memory = await readAccount(world.snapshots, 'main');
    const { knownSince: _, ...earlier } = memory;
    await rememberAccount({ ...world.ports }, 'main', earlier, memory.account);
    expect(await markOf(world)).toBe('');
    world.clock.advance(2 * HOUR);
    await world.run();
    expect(await markOf(world)).toBe('');
  });
});
