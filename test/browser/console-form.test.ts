/** The form of a subscription in a real browser, by clicks: what someone new does, at a desk and on a phone, with and without a script. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillRecords } from './agency-records.ts';
import { findViolations } from './chromium.ts';
import { type ConsoleSite, fillAgency, startConsoleSite } from './console-site.ts';
import { takePicture } from './picture.ts';

let site: ConsoleSite;
beforeAll(async () => {
  site = await startConsoleSite();
  await fillAgency(site);
  await fillRecords(site);
});
afterAll(() => site?.stop());

const read = async (name: string) => (await site.ask('GET', `/subscriptions/${name}`)).body;

/** Without a script, a button sends the form and the page comes back. */
async function press(page: Page, name: string | RegExp, hasScript: boolean): Promise<void> {
  const button = page.getByRole('button', { name });
  if (hasScript) await button.click();
  else await Promise.all([page.waitForNavigation(), button.click()]);
}

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
] as const;

describe.each(SIZES)('at $width px', (viewport) => {
  describe.each([true, false])('with a script: %s', (javaScriptEnabled) => {
    test('someone new makes a conditional digest for the people concerned, by clicks alone', async () => {
      const name = `walk-${viewport.width}-${javaScriptEnabled}`;
      const { page, go, problems, close } = await site.open({ javaScriptEnabled, viewport });
      await go('/subscriptions');
      await page.getByRole('link', { name: 'New subscription' }).click();
      await page.getByRole('link', { name: /^Mail/ }).click();
      await page.getByLabel('Who gets the mail').selectOption('The people assigned to it');
      expect(await page.getByLabel('Addresses').isVisible()).toBe(false);

      await page.getByRole('searchbox', { name: 'Find' }).fill('overdue task');
      if (!javaScriptEnabled) await press(page, 'Search', false);
      await page.getByRole('checkbox', { name: /^A task is overdue/ }).check();
      expect(await page.getByRole('checkbox', { name: /^A task was created/ }).isVisible()).toBe(false);

      await page.getByLabel(/^Only if/).selectOption('Project');
      await press(page, 'Add a condition', javaScriptEnabled);
      const value = page.getByLabel('Project: value');
      await value.waitFor();
      expect(await page.evaluate("[...document.querySelectorAll('datalist option')].map((one) => one.value)")).toEqual([
        'Annual report',
        'Product film',
        'Website relaunch',
      ]);
      await value.fill('Website relaunch');

      await page.getByRole('radio', { name: /^One message a day/ }).check();
      await page.getByLabel('Time', { exact: true }).fill('09:15');
      // A time without its zone would be a guess.
      expect(await page.locator('.timing').innerText()).toContain('In UTC.');
      const input = await value.evaluate((one) => one.scrollWidth <= one.clientWidth);
      expect(input).toBe(true);
      if (javaScriptEnabled) {
        const words = page.locator('#preview').getByText('one message from Monday to Friday at 09:15');
        await words.waitFor();
        expect(await page.locator('#preview code.query').innerText()).toBe(
          'task.overdue project:"Website relaunch" daily 09:15 mon-fri',
        );
      }
      expect(await page.locator('.wrong, [role=alert]').count()).toBe(0);
      if (viewport.width === 1280 && javaScriptEnabled)
        await takePicture(page, 'console-new-subscription', { isWhole: true });
      await page.getByLabel('Name of the subscription').fill(name);
      await page.locator('button.main', { hasText: 'Make the subscription' }).click();
      await page.locator('.notice').waitFor();

      expect(await read(name)).toMatchObject({
        events: ['task.overdue'],
        where: { data: { record: { project: [{ 'equals-ignore-case': 'Website relaunch' }] } } },
        to: { email: { to: 'assignees' } },
        digest: { at: '09:15', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
      });
      expect(problems).toEqual([]);
      await close();
    });

    test('a person edits it: other values, another day, quiet hours, and removes a condition', async () => {
      const name = `walk-${viewport.width}-${javaScriptEnabled}`;
      const { page, go, close } = await site.open({ javaScriptEnabled, viewport });
      await go(`/subscriptions/${name}/edit`);
      expect(await page.locator('.wrong, [role=alert]').count()).toBe(0);
      expect(await page.getByLabel('Project: value').inputValue()).toBe('Website relaunch');
      await page.getByLabel(/^And only if/).selectOption('Project');
      await press(page, 'Add a condition', javaScriptEnabled);
      const second = page.getByLabel('Project: value').nth(1);
      await second.waitFor();
      expect(await page.locator('.joiner').allInnerTexts()).toEqual(['Only if', 'or']);
      await second.fill('Product film');
      await page.getByLabel(/^And only if/).selectOption('Assigned to');
      await press(page, 'Add a condition', javaScriptEnabled);
      await page.getByLabel('Assigned to: value').waitFor();
      await page.getByLabel('Assigned to: how to compare').selectOption('is empty');
      expect(await page.getByLabel('Assigned to: value').isVisible()).toBe(false);
      await page.getByRole('checkbox', { name: 'Quiet hours' }).check();
      await page.getByLabel('From', { exact: true }).fill('19:00');
      await page.getByRole('group', { name: 'Quiet days' }).getByLabel('Sun').check();
      await page.locator('button.main', { hasText: 'Save' }).click();
      await page.locator('.notice').waitFor();
      expect(await read(name)).toMatchObject({
        where: {
          data: {
            record: {
              project: [{ 'equals-ignore-case': 'Website relaunch' }, { 'equals-ignore-case': 'Product film' }],
              assignees: [null, { exists: false }],
            },
          },
        },
        quiet: { from: '19:00', until: '08:00', days: ['sun'] },
      });
      await go(`/subscriptions/${name}/edit`);
      const removed = page.getByRole('button', { name: 'Remove the condition Project' }).first();
      if (javaScriptEnabled) await removed.click();
      else await Promise.all([page.waitForNavigation(), removed.click()]);
      await expect.poll(() => page.locator('.condition').count()).toBe(2);
      await page.locator('button.main', { hasText: 'Save' }).click();
      await page.locator('.notice').waitFor();
      expect((await read(name)).where.data.record.project).toEqual([{ 'equals-ignore-case': 'Product film' }]);
      await close();
    });

    test('a form that is sent too early says in plain words what is missing, and keeps the rest', async () => {
      const { page, go, close } = await site.open({ javaScriptEnabled, viewport });
      for (const channel of ['email', 'slack', 'http', 'mattermost', 'pagerduty']) {
        await go(`/subscriptions/new?channel=${channel}`);
        expect(await page.locator('.wrong, [role=alert]').count()).toBe(0);
        await page.locator('button.main', { hasText: 'Make the subscription' }).click();
        await page.getByRole('alert').waitFor();
        const alert = await page.getByRole('alert').innerText();
        expect(alert).toContain('this is missing');
        expect(alert).toContain('Choose at least one kind of event');
        expect(alert).not.toMatch(/[Rr]equired|got |unless|expected|Expected|list of|undefined/);
      }
      await close();
    });
  });

  test('the form has no accessibility violations, with rows, a pattern, a query, and errors', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, go, close } = await site.open({ colorScheme, viewport, bypassCSP: true });
      const open = () => page.evaluate("document.querySelectorAll('main details').forEach((one) => one.open = true)");
      for (const path of [
        '/subscriptions/new?channel=email&query=task.overdue%20project:x%20daily%2008:30%20quiet%20sun',
        '/subscriptions/new?channel=slack&mode=query',
        '/subscriptions/new?channel=http',
      ]) {
        await go(path);
        await open();
        expect([path, await findViolations(page)]).toEqual([path, []]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      }
      await page.getByRole('button', { name: 'Write it as JSON' }).click();
      await page.getByLabel('Conditions as JSON').fill('{ not json');
      await page.locator('button.main', { hasText: 'Make the subscription' }).click();
      await page.getByRole('alert').waitFor();
      await open();
      expect(await findViolations(page)).toEqual([]);
      await close();
    }
  });
});

test('Enter in the search searches, with and without a script, and saves nothing', async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, go, close } = await site.open({ javaScriptEnabled });
    await go('/subscriptions/new?channel=http');
    await page.getByLabel('URL', { exact: true }).fill(site.receiver.url);
    await page.getByRole('checkbox', { name: /^A task was created/ }).check();
    await page.getByRole('searchbox', { name: 'Find' }).fill('paid');
    await page.getByRole('searchbox', { name: 'Find' }).press('Enter');
    await page.getByRole('checkbox', { name: /^An invoice is fully paid/ }).waitFor();
    expect(await page.locator('#secret').count()).toBe(0);
    // What was chosen stays in sight.
    expect(await page.getByRole('checkbox', { name: /^A task was created/ }).isChecked()).toBe(true);
    await page.locator('button.main', { hasText: 'Make the subscription' }).click();
    expect(await page.locator('#secret').innerText()).toMatch(/^whsec_/);
    await close();
  }
});
