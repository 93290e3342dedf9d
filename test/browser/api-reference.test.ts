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

  test.each([390, 1280])(
    'fits %d px with everything open, and loads nothing that its policy forbids',
    async (width) => {
      const { page, problems, close } = await openPage(browser, { colorScheme, viewport: { width, height: 800 } });
      await page.goto(url);
      await page.evaluate("document.querySelectorAll('details').forEach((one) => one.open = true)");
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      // The contents stand beside the text, or above it and no taller than half of a phone.
      const nav = await page.getByRole('navigation', { name: 'Contents' }).boundingBox();
      const main = await page.getByRole('main').boundingBox();
      expect(width === 390 ? (nav?.height ?? 800) < 400 : (main?.x ?? 0) >= (nav?.width ?? 1280)).toBe(true);
      expect((main?.width ?? 0) >= (width === 390 ? 358 : 700)).toBe(true);
      expect(problems).toEqual([]);
      await close();
    },
  );
});

test('every link within the page leads somewhere, and no id is there twice', async () => {
  const { page, close } = await openPage(browser);
  await page.goto(url);
  const ids = await page.evaluate<string[]>("[...document.querySelectorAll('[id]')].map((one) => one.id)");
  expect(new Set(ids).size).toBe(ids.length);
  const targets = await page.evaluate<string[]>(
    `[...document.querySelectorAll('a[href^="#"]')].map((one) => decodeURIComponent(one.hash.slice(1)))`,
  );
  expect(targets.length).toBeGreaterThan(100);
  expect(targets.filter((one) => !ids.includes(one))).toEqual([]);
  await page.getByRole('link', { name: 'Subscribe an endpoint' }).click();
  expect(new URL(page.url()).hash).toBe('#createSubscription');
  await page.locator('summary', { hasText: 'task.overdue' }).click();
  expect(await page.locator('details.webhook[open] pre').innerText()).toContain('"type": "task.overdue"');
  await close();
});
