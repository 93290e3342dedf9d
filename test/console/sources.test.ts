/** The page of sources in the console, on the simulator. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Simulator } from '../../simulator/simulator.ts';
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
