/**
 * Takes the pictures of docs/mail.md: real mails, sent over SMTP to the simulated mailbox and shown by it.
 * Run it with `node test/pictures/mail.ts`; it needs Chromium, at CHROMIUM or /usr/bin/chromium.
 */

import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { emailChannels } from '../../adapters/channels/email/channel.ts';
import { smtpTransport } from '../../adapters/channels/email/smtp.ts';
import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { startMailbox } from '../../simulator/mailbox/mailbox.ts';
import { digest, invoicePaid, LINKS, overdue, storm } from './sample-messages.ts';

const IMAGES = join(import.meta.dirname, '../../docs/images');
const secrets = localSecrets({ environment: {}, directory: '' });

interface Shot {
  readonly file: string;
  readonly mail: number;
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

async function photograph(browser: Browser, url: string, { file, mail, width, scheme }: Shot): Promise<void> {
  const page = await browser.newPage({ viewport: { width, height: 320 }, colorScheme: scheme });
  await page.goto(`${url}/mails/${mail}/html`);
  await page.screenshot({ path: join(IMAGES, `mail-${file}.png`), fullPage: true });
  await page.close();
}

const mailbox = await startMailbox();
const channels = emailChannels({
  mail: { from: 'Tidings <tidings@example.com>' },
  transport: smtpTransport({ url: mailbox.smtpUrl, secrets }),
  links: LINKS,
  unsubscribe: { url: 'https://tidings.example.com', secret: 'a secret of sixteen characters' },
  secrets,
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  for (const message of [overdue, invoicePaid, digest, storm]) {
    await channels.channelFor({ to: ['ann@example.com'] }).send(message);
  }
  const shots: readonly Shot[] = [
    { file: 'overdue', mail: 1, width: 640, scheme: 'light' },
    { file: 'overdue-narrow-dark', mail: 1, width: 320, scheme: 'dark' },
    { file: 'paid-narrow', mail: 2, width: 320, scheme: 'light' },
    { file: 'digest-dark', mail: 3, width: 640, scheme: 'dark' },
    { file: 'digest-narrow', mail: 3, width: 320, scheme: 'light' },
    { file: 'storm', mail: 4, width: 640, scheme: 'light' },
  ];
  for (const shot of shots) await photograph(browser, mailbox.url, shot);
  const page = await browser.newPage({ viewport: { width: 1100, height: 640 }, colorScheme: 'light' });
  await page.goto(`${mailbox.url}/?mail=1`);
  await page.screenshot({ path: join(IMAGES, 'mail-mailbox.png') });
} finally {
  await browser.close();
  await channels.close();
  await mailbox.close();
}
