/** The names of accounts are for those who may read them: others read none in the form of `connect`, and guesses reveal none. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../simulator/simulator.ts';
import { NOON } from '../../samples.ts';
import { connectPerson, storeTasks } from './linked-world.ts';
import { type SlackWorld, type SlackWorldOptions, startSlackWorld, textIn } from './slack-world.ts';

let account: Simulator;
let world: SlackWorld;
beforeAll(async () => {
  account = await startSimulator({ tasks: 20, quota: 1_000_000, now: NOON, speed: 0 });
});
afterAll(async () => account.stop());
beforeEach(() => start());
afterEach(async () => world.stop());

async function start({ names = ['northern', 'southern'], ...options }: Options = {}) {
  const sources = names.map((name) => ({ name, baseUrl: account.url, token: '${TOKEN}', timeZone: 'UTC' }));
  // It does not answer.
  const silent = { name: 'silent', baseUrl: 'http://127.0.0.1:9/', token: '${TOKEN}', timeZone: 'UTC' };
  world = await startSlackWorld({
    config: { sources: [...sources, ...(names.length > 1 ? [silent] : [])] },
    ...options,
  });
  world.slack.guests.add('UGUEST');
  await storeTasks(world, names[0] ?? '', account);
}

interface Options extends SlackWorldOptions {
  readonly names?: readonly string[];
}

const NAMES = /northern|southern|silent/;

async function formOf(user: string) {
  await world.type('connect', { user });
  return textIn(world.slack.callsOf('views.open').at(-1)?.view);
}

const connect = (user: string, typed: string, token = account.tokens.Administrator[0] ?? '') =>
  connectPerson(world, token, { user, typed });

const linkOf = (user: string) => world.embedded.documents.get('slack-link', `${user} northern`);

it.each([
  ['admins', 'UADMIN', ['task.*'], true],
  ['members', 'UANN', ['task.*'], true],
  ['members who may subscribe to nothing', 'UANN', [], false],
  ['guests', 'UGUEST', ['task.*'], false],
])('%s read them in the form or do not', async (_, user, offer, isShown) => {
  await world.stop();
  await start({ offer });
  expect(NAMES.test(await formOf(user))).toBe(isShown);
});

it('a guest reads nothing about accounts where there is only one', async () => {
  await world.stop();
  await start({ names: ['northern'] });
  const form = await formOf('UGUEST');
  expect(form).not.toMatch(NAMES);
  expect(form).not.toContain('Account');
});

it('a guest who knows the name links a token', async () => {
  expect(await connect('UGUEST', ' northern ')).toContain('Connected as');
  expect(await linkOf('UGUEST')).toBeDefined();
});

it('a guest who guesses reads the same for each name, and waits for none', async () => {
  const told: string[] = [];
  for (const name of ['southern', 'silent', 'eastern']) told.push(JSON.parse(await connect('UGUEST', name)).text);
  told.push(JSON.parse(await connect('UGUEST', 'northern', 'a-token-of-nobody')).text);
  expect(new Set(told).size).toBe(1);
  expect(told[0]).toContain('Tidings reads no account of this name, or');
  expect(told[0]).not.toMatch(NAMES);
  expect(world.errors).toEqual([]);
  expect(await linkOf('UGUEST')).toBeUndefined();
});
