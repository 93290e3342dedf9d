/** Subscriptions in a real browser: each page and action, with and without a script, two tabs, small screens, hostile texts. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventTypes } from '../../core/events/catalogue.ts';
import { exampleEvent } from '../../core/events/examples.ts';
import { NOON } from '../samples.ts';
import { findViolations } from './chromium.ts';
import { type ConsoleSite, fillAgency, startConsoleSite } from './console-site.ts';

let site: ConsoleSite;
beforeAll(async () => {
  site = await startConsoleSite();
  await fillAgency(site);
});
afterAll(() => site?.stop());

const PAGES = [
  '/subscriptions',
  '/subscriptions/billing',
  '/subscriptions/declared',
  '/subscriptions/new',
  '/subscriptions/new?channel=slack&query=task.overdue%20daily%2008:30',
  '/subscriptions/new?channel=email&query=invoice.paid',
  '/subscriptions/new?channel=http&mode=query',
  '/subscriptions/overdue-digest/edit',
  '/subscriptions/billing/replay?what=all&since=7d',
];

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('no page has accessibility violations', async () => {
    const { page, go, close } = await site.open({ colorScheme, bypassCSP: true });
    for (const path of PAGES) {
      await go(path);
      await page.evaluate("document.querySelectorAll('main details').forEach((one) => one.open = true)");
      expect([path, await findViolations(page)]).toEqual([path, []]);
    }
    await close();
  });

  test('every page fits a phone and a wall screen, and loads nothing that its policy forbids', async () => {
    for (const width of [390, 2560]) {
      const { page, go, problems, close } = await site.open({ colorScheme, viewport: { width, height: 900 } });
      for (const path of PAGES) {
        await go(path);
        await page.waitForLoadState('networkidle');
        const actual = await page.evaluate<number>('document.documentElement.scrollWidth');
        expect([path, actual <= width]).toEqual([path, true]);
      }
      expect(problems).toEqual([]);
      await close();
    }
  });
});

describe.each([true, false])('with a script: %s', (javaScriptEnabled) => {
  test('a person makes a subscription, corrects an error beside its field, and copies the secret', async () => {
    const name = `made-${javaScriptEnabled}`;
    const { page, go, problems, close } = await site.open({ javaScriptEnabled });
    await go('/subscriptions');
    await page.getByRole('link', { name: 'New subscription' }).click();
    await page.getByRole('link', { name: /^HTTP/ }).click();
    await page.getByRole('button', { name: 'Write it as a query instead' }).click();
    await page.getByLabel('Name of the subscription').fill(name);
    await page.getByLabel('URL', { exact: true }).fill(site.receiver.url);
    await page.getByRole('textbox', { name: 'Query' }).fill('task.overdu');
    await page.locator('button.main', { hasText: 'Make the subscription' }).click();
    const query = page.getByRole('textbox', { name: 'Query' });
    expect(await query.getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('#e-query').innerText()).toContain('did you mean task.overdue?');
    expect(await page.getByLabel('Name of the subscription').inputValue()).toBe(name);
    await query.fill('task.overdue');
    await page.locator('button.main', { hasText: 'Make the subscription' }).click();
    expect(await page.locator('#secret').innerText()).toMatch(/^whsec_/);
    await page.getByRole('link', { name: 'I have copied it' }).click();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(name);
    expect(await page.locator('main').innerText()).not.toContain('whsec_');
    expect(problems.filter((one) => !one.includes('422'))).toEqual([]);
    await close();
  });

  test('a person pauses, resumes, edits, rotates and deletes one', async () => {
    const name = `made-${javaScriptEnabled}`;
    const { page, go, close } = await site.open({ javaScriptEnabled });
    await go(`/subscriptions/${name}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    expect(await page.locator('.notice').innerText()).toContain('Paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    expect(await page.locator('.notice').innerText()).toContain('Resumed');
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Write it as a query instead' }).click();
    await page.getByRole('textbox', { name: 'Query' }).fill('invoice.paid total>=500');
    await page.locator('button.main', { hasText: 'Save' }).click();
    expect(await page.locator('.lead').innerText()).toContain('its total is at least 500');
    await page.getByText('Replace the signing secret…').click();
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    expect(await page.locator('#secret').innerText()).toMatch(/^whsec_/);
    // Reloading sends the form again, which the stale tag refuses.
    await page.reload();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Changed by someone else');
    await go(`/subscriptions/${name}`);
    await page.getByText('Delete this subscription…').click();
    await page.getByRole('button', { name: `Delete ${name}` }).click();
    expect(await page.locator('.notice').innerText()).toContain('was deleted');
    await page.goBack();
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Nothing here');
    await close();
  });

  test('a preview counts the last days and shows the message', async () => {
    const { page, go, close } = await site.open({ javaScriptEnabled });
    await go('/subscriptions/new?channel=teams&mode=query');
    await page.getByRole('textbox', { name: 'Query' }).fill('task.*');
    // With a script it appears while the person types.
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Check and preview' }).click();
    const preview = page.locator('#preview');
    await preview.getByText('3 events').waitFor();
    expect(await preview.locator('.chat-card').innerText()).toContain('Proofread the newsletter');
    expect(await page.getByRole('textbox', { name: 'Query' }).inputValue()).toBe('task.*');
    await close();
  });

  test('a long replay shows its progress without being pushed, and can be reloaded', async () => {
    const { page, go, close } = await site.open({ javaScriptEnabled });
    await go('/subscriptions/billing/replay');
    await page.getByLabel(/Everything that matches/).check();
    await page.getByLabel('Since', { exact: true }).selectOption('7d');
    await page.getByRole('button', { name: 'Count' }).click();
    await page.getByRole('button', { name: /^Send \d+ events again$/ }).click();
    await page.waitForURL(/\/replay\/progress\?/);
    await page.reload();
    await page.getByRole('status').first().waitFor();
    await site.pump();
    await page.getByText('All of them are done.').waitFor();
    await close();
  });
});

test('the mail of a preview is shown as it looks, and nothing in it runs', async () => {
  const { page, go, problems, close } = await site.open();
  await go('/subscriptions/new?channel=email&query=invoice.paid');
  const frame = page.frameLocator('iframe[title="The mail"]');
  const headline = frame.locator('h1.headline');
  expect(await headline.innerText()).toContain('has been paid in full');
  // Its own styles apply, although the policy of the page allows none.
  const mail = page.frames().find((one) => one.url().includes('/preview/mail'));
  const size = await mail?.evaluate<string>("getComputedStyle(document.querySelector('h1.headline')).fontSize");
  expect(size).toBe('19px');
  expect(problems).toEqual([]);
  await close();
});

test('two tabs: the second one to save sees what the first one changed, and its own input', async () => {
  const { page, go, close } = await site.open();
  await go('/subscriptions/finance-mail/edit');
  const other = await page.context().newPage();
  await other.goto(page.url());
  for (const one of [page, other]) await one.getByRole('button', { name: 'Write it as a query instead' }).click();
  await other.getByRole('textbox', { name: 'Query' }).fill('invoice.created');
  await other.locator('button.main', { hasText: 'Save' }).click();
  await page.getByRole('textbox', { name: 'Query' }).fill('invoice.overdue');
  await page.locator('button.main', { hasText: 'Save' }).click();
  const alert = page.getByRole('alert');
  expect(await alert.innerText()).toContain('Changed by someone else');
  expect(await alert.innerText()).toContain('When an invoice was created');
  expect(await page.evaluate<string>('document.activeElement.getAttribute("role")')).toBe('alert');
  expect(await page.getByRole('textbox', { name: 'Query' }).inputValue()).toBe('invoice.overdue');
  await page.locator('button.main', { hasText: 'Save' }).click();
  expect(await page.locator('.lead').innerText()).toContain('an invoice is overdue');
  await close();
});

test('Enter in a field saves, and does not switch to the form', async () => {
  const { page, go, close } = await site.open();
  await go('/subscriptions/new?channel=http&mode=query');
  await page.getByLabel('URL', { exact: true }).fill(site.receiver.url);
  await page.getByRole('textbox', { name: 'Query' }).fill('task.closed');
  await page.getByLabel('Name of the subscription').fill('by-enter');
  await page.getByLabel('Name of the subscription').press('Enter');
  expect(await page.locator('#secret').innerText()).toMatch(/^whsec_/);
  await close();
});

test('a test message ends at its delivery, with the response of the receiver', async () => {
  const { page, go, close } = await site.open();
  await go('/subscriptions/billing');
  const pumping = setInterval(() => void site.pump().catch(() => {}), 100);
  try {
    await page.getByRole('button', { name: 'Send a test message' }).click();
    await page.getByText('The receiver accepted the test message.').waitFor();
  } finally {
    clearInterval(pumping);
  }
  expect(await page.locator('.attempt').innerText()).toContain('200');
  await close();
});

test('the export downloads a file of YAML', async () => {
  const { page, go, close } = await site.open();
  await go('/subscriptions');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as YAML' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('subscriptions.yaml');
  await close();
});

test('hostile titles and templates run nothing and keep the layout', async () => {
  const title = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202Eevil ${'W'.repeat(10_000)} 🙂`;
  const type = eventTypes.find((one) => one.type === 'task.closed');
  const example = type === undefined ? undefined : exampleEvent(type);
  if (example === undefined) throw new Error('no example');
  await site.record({
    ...example,
    id: 'evt_hostile',
    time: NOON,
    data: {
      ...example.data,
      record: { ...example.data.record, title, project: '<b>javascript:alert(1)</b>', client: title },
    },
  });
  const { page, go, problems, close } = await site.open({ viewport: { width: 390, height: 800 } });
  for (const channel of ['slack', 'email', 'http', 'discord']) {
    await go(`/subscriptions/new?channel=${channel}&query=task.closed`);
    await page.waitForLoadState('networkidle');
    expect(await page.title()).not.toContain('owned');
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  }
  expect(problems).toEqual([]);
  await close();
});

test('a read-only person sees all pages and no button that changes anything', async () => {
  const { page, go, close } = await site.open({ scope: 'read' });
  for (const path of ['/subscriptions', '/subscriptions/billing', '/subscriptions/declared']) {
    await go(path);
    expect(await page.locator('main form').count()).toBe(0);
    expect(await page.getByRole('link', { name: /New subscription|Edit|Send again/ }).count()).toBe(0);
  }
  await close();
});
