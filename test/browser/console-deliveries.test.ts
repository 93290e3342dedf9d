/** Deliveries, the audit trail and keys in a real browser. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR } from '../../core/model/time.ts';
import { findViolations } from './chromium.ts';
import { type ConsoleSite, fillAgency, startConsoleSite } from './console-site.ts';

let site: ConsoleSite;
let failed = '';
beforeAll(async () => {
  site = await startConsoleSite();
  await fillAgency(site);
  // Until the deliveries to the receiver that fails are given up.
  site.receiver.status = 500;
  for (let hour = 0; hour < 150; hour += 1) {
    site.advance(HOUR);
    await site.pump();
  }
  site.receiver.status = 200;
  failed = (await site.api.deliveries.list({ status: 'failed', limit: 1 }))[0]?.id ?? '';
});
afterAll(() => site?.stop());

const pages = () => ['/deliveries', `/deliveries/${failed}`, '/deliveries?status=held', '/audit', '/keys'];

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('no page has accessibility violations', async () => {
    const { page, go, close } = await site.open({ colorScheme, bypassCSP: true });
    for (const path of pages()) {
      await go(path);
      await page.evaluate("document.querySelectorAll('main details').forEach((one) => one.open = true)");
      expect([path, await findViolations(page)]).toEqual([path, []]);
    }
    await close();
  });

  test('every page fits a phone and a wall screen', async () => {
    for (const width of [390, 2560]) {
      const { page, go, problems, close } = await site.open({ colorScheme, viewport: { width, height: 900 } });
      for (const path of pages()) {
        await go(path);
        const actual = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect([path, actual <= width]).toEqual([path, true]);
      }
      expect(problems).toEqual([]);
      await close();
    }
  });
});

test('filters are in the address, and back and forward restore them', async () => {
  const { page, go, close } = await site.open();
  await go('/deliveries');
  expect(await page.locator('main h2').first().innerText()).toBe('Failed');
  await page.getByLabel('State').selectOption('settled');
  await page.waitForURL(/status=settled/);
  await page.getByLabel('Subscription').selectOption('billing');
  await page.waitForURL(/subscription=billing/);
  expect(await page.locator('.row.delivery').count()).toBe(2);
  await page.goBack();
  await page.goBack();
  await page.waitForURL(/\/deliveries$/);
  expect(await page.locator('main h2').first().innerText()).toBe('Failed');
  await page.goForward();
  await page.waitForURL(/status=settled/);
  expect(await page.getByLabel('State').inputValue()).toBe('settled');
  await close();
});

test('the keyboard moves along the rows and opens one', async () => {
  const { page, go, close } = await site.open();
  await go('/deliveries');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  const first = await page.locator('.row.delivery').first().getAttribute('href');
  expect(await page.evaluate<string>('document.activeElement.getAttribute("href")')).toBe(first);
  await page.keyboard.press('o');
  await page.waitForURL(`**${first}`);
  await close();
});

test('a person without a script finds the failed delivery, sees why, and retries it', async () => {
  const { page, go, close } = await site.open({ javaScriptEnabled: false });
  await go('/deliveries?status=failed');
  await page.locator('.row.delivery').first().click();
  expect(await page.locator('.attempt').first().innerText()).toContain('500');
  await page.getByText('Response body').first().click();
  expect(await page.locator('.attempt pre').first().innerText()).toBe('seen');
  await page.getByRole('button', { name: 'Retry now' }).click();
  expect(await page.locator('.notice').innerText()).toContain('1 delivery is being tried again.');
  await site.pump();
  await page.reload();
  expect(await page.locator('.heading').innerText()).toContain('delivered');
  await close();
});

test('a person selects all, sees the number, and retries them', async () => {
  const { page, go, close } = await site.open();
  await go('/deliveries?status=failed');
  const count = await page.locator('.row.delivery').count();
  expect(count).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Select all on this page' }).click();
  await page.getByRole('button', { name: 'Retry selected…' }).click();
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(`Retry ${count} deliveries?`);
  await page.getByRole('button', { name: `Retry ${count} deliveries` }).click();
  expect(await page.locator('.notice').innerText()).toContain(`${count} deliveries are being tried again.`);
  await site.pump();
  await page.getByLabel('State').selectOption('failed');
  await page.getByText('No failed deliveries').waitFor();
  await close();
});

test('a key is made, its token shown once, and removed; the audit trail names all of it', async () => {
  const { page, go, problems, close } = await site.open();
  await go('/keys');
  await page.getByLabel('Name').fill('billing program');
  await page.getByRole('checkbox', { name: /subscribe/ }).check();
  await page.getByRole('button', { name: 'Make the key' }).click();
  const token = await page.locator('#secret').innerText();
  expect(token.length).toBeGreaterThan(40);
  await page.getByRole('link', { name: 'I have copied it' }).click();
  expect(await page.locator('main').innerText()).not.toContain(token);
  await page.getByText('Remove…').last().click();
  await page.getByRole('button', { name: 'Remove this key' }).click();
  expect(await page.locator('.notice').innerText()).toContain('The key was removed.');
  await page.getByRole('link', { name: 'Audit' }).click();
  const text = await page.locator('main').innerText();
  for (const words of ['removed key', 'made key', 'logged in']) expect(text).toContain(words);
  expect(problems).toEqual([]);
  await close();
});

test('a read-only person sees all pages and no button that changes anything', async () => {
  const { page, go, close } = await site.open({ scope: 'read' });
  for (const path of pages()) {
    await go(path);
    expect([path, await page.locator('main form[method=post]').count()]).toEqual([path, 0]);
    expect(await page.getByRole('checkbox').count()).toBe(0);
  }
  await close();
});

test('a page prints without its controls', async () => {
  const { page, go, close } = await site.open();
  await go(`/deliveries/${failed}`);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('header.top').isVisible()).toBe(false);
  expect(await page.locator('.attempt').first().isVisible()).toBe(true);
  await close();
});
