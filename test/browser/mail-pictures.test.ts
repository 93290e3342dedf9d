/** The pictures of docs/mail.md: real mails, sent over SMTP to the simulated mailbox and shown by it. */

import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { emailChannels } from '../../adapters/channels/email/channel.ts';
import { smtpTransport } from '../../adapters/channels/email/smtp.ts';
import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { digest, invoicePaid, LINKS, overdue, storm } from '../pictures/sample-messages.ts';
import { openBrowser, openPage } from './chromium.ts';
import { takePicture } from './picture.ts';

const secrets = localSecrets({ environment: {}, directory: '' });

interface Shot {
  readonly file: string;
  readonly mail: number;
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

async function photograph(browser: Browser, url: string, { file, mail, width, scheme }: Shot): Promise<void> {
  const { page, close } = await openPage(browser, { viewport: { width, height: 320 }, colorScheme: scheme });
  await page.goto(`${url}/mails/${mail}/html`);
  // Nothing is cut at the side.
  expect([file, await page.evaluate<number>('document.documentElement.scrollWidth')]).toEqual([file, width]);
  await takePicture(page, file, { isWhole: true });
  await close();
}

test('mails as their readers see them, wide, narrow, in light and dark', async () => {
  const mailbox = await startMailbox();
  const channels = emailChannels({
    mail: { from: 'Tidings <tidings@example.com>' },
    transport: smtpTransport({ url: mailbox.smtpUrl, secrets }),
    links: LINKS,
    unsubscribe: { url: 'https://tidings.example.com', secret: 'a secret of sixteen characters' },
    secrets,
  });
  const browser = await openBrowser();
  try {
    for (const message of [overdue, invoicePaid, digest, storm]) {
      await channels.channelFor({ to: ['ann@example.com'] }).send(message);
    }
    const shots: readonly Shot[] = [
      { file: 'mail-overdue', mail: 1, width: 640, scheme: 'light' },
      { file: 'mail-overdue-narrow-dark', mail: 1, width: 320, scheme: 'dark' },
      { file: 'mail-paid-narrow', mail: 2, width: 320, scheme: 'light' },
      { file: 'mail-digest-dark', mail: 3, width: 640, scheme: 'dark' },
      { file: 'mail-digest-narrow', mail: 3, width: 320, scheme: 'light' },
      { file: 'mail-storm', mail: 4, width: 640, scheme: 'light' },
    ];
    for (const shot of shots) await photograph(browser, mailbox.url, shot);
    const { page } = await openPage(browser, { viewport: { width: 1100, height: 640 } });
    await page.goto(`${mailbox.url}/?mail=1`);
    await takePicture(page, 'mail-mailbox');
  } finally {
    await browser.close();
    await channels.close();
    await mailbox.close();
  }
});
