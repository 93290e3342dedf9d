/**
 * Takes the pictures of the app in docs/slack.md: a visitor of the simulated Slack uses the real app.
 * Run it with `node --import ./bin/node-version.mjs test/pictures/slack-app.ts`; it needs Chromium, at CHROMIUM or
 * /usr/bin/chromium.
 */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { openBrowser, openPage } from '../browser/chromium.ts';
import { startSlackService } from '../browser/slack-service.ts';

// The page shows times in the zone of the machine.
process.env.TZ = 'Europe/Berlin';

const images = join(import.meta.dirname, '../../docs/images');
const { simulator, slack, me, stop } = await startSlackService();
const browser = await openBrowser();
const { page } = await openPage(browser, { viewport: { width: 1000, height: 640 }, deviceScaleFactor: 2 });
page.setDefaultTimeout(60_000);
const open = simulator.account
  .list('task', { excludeclosed: 't' })
  .filter(({ title }) => /^[\w ]+$/.test(String(title)));
const move = (index: number, day: string) =>
  simulator.account.update('task', String(open[index]?.id), { datedue: day }, { by: me.personid });

/** Up to the bottom of an element, with some room. */
async function take(name: string, last: ReturnType<Page['locator']>): Promise<void> {
  const box = await last.boundingBox();
  const height = Math.min(640, Math.ceil((box?.y ?? 0) + (box?.height ?? 0) + 16));
  await page.screenshot({ path: join(images, `${name}.png`), clip: { x: 0, y: 0, width: 1000, height } });
}

const type = async (text: string) => {
  await page.getByLabel('Message #team').fill(text);
  await page.keyboard.press('Enter');
};

/** Tasks of the visitor for the Home tab. */
for (const [index, days] of [-3, 1].entries()) {
  const datedue = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  simulator.account.update('task', String(open[index + 4]?.id), { assigneeid: me.personid, datedue });
}

/** Some past for the preview. */
for (const [index, day] of ['2026-12-01', '2026-12-02', '2026-12-03'].entries()) {
  move(index, day);
  await page.waitForTimeout(1500);
}

await page.goto(`${slack.url}/?channel=team`);
await type('/tidings');
await page.getByRole('dialog').waitFor();
await page.getByLabel('task.due_date_changed').check();
await page.screenshot({ path: join(images, 'slack-app-form.png') });
await page.getByRole('button', { name: 'Cancel' }).click();
await page.getByRole('dialog').waitFor({ state: 'detached' });

await type('/tidings subscribe task.due_date_changed task.closed');
await page.getByRole('button', { name: 'Subscribe', exact: true }).waitFor();
await take('slack-app-preview', page.locator('article').first());
await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
await page.getByText('subscribed this channel to').waitFor();

move(3, '2026-12-04');
await page.getByRole('button', { name: 'Snooze until tomorrow' }).waitFor();
await type('/tidings connect');
await page.getByLabel('from your profile in the account').fill(me.token);
await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click();
await page.getByText('Connected as').waitFor();
await page.getByRole('button', { name: 'Snooze until tomorrow' }).click();
await page.getByText('snoozed this in this channel').waitFor();
await page.mouse.move(0, 0);
await take('slack-app-buttons', page.locator('main > section > article').first());

await page.getByRole('button', { name: 'Tidings' }).click();
await page.getByText('My subscriptions').waitFor();
await take('slack-app-home', page.locator('.home'));

await browser.close();
await stop();
