import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { composeMail } from '../../../../adapters/channels/email/compose-mail.ts';
import { smtpTransport } from '../../../../adapters/channels/email/smtp.ts';
import type { MailTransport } from '../../../../adapters/channels/email/transport.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { type Mailbox, type MailboxOptions, startMailbox } from '../../../../simulator/mailbox/mailbox.ts';
import { overdue } from '../../../pictures/sample-messages.ts';

const PASSWORD = 'p@ss/wörd';
const secrets = localSecrets({ environment: { SMTP_PASSWORD: encodeURIComponent(PASSWORD) }, directory: '' });
const mail = composeMail(overdue, { from: 'tidings@example.com', to: 'ann@example.com' });

let mailbox: Mailbox | undefined;
let transport: MailTransport | undefined;
let silent: Server | undefined;

afterEach(async () => {
  await transport?.close();
  await mailbox?.close();
  silent?.close();
  mailbox = undefined;
  transport = undefined;
  silent = undefined;
});

async function start(options: MailboxOptions = {}): Promise<Mailbox> {
  mailbox = await startMailbox(options);
  return mailbox;
}

function send(url: string, timeout = 20_000, signal?: AbortSignal): Promise<unknown> {
  transport = smtpTransport({ url, secrets, timeout });
  return transport.send(mail, signal);
}

const failure = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

const host = ({ smtpUrl }: Mailbox) => smtpUrl.slice('smtp://'.length);

describe('the replies of a mail server', () => {
  it('250 results in a receipt with the message id', async () => {
    const { smtpUrl } = await start();
    expect(await send(smtpUrl)).toEqual({
      status: 250,
      body: expect.stringContaining('stored as number 1'),
      requestId: mail.messageId,
    });
  });

  it.each([
    [450, 'TIDINGS_MAIL_DEFERRED', 'RetryLater'],
    [452, 'TIDINGS_MAIL_DEFERRED', 'RetryLater'],
    [550, 'TIDINGS_MAIL_REFUSED', 'GiveUp'],
    [553, 'TIDINGS_MAIL_REFUSED', 'GiveUp'],
  ])('%i to a reader is %s', async (code, expected, name) => {
    const box = await start();
    box.setFaults({ recipients: { 'ann@example.com': { code, text: 'because of this' } } });
    expect(await failure(send(box.smtpUrl))).toMatchObject({
      name,
      code: expected,
      message: expect.stringMatching(
        /^127\.0\.0\.1:\d+ (deferred|refused) the mail to ann@example\.com: \d+ because of this$/,
      ),
      evidence: { status: code, body: `${code} because of this` },
    });
    expect(box.mails).toEqual([]);
  });

  it.each([
    [451, 'TIDINGS_MAIL_DEFERRED'],
    [552, 'TIDINGS_MAIL_REFUSED'],
  ])('%i to a mail is %s', async (code, expected) => {
    const box = await start();
    box.setFaults({ mail: { code, text: 'not this one' } });
    expect(await failure(send(box.smtpUrl))).toMatchObject({ code: expected, evidence: { status: code } });
  });
});

describe('an unreachable or failing server', () => {
  it('is retried when it replies that it is closing', async () => {
    const box = await start();
    box.setFaults({ recipients: { 'ann@example.com': { code: 421, text: 'going down' } } });
    expect(await failure(send(box.smtpUrl))).toMatchObject({
      name: 'RetryLater',
      code: 'TIDINGS_MAIL_UNREACHABLE',
      evidence: { status: 421, body: '421 going down' },
    });
  });

  it.each(['connect', 'mail', 'thanks'] as const)(
    'is tried again when it drops the connection at: %s',
    async (drop) => {
      const box = await start();
      box.setFaults({ drop });
      expect(await failure(send(box.smtpUrl))).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_MAIL_UNREACHABLE' });
      // The connection broke after the mail was stored: the next copy has the same message id.
      expect(box.mails.map(({ parsed: { messageId } }) => messageId)).toEqual(
        drop === 'thanks' ? [mail.messageId] : [],
      );
      expect(box.connections).toBe(1);
    },
  );

  it('is retried when the connection is refused', async () => {
    const error = await failure(send('smtp://127.0.0.1:1'));
    expect(error).toMatchObject({
      name: 'RetryLater',
      message: expect.stringMatching(/^127\.0\.0\.1:1 did not accept the mail: /),
    });
  });

  it('is retried when it does not reply', async () => {
    silent = createServer(() => undefined);
    const port = await new Promise<number>((resolve) => {
      silent?.listen(0, '127.0.0.1', () => {
        const address = silent?.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    expect(await failure(send(`smtp://127.0.0.1:${port}`, 150))).toMatchObject({
      name: 'RetryLater',
      code: 'TIDINGS_MAIL_UNREACHABLE',
    });
  });

  it('is abandoned after the timeout, and the next mail succeeds', async () => {
    const box = await start();
    box.setFaults({ slow: 30_000 });
    const before = performance.now();
    expect(await failure(send(box.smtpUrl, 2000))).toMatchObject({ message: expect.stringContaining('within 2 s') });
    expect(performance.now() - before).toBeLessThan(10_000);
    box.setFaults({});
    expect(await transport?.send(mail)).toMatchObject({ status: 250 });
  });

  it('is abandoned on abort', async () => {
    const box = await start();
    box.setFaults({ slow: 30_000 });
    const stop = AbortSignal.timeout(50);
    expect(await failure(send(box.smtpUrl, 20_000, stop))).toMatchObject({
      name: 'RetryLater',
      message: expect.stringContaining('the request was aborted'),
    });
  });
});

describe('the login', () => {
  const login = { user: 'tidings', password: PASSWORD };

  it('decodes user and password of the URL', async () => {
    const box = await start({ login });
    expect(await send(`smtp://tidings:\${SMTP_PASSWORD}@${host(box)}`)).toMatchObject({ status: 250 });
  });

  it('gives up without showing the password when it is refused', async () => {
    const box = await start({ login: { ...login, password: 'another' } });
    const error = await failure(send(`smtp://tidings:\${SMTP_PASSWORD}@${host(box)}`));
    expect(error).toMatchObject({
      name: 'GiveUp',
      code: 'TIDINGS_MAIL_LOGIN_REFUSED',
      message: expect.stringContaining(
        'does not accept the user and password of mail.smtp: 535 wrong user or password',
      ),
    });
    expect(said(error)).not.toContain(PASSWORD);
    expect(said(error)).not.toContain(encodeURIComponent(PASSWORD));
  });

  it('is hidden when a server echoes it', async () => {
    const box = await start({ login });
    box.setFaults({ mail: { code: 550, text: `you are tidings:${PASSWORD}` } });
    const error = await failure(send(`smtp://tidings:\${SMTP_PASSWORD}@${host(box)}`));
    expect(said(error)).toContain('you are tidings:[hidden]');
    expect(said(error)).not.toContain(PASSWORD);
  });

  it('is not sent unencrypted to a remote server, unless the URL allows it', async () => {
    // Another loopback address, which does not count as local.
    const box = await start({ login, host: '127.0.0.2' });
    const url = `smtp://tidings:\${SMTP_PASSWORD}@${host(box)}`;
    expect(await failure(send(url))).toMatchObject({
      name: 'GiveUp',
      code: 'TIDINGS_MAIL_NOT_ENCRYPTED',
      message: expect.stringContaining('does not offer encryption'),
    });
    await transport?.close();
    expect(box.mails).toEqual([]);
    expect(await send(`${url}?requireTLS=false`)).toMatchObject({ status: 250 });
  });

  it('is resolved again for each mail, because it may change', async () => {
    const box = await start({ login });
    const directory = await mkdtemp(join(tmpdir(), 'tidings-smtp-'));
    const file = join(directory, 'smtp');
    try {
      await writeFile(file, `smtp://tidings:wrong@${host(box)}\n`);
      expect(await failure(send(`file:${file}`))).toMatchObject({ code: 'TIDINGS_MAIL_LOGIN_REFUSED' });
      await writeFile(file, `smtp://tidings:${encodeURIComponent(PASSWORD)}@${host(box)}\n`);
      expect(await transport?.send(mail)).toMatchObject({ status: 250 });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it.each(['nonsense hunter2', 'http://tidings:hunter2@mail.example.com', 'smtp://'])(
    'is not repeated when the URL is wrong: %s',
    async (url) => {
      const error = await failure(send(url));
      expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_MAIL_SERVER_INVALID' });
      expect(said(error)).not.toContain('hunter2');
    },
  );
});

/** Everything that could be shown or stored of an error. */
function said(error: unknown): string {
  const { message, evidence } = error as { message: string; evidence: unknown };
  return `${message} ${JSON.stringify(evidence)}`;
}
