/** The reference page of the management API in a real browser. */

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiWorld, startApiWorld } from '../manage/api-world.ts';
import { findViolations, openBrowser, openPage } from './chromium.ts';

let world: ApiWorld;
let browser: Browser;
let server: Server;
let url: string;

beforeAll(async () => {
  world = await startApiWorld();
  browser = await openBrowser();
  server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/docs`;
});

afterAll(async () => {
  await browser?.close();
  server?.close();
  await world?.stop();
});

describe.each(['light', 'dark'] as const)('the reference in %s', (colorScheme) => {
  test('has no accessibility violations', async () => {
    const { page, close } = await openPage(browser, { colorScheme, bypassCSP: true });
    await page.goto(url);
    expect(await findViolations(page)).toEqual([]);
    await close();
  });

  test('fits a phone and loads nothing that its policy forbids', async () => {
    const { page, problems, close } = await openPage(browser, { colorScheme, viewport: { width: 390, height: 800 } });
    await page.goto(url);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(problems).toEqual([]);
    await close();
  });
});

test('a link from a request leads to its schema', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(url);
  const link = page.locator('a[href^="#"]').first();
  const target = await link.getAttribute('href');
  await link.click();
  expect(new URL(page.url()).hash).toBe(target);
  expect(await page.locator(`[id="${target?.slice(1)}"]`).count()).toBe(1);
  await close();
});
