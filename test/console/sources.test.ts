/** The page of sources in the console, on the simulator. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { packSource } from '../../runtime/config/packed.ts';
import { validateSource } from '../../runtime/config/validate-source.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { storedSource } from '../contract/source-store.ts';
import { event, NOON } from '../samples.ts';
import { startStill } from '../simulator/api-client.ts';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let simulator: Simulator;
let browser: Awaited<ReturnType<ConsoleWorld['logInAs']>>;
beforeAll(async () => {
  simulator = await startStill({ tasks: 10 });
  world = await startConsoleWorld();
  browser = await world.logInAs();
});
afterAll(async () => {
  await world.stop();
  await simulator.stop();
});

const NETWORK = { allowHttp: true, allow: ['127.0.0.0/8'] };

const csrfOf = (text: string) => /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? '';

it('checks and adds a source, shows what is wrong beside its field, and removes it', async () => {
  const { text } = await browser.get('/console/sources');
  expect(text).toContain('<bdi>main</bdi>');
  const csrf = csrfOf(text);
  const wrong = { csrf, name: 'north', baseUrl: simulator.url, token: 'wrong-token', timeZone: 'Mars/Base' };
  const refused = await browser.post('/console/sources', wrong);
  expect(refused.status).toBe(409);
  expect(refused.text).toMatch(/id="e-timeZone"/);
  expect(refused.text).not.toContain('wrong-token');
  const right = { csrf, name: 'north', baseUrl: simulator.url, token: simulator.tokens.Administrator[0] ?? '' };
  const added = await browser.post('/console/sources', right);
  expect(added.location).toBe('/console/sources?done=source-added');
  expect((await browser.get('/console/sources')).text).toContain('<bdi>north</bdi>');
  const page = await browser.get('/console/sources/north');
  expect(page.text).toContain(`value="${simulator.url}"`);
  const zone = { csrf, baseUrl: simulator.url, token: '', timeZone: 'Mars/Base' };
  expect((await browser.post('/console/sources/north', zone)).text).toMatch(/id="e-timeZone"/);
  const changed = await browser.post('/console/sources/north', { ...zone, timeZone: 'Asia/Tokyo' });
  expect(changed.location).toBe('/console/sources?done=saved');
  expect((await browser.get('/console/sources/north')).text).toContain('value="Asia/Tokyo"');
  const removed = await browser.post('/console/sources/north/remove', { csrf });
  expect(removed.location).toBe('/console/sources?done=source-removed');
  expect((await browser.get('/console/sources')).text).not.toContain('<bdi>north</bdi>');
});

it('shows a source that is not polled with the reason, and lets people remove it', async () => {
  await world.embedded.storedSources.add(storedSource('main'));
  const { text } = await browser.get('/console/sources');
  expect(text).toMatch(/not polled[\s\S]*the config declares a source of this name/);
  const removed = await browser.post('/console/sources/main/remove', { csrf: csrfOf(text) });
  expect(removed.location).toBe('/console/sources?done=source-removed');
  expect((await browser.get('/console/sources')).text).not.toContain('not polled');
});

it('stays readable with 100 sources: a filter, a page for each, and a summary on the first page', async () => {
  const settings = { baseUrl: simulator.url, token: 'given', timeZone: 'UTC', resources: { task: { every: '5m' } } };
  const names = Array.from({ length: 100 }, (_, index) => `account-${index}`);
  for (const name of names) {
    const validated = validateSource({ name, ...settings }, { mode: 'embedded', network: NETWORK, environment: {} });
    if (!('source' in validated)) throw new Error(JSON.stringify(validated.problems));
    const packed = JSON.parse(JSON.stringify(packSource(validated.source)));
    await world.embedded.storedSources.add(storedSource(name, { settings: { name, ...settings }, packed }));
  }
  const all = await browser.get('/console/sources');
  expect(all.text.match(/<bdi>account-/g)).toHaveLength(100);
  const some = await browser.get('/console/sources?text=Account-42');
  expect(some.text.match(/<bdi>account-\d+/g)).toEqual(['<bdi>account-42']);
  const attention = await browser.get('/console/sources?state=attention');
  expect(attention.text).toContain('No source matches the filter');
  const one = await browser.get('/console/sources/account-42');
  expect(one.text).toMatch(/Scan now[\s\S]*<th scope="row">task/);
  expect((await browser.get('/console/sources/main')).text).toContain('Scan now');
  const now = await browser.get('/console');
  expect(now.text).toMatch(/101 sources[\s\S]*101 first scan soon/);
  expect(now.text.match(/class="scans"/g)).toBeNull();
  for (const name of names) await world.embedded.storedSources.remove(name, 1);
});

it('shows the times of a source in its zone, those of one without a known zone in that of the first, and says so', async () => {
  const source = (name: string, timeZone?: string) => ({
    ...{ name, baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}' },
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  const config = (...sources: readonly unknown[]) => ({ source: undefined, sources });
  const events = ['unread', 'tokyo'].map((name) => event(`of-${name}`, { source: `/sources/${name}`, time: NOON }));
  const pageOf = async (...sources: readonly unknown[]) => {
    const several = await startConsoleWorld({ config: config(...sources) });
    for (const one of events) await several.embedded.events.record([{ event: one, deliveries: [] }]);
    const { text } = await (await several.logInAs()).get('/console/events');
    await several.stop();
    return text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  };
  const both = await pageOf(source('unread'), source('berlin', 'Europe/Berlin'), source('tokyo', 'Asia/Tokyo'));
  expect(both).toContain('Times of a source are in its zone, others in Europe/Berlin');
  expect(both).toMatch(/13:00:00.*21:00:00|21:00:00.*13:00:00/);
  const one = await pageOf(source('unread'), source('berlin', 'Europe/Berlin'));
  expect(one).toContain('Times are in Europe/Berlin');
  expect(one).not.toContain('12:00:00');
});
