/** What one subscription to mail may cost others: connections to the mail server, and time of the process. */

import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmailChannels, emailChannels } from '../../../../adapters/channels/email/channel.ts';
import { smtpTransport } from '../../../../adapters/channels/email/smtp.ts';
import type { MailTransport } from '../../../../adapters/channels/email/transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import { cpuMillis } from '../../../cpu-time.ts';
import { digest, LINKS, overdue } from '../../../pictures/sample-messages.ts';

const secrets = localSecrets({ environment: {}, directory: '' });
const mail = { from: 'tidings@example.com' };

async function measure(work: () => Promise<unknown>): Promise<number> {
  const from = cpuMillis();
  await work();
  return cpuMillis() - from;
}

describe('a mail server that is slow for some addresses', () => {
  let server: Server;
  let channels: EmailChannels;
  let connections: number;

  beforeEach(async () => {
    connections = 0;
    server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => {});
      socket.write('220 mail.example.com\r\n');
      let isData = false;
      socket.on('data', (chunk) => {
        for (const line of String(chunk).split('\r\n').filter(Boolean)) {
          // Many servers let those wait who guess addresses.
          if (line.startsWith('RCPT') && line.includes('@slow.example')) return;
          if (isData && line !== '.') continue;
          isData = line === 'DATA';
          socket.write(isData ? '354 go on\r\n' : '250 fine\r\n');
        }
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const transport = smtpTransport({ url: `smtp://127.0.0.1:${port}`, secrets, timeout: 10_000 });
    channels = emailChannels({ mail, transport, links: LINKS, secrets });
  });

  afterEach(async () => {
    await channels.close();
    server.close();
  });

  const send = (owner: string | undefined, address: string, signal?: AbortSignal) =>
    channels
      .channelFor({ to: [address] })
      .send({ ...overdue, subscription: { ...overdue.subscription, owner } }, signal);

  it('delays no mail of others', async () => {
    const over = new AbortController();
    const slow = Array.from({ length: 12 }, (_, index) => send('key-a', `u${index}@slow.example`, over.signal));
    const outcomes = Promise.allSettled(slow);
    await expect.poll(() => connections, { timeout: 20_000 }).toBeGreaterThan(1);
    for (const owner of ['key-b', undefined]) {
      expect(await send(owner, 'ann@example.com')).toMatchObject({ status: 250 });
    }
    // Two of the key whose mails wait, and one each for the others.
    expect(connections).toBe(4);
    over.abort();
    for (const { status } of await outcomes) expect(status).toBe('rejected');
  });
});

describe('a list with thousands of readers', () => {
  const to = Array.from({ length: 20_000 }, (_, index) => `${index}@example.com`);
  const upper = to.map((address) => address.toUpperCase());
  const sent: string[] = [];
  const accepting: MailTransport = {
    send: async ({ to: { address } }) => {
      sent.push(address);
      return { status: 250 };
    },
    close: async () => {},
  };
  const { channelFor } = emailChannels({ mail, transport: accepting, links: LINKS, secrets });

  it.each([
    ['unsubscribed', { muted: upper }],
    ['have the mail', { reached: upper }],
  ])('is checked in no time when they %s', async (_, change) => {
    const message: OutboundMessage = { ...overdue, ...change };
    sent.length = 0;
    const ms = await measure(() => channelFor({ to: [...to, ...upper] }).send(message));
    expect(sent).toEqual([]);
    expect(ms).toBeLessThan(1500);
  });

  it('gets a message that is summarised once', async () => {
    const [first] = digest.events;
    const events = Array.from({ length: 2000 }, (_, index) => ({
      ...first,
      id: `evt_${index}`,
      subject: `task/${index}`,
    }));
    const message: OutboundMessage = { ...digest, events: [first, ...events] };
    const one = await measure(() => channelFor({ to: to.slice(0, 1) }).send(message));
    sent.length = 0;
    const many = await measure(() => channelFor({ to: to.slice(0, 100) }).send(message));
    expect(sent).toHaveLength(100);
    expect(many).toBeLessThan(1000 + 20 * one);
  });
});
