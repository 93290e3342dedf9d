/** Verifying a mail server without sending, and connections that a server keeps open. */

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { composeMail } from '../../../../adapters/channels/email/compose-mail.ts';
import { type SmtpTransport, smtpTransport } from '../../../../adapters/channels/email/smtp.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { type Mailbox, type MailboxOptions, startMailbox } from '../../../../simulator/mailbox/mailbox.ts';
import { overdue } from '../../../pictures/sample-messages.ts';

const PASSWORD = 'hunter2hunter2';
const secrets = localSecrets({ environment: {}, directory: '' });
const mail = composeMail(overdue, { from: 'tidings@example.com', to: 'ann@example.com' });
const transports: SmtpTransport[] = [];
const boxes: Mailbox[] = [];
const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(transports.splice(0).map((one) => one.close()));
  await Promise.all(boxes.splice(0).map((one) => one.close()));
  for (const server of servers.splice(0)) server.close();
});

async function start(options: MailboxOptions = {}): Promise<Mailbox> {
  const box = await startMailbox(options);
  boxes.push(box);
  return box;
}

function transportTo(url: string, timeout = 20_000): SmtpTransport {
  const transport = smtpTransport({ url, secrets, timeout });
  transports.push(transport);
  return transport;
}

async function listen(serve: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => serve(socket.on('error', () => {})));
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const withLogin = ({ smtpUrl }: Mailbox, password = PASSWORD) =>
  smtpUrl.replace('smtp://', `smtp://tidings:${password}@`);

describe('verify', () => {
  const login = { user: 'tidings', password: PASSWORD };

  it('returns the addresses of the server without the password, and sends nothing', async () => {
    const box = await start({ login });
    expect(await transportTo(withLogin(box)).verify()).toEqual({
      url: box.smtpUrl,
      host: box.smtpUrl.slice('smtp://'.length),
      addresses: ['127.0.0.1'],
    });
    expect([box.connections, box.mails]).toEqual([1, []]);
  });

  it('does not prevent sending afterwards', async () => {
    const transport = transportTo(withLogin(await start({ login })));
    await transport.verify();
    expect(await transport.send(mail)).toMatchObject({ status: 250 });
  });

  it('gives up without showing the password when the login is refused', async () => {
    const verified = transportTo(withLogin(await start({ login }), 'another-password')).verify();
    const error = await verified.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      name: 'GiveUp',
      code: 'TIDINGS_MAIL_LOGIN_REFUSED',
      message: expect.stringMatching(/does not accept the user and password of mail\.smtp: 535/),
    });
    expect(JSON.stringify(error)).not.toContain('another-password');
  });

  it('throws RetryLater when the connection is refused or the name has no address', async () => {
    const code = 'TIDINGS_MAIL_UNREACHABLE';
    await expect(transportTo('smtp://127.0.0.1:1').verify()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^127\.0\.0\.1:1 did not accept the login: /),
    });
    await expect(transportTo('smtp://mail.invalid').verify()).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^mail\.invalid did not accept the login: /),
    });
  });

  it('ends at the timeout', async () => {
    const url = await listen(() => {});
    await expect(transportTo(url, 150).verify()).rejects.toMatchObject({
      name: 'RetryLater',
      code: 'TIDINGS_MAIL_UNREACHABLE',
    });
  });

  it('rejects a password with an invalid percent encoding without showing it', async () => {
    const error = await transportTo(`smtp://tidings:${PASSWORD}%zz@127.0.0.1`)
      .verify()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_MAIL_SERVER_INVALID' });
    expect(String(error)).not.toContain(PASSWORD);
  });
});

describe('a server that replies one byte at a time', () => {
  it('is disconnected after the timeout', async () => {
    let ended: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const url = await listen((socket) => {
      socket.write('220 here\r\n');
      socket.once('data', () => {
        socket.write('250-');
        const timer = setInterval(() => socket.write('.'), 10);
        socket.on('close', () => clearInterval(timer));
      });
      socket.on('close', () => ended?.());
    });
    await expect(transportTo(url, 200).send(mail)).rejects.toMatchObject({ name: 'RetryLater' });
    await closed;
  });
});

describe('a transport with an aborted signal', () => {
  it('sends nothing, and keeps the shared connection open', async () => {
    const box = await start();
    const transport = transportTo(box.smtpUrl);
    await transport.send(mail);
    await expect(transport.send(mail, AbortSignal.abort())).rejects.toMatchObject({
      name: 'RetryLater',
      message: expect.stringContaining('the request was aborted'),
    });
    await transport.send(mail);
    expect([box.mails.length, box.connections]).toEqual([2, 1]);
  });
});
