/** The transmitted mail equals the composed mail for any record: no additional headers or recipients. */

import fc from 'fast-check';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeMail } from '../../../../adapters/channels/email/compose-mail.ts';
import { smtpTransport } from '../../../../adapters/channels/email/smtp.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { type Mailbox, startMailbox } from '../../../../simulator/mailbox/mailbox.ts';
import { anyEvent, hostile } from '../../../core/events/hostile-events.ts';
import { overdue, peopleSubscription, sampleMessage } from '../../../pictures/sample-messages.ts';

const secrets = localSecrets({ environment: {}, directory: '' });

let mailbox: Mailbox;

beforeAll(async () => {
  mailbox = await startMailbox();
});

afterAll(() => mailbox.close());

const HEADERS = [
  'auto-submitted',
  'content-type',
  'date',
  'from',
  'in-reply-to',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'message-id',
  'mime-version',
  'references',
  'subject',
  'to',
  'x-auto-response-suppress',
];

/** SMTP has its own line breaks and always adds a last one. */
const folded = (text: string | undefined) => (text ?? '').replaceAll(/\r\n?/g, '\n').trimEnd();

describe('a transmitted mail', () => {
  it('has exactly the composed headers, one recipient, two parts and the composed content, for any record', async () => {
    const transport = smtpTransport({ url: mailbox.smtpUrl, secrets });
    await fc.assert(
      fc.asyncProperty(anyEvent, hostile, hostile, async (event, text, name) => {
        const given = sampleMessage([{ ...event, source: `/sources/${text}` }], {
          subscription: peopleSubscription(text),
          delivery: text,
        });
        const mail = composeMail(given, {
          from: `${name.replaceAll(/[<>]/g, '')} <tidings@example.com>`,
          to: 'ann@example.com',
          unsubscribe: 'https://tidings.example.com/unsubscribe/abc',
        });
        mailbox.clear();
        await transport.send(mail);
        const [{ envelope, parsed, raw } = { envelope: undefined, parsed: undefined, raw: '' }] = mailbox.mails;
        expect(envelope).toEqual({ from: 'tidings@example.com', to: ['ann@example.com'] });
        expect(parsed?.headers.map(({ key }) => key).toSorted()).toEqual(HEADERS);
        expect(parsed?.from).toEqual(mail.from);
        expect(parsed?.to).toEqual([mail.to]);
        expect(parsed?.subject).toBe(mail.subject);
        expect(parsed?.messageId).toBe(mail.messageId);
        expect(parsed?.references).toBe(mail.headers.References);
        expect(parsed?.attachments).toEqual([]);
        expect(folded(parsed?.text)).toBe(folded(mail.text));
        expect(folded(parsed?.html)).toBe(folded(mail.html));
        expect(raw.split('\r\n').every(({ length }) => length <= 998)).toBe(true);
        expect(raw).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
      }),
      { numRuns: 60 },
    );
    await transport.close();
  });

  it('is not mixed with a concurrent mail', async () => {
    mailbox.clear();
    const transport = smtpTransport({ url: mailbox.smtpUrl, secrets });
    const readers = Array.from({ length: 20 }, (_, index) => `reader-${index}@example.com`);
    await Promise.all(readers.map((to) => transport.send(composeMail(overdue, { from: 'tidings@example.com', to }))));
    await transport.close();
    const seen = mailbox.mails.map(({ envelope: { to }, parsed }) => [to.join(), parsed.to?.[0]?.address]);
    expect(seen.toSorted()).toEqual(readers.map((reader) => [reader, reader]).toSorted());
  });
});

describe('a server with TLS', () => {
  /** Uses the self-signed certificate of smtp-server. */
  const withServer = async (secure: boolean, use: (port: number, seen: { secure: boolean[] }) => Promise<void>) => {
    const seen: { secure: boolean[] } = { secure: [] };
    const server = new SMTPServer({
      secure,
      logger: false,
      authOptional: true,
      disableReverseLookup: true,
      closeTimeout: 10,
      onData: (stream, session, done) => {
        seen.secure.push(session.secure);
        stream.resume();
        stream.on('end', () => done());
      },
    });
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.server.address();
    try {
      await use(typeof address === 'object' && address !== null ? address.port : 0, seen);
    } finally {
      await new Promise<void>((resolve) => server.close(resolve));
    }
  };

  const mail = composeMail(overdue, { from: 'tidings@example.com', to: 'ann@example.com' });

  it.each([
    ['smtp', false],
    ['smtps', true],
  ] as const)('is rejected with an untrusted certificate, unless the URL allows it: %s', async (scheme, secure) => {
    await withServer(secure, async (port, seen) => {
      const strict = smtpTransport({ url: `${scheme}://127.0.0.1:${port}`, secrets, timeout: 20_000 });
      await expect(strict.send(mail)).rejects.toMatchObject({
        name: 'RetryLater',
        code: 'TIDINGS_MAIL_UNREACHABLE',
        message: expect.stringMatching(/certificate/i),
      });
      await strict.close();
      expect(seen.secure).toEqual([]);
      const url = `${scheme}://127.0.0.1:${port}?tls.rejectUnauthorized=false`;
      const trusting = smtpTransport({ url, secrets, timeout: 20_000 });
      expect(await trusting.send(mail)).toMatchObject({ status: 250 });
      await trusting.close();
      expect(seen.secure).toEqual([true]);
    });
  });
});
