import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { composeMail, type OutgoingMail } from '../../../adapters/channels/email/compose-mail.ts';
import { SINGLE_MAIL_CODES } from '../../../adapters/channels/email/transport.ts';
import { sesTransport } from '../../../adapters/ses/transport.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { anyEvent, hostile } from '../../core/events/hostile-events.ts';
import { overdue, peopleSubscription, sampleMessage } from '../../pictures/sample-messages.ts';
import {
  ACCESS_KEY_SECRET,
  type AwsServer,
  type AwsServerResponse,
  failureOf,
  startAwsServer,
} from '../aws/aws-server.ts';

const accepted: AwsServerResponse = { ok: { MessageId: '0100-ses-1' } };

let server: AwsServer;
beforeEach(async () => {
  server = await startAwsServer(() => accepted);
});
afterEach(() => server.close());

const open = (change: { readonly configurationSet?: string; readonly timeout?: number } = {}) =>
  sesTransport({ settings: server.settings, ...change });

/** What SES lets nobody set among the headers of a simple mail. */
const FORBIDDEN = [
  ...['bcc', 'cc', 'content-disposition', 'content-type', 'date', 'from', 'message-id', 'mime-version'],
  ...['reply-to', 'return-path', 'subject', 'to'],
];

const mail = composeMail(overdue, {
  from: 'Tidings <tidings@example.com>',
  to: 'ann@example.com',
  unsubscribe: 'https://tidings.example.com/unsubscribe/abc',
});

/** What SES got last. */
const got = () => (server.requests.at(-1)?.body ?? {}) as unknown as SendEmailCommandInput;

/** Who stands in a header, as a mail program reads it. */
async function readers(header: string | undefined) {
  return (await PostalMime.parse(`To: ${header}\r\n\r\n`)).to;
}

describe('what SES gets', () => {
  it('is one signed request for one reader, and its id is on the receipt', async () => {
    const receipt = await open().send(mail);
    expect(receipt).toEqual({ status: 200, body: 'accepted by SES', requestId: '0100-ses-1' });
    expect(server.requests).toHaveLength(1);
    expect(server.unsigned()).toBe(0);
    expect(server.requests[0]).toMatchObject({ service: 'ses', method: 'POST', path: '/v2/email/outbound-emails' });
    expect(got()).toEqual({
      FromEmailAddress: '"Tidings" <tidings@example.com>',
      Destination: { ToAddresses: ['ann@example.com'] },
      Content: {
        Simple: {
          Subject: { Data: mail.subject, Charset: 'UTF-8' },
          Body: { Text: { Data: mail.text, Charset: 'UTF-8' }, Html: { Data: mail.html, Charset: 'UTF-8' } },
          Headers: Object.entries(mail.headers).map(([Name, Value]) => ({ Name, Value })),
        },
      },
    });
  });

  it('may take longer to be accepted than a request to a table', async () => {
    server.always(() => ({ ...accepted, after: 3500 }));
    const transport = open();
    expect(await transport.send(mail)).toMatchObject({ status: 200 });
    await transport.close();
  });

  it('names the configuration set where there is one', async () => {
    await open({ configurationSet: 'tidings-feedback' }).send(mail);
    expect(server.requests[0]?.body).toMatchObject({ ConfigurationSetName: 'tidings-feedback' });
  });

  it('is the mail as composed: sender with name, threading and one-click unsubscribe', async () => {
    await open().send(mail);
    expect(await readers(got().FromEmailAddress)).toEqual([{ name: 'Tidings', address: 'tidings@example.com' }]);
    const headers = new Map(got().Content?.Simple?.Headers?.map(({ Name, Value }) => [Name, Value]));
    expect(headers.get('References')).toBe(mail.headers.References);
    expect(headers.get('List-Unsubscribe')).toBe('<https://tidings.example.com/unsubscribe/abc>');
    expect(headers.get('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(headers.get('Auto-Submitted')).toBe('auto-generated');
  });

  it('has the words, the headers and the reader it was given, whatever a record holds', async () => {
    const transport = open();
    await fc.assert(
      fc.asyncProperty(anyEvent, hostile, async (event, name) => {
        const given: OutgoingMail = composeMail(
          sampleMessage([event], { subscription: peopleSubscription(name), delivery: name }),
          {
            from: `${name.replaceAll(/[<>]/g, '')} <tidings@example.com>`,
            to: 'ann@example.com',
          },
        );
        await transport.send(given);
        const { FromEmailAddress, Destination, Content } = got();
        expect(await readers(FromEmailAddress)).toEqual([given.from]);
        expect(Destination).toEqual({ ToAddresses: ['ann@example.com'] });
        const { Subject, Body, Headers = [] } = Content?.Simple ?? {};
        expect(Subject?.Data).toBe(given.subject);
        expect(Body?.Text?.Data).toBe(given.text);
        expect(Body?.Html?.Data).toBe(given.html);
        // As SES wants them: otherwise it takes none of it.
        expect(Headers.length).toBeLessThanOrEqual(15);
        for (const { Name, Value } of Headers) {
          expect(FORBIDDEN).not.toContain(Name?.toLowerCase());
          expect(Name).toMatch(/^[!-9;-~]{1,126}$/);
          expect(Value).toMatch(/^[ -~]{1,870}$/);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('names sender and reader in ASCII, in words of at most 75 characters, and mail programs read the name', async () => {
    const transport = open();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 80 }), async (text) => {
        const name = text.replaceAll(/[<>]/g, '');
        const given = composeMail(overdue, { from: `${name} <tidings@example.com>`, to: `${name} <ann@example.com>` });
        await transport.send(given);
        const { FromEmailAddress = '', Destination } = got();
        expect(FromEmailAddress).toMatch(/^[ -~]*$/);
        for (const word of FromEmailAddress.match(/=\?\S+\?=/g) ?? []) expect(word.length).toBeLessThanOrEqual(75);
        expect(await readers(FromEmailAddress)).toEqual([given.from]);
        expect(await readers(Destination?.ToAddresses?.[0])).toEqual([given.to]);
      }),
    );
  });
});

describe('what SES refuses', () => {
  const answerTo = async (answer: AwsServerResponse, change: Parameters<typeof open>[0] = {}) => {
    server.always(() => answer);
    return (await failureOf(open(change).send(mail))) as GiveUp | RetryLater;
  };

  it.each([
    ['TooManyRequestsException', 429, 'Maximum sending rate exceeded.'],
    ['ThrottlingException', 400, 'Rate exceeded'],
    ['LimitExceededException', 400, 'Too many'],
  ])('%s is for later, as long as our own schedule says', async (awsCode, status, detail) => {
    const error = await answerTo({ awsCode, status, detail });
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({
      code: 'TIDINGS_MAIL_THROTTLED',
      after: undefined,
      evidence: { status, body: detail },
    });
  });

  it('beyond the number of a day is for an hour later, and says that the sandbox may be why', async () => {
    const detail = 'Daily message quota exceeded.';
    const error = await answerTo({ awsCode: 'TooManyRequestsException', status: 429, detail });
    expect(error).toMatchObject({ name: 'RetryLater', after: 3_600_000 });
    expect(error.message).toMatch(/daily sending quota reached \(200 in the sandbox\)/);
  });

  const unverified = (...identities: readonly string[]) =>
    `Email address is not verified. The following identities failed the check in region EU-TEST-1: ${identities.join(', ')}`;

  it('because the sender is not verified is told as such', async () => {
    const error = await answerTo({ awsCode: 'MessageRejected', detail: unverified('tidings@example.com') });
    expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_MAIL_SENDER_UNVERIFIED', gone: false });
    expect(error.message).toMatch(/^SES does not send as tidings@example.com: verify the address or its domain/);
  });

  it('because the reader is not verified is the sandbox, and other readers may get theirs', async () => {
    const error = await answerTo({ awsCode: 'MessageRejected', detail: unverified('Ann@Example.com') });
    expect(error).toBeInstanceOf(GiveUp);
    expect(error.message).toMatch(/in the sandbox .*: verify ann@example.com, or request production access/);
    expect(SINGLE_MAIL_CODES.has(error.code)).toBe(true);
  });

  it('because neither is verified is told of the sender: mended first, it shows the rest', async () => {
    const detail = unverified('ann@example.com', 'tidings@example.com');
    expect(await answerTo({ awsCode: 'MessageRejected', detail })).toMatchObject({
      code: 'TIDINGS_MAIL_SENDER_UNVERIFIED',
    });
  });

  it.each([
    [
      'MailFromDomainNotVerifiedException',
      'TIDINGS_MAIL_SENDER_UNVERIFIED',
      /tidings@example.com: its MAIL FROM domain/,
    ],
    ['AccountSuspendedException', 'TIDINGS_MAIL_SENDING_PAUSED', /suspended sending for this account/],
    ['NotFoundException', 'TIDINGS_MAIL_NOT_SET_UP', /configuration set 'feedback': because/],
  ])('with %s holds for every mail until a person mends it', async (awsCode, code, message) => {
    const error = await answerTo({ awsCode, detail: 'because' }, { configurationSet: 'feedback' });
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code, evidence: { status: 400, body: 'because', requestId: 'req-1' } });
    expect(error.message).toMatch(message);
    expect(SINGLE_MAIL_CODES.has(error.code)).toBe(false);
  });

  it.each([
    [
      'SendingPausedException',
      400,
      'TIDINGS_MAIL_SENDING_PAUSED',
      /is paused for this account or configuration set; enable it/,
    ],
    [
      'AccountSendingPausedException',
      400,
      'TIDINGS_MAIL_SENDING_PAUSED',
      /is paused for this account or configuration set; enable it/,
    ],
    ['ConfigurationSetSendingPausedException', 400, 'TIDINGS_MAIL_SENDING_PAUSED', /or configuration set; enable it/],
    ['AccessDeniedException', 403, 'TIDINGS_MAIL_LOGIN_REFUSED', /the role may not send as tidings@example.com \(ses:/],
    ['InvalidClientTokenId', 403, 'TIDINGS_MAIL_LOGIN_REFUSED', /the role may not send as tidings@example.com \(ses:/],
  ])(
    'with %s is for later: a person may mend it while there are attempts left',
    async (awsCode, status, code, message) => {
      const error = await answerTo({ awsCode, status, detail: 'because' });
      expect(error).toBeInstanceOf(RetryLater);
      expect(error).toMatchObject({ code, evidence: { status, body: 'because', requestId: 'req-1' } });
      expect(error.message).toMatch(message);
      expect(SINGLE_MAIL_CODES.has(error.code)).toBe(false);
    },
  );

  it.each([
    ['MessageRejected', 'Message contains a virus'],
    ['BadRequestException', 'Missing final @domain'],
  ])('with %s for another reason is about this one mail', async (awsCode, detail) => {
    const error = await answerTo({ awsCode, detail });
    expect(error).toBeInstanceOf(GiveUp);
    expect(SINGLE_MAIL_CODES.has(error.code)).toBe(true);
    expect(error.message).toContain(detail);
  });
});

describe('SES in trouble', () => {
  it.each<[string, AwsServerResponse]>([
    ['fails', { awsCode: 'InternalServiceErrorException', status: 500 }],
    ['is away', { awsCode: 'ServiceUnavailable', status: 503 }],
    ['has not heard of our new credentials', { awsCode: 'ExpiredTokenException', status: 403 }],
    ['finds our clock off', { awsCode: 'RequestTimeTooSkewed', status: 403 }],
    ['hangs up', 'cut'],
    ['says nothing', 'hang'],
    ['never ends its answer', 'drip'],
    ['answers what nobody understands', { garbage: `<html>${ACCESS_KEY_SECRET}` }],
  ])('that %s gets the mail once, and again only when an attempt is due', async (_, answer) => {
    server.next(answer);
    const transport = open({ timeout: 500 });
    const error = await failureOf(transport.send(mail));
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code: 'TIDINGS_MAIL_UNREACHABLE' });
    expect(error.message).toMatch(/^SES did not accept the mail: \w/);
    expect(JSON.stringify([error.message, error.stack, error, String(error.cause)])).not.toContain(ACCESS_KEY_SECRET);
    expect(server.requests).toHaveLength(1);
    expect(await transport.send(mail)).toMatchObject({ status: 200 });
  });

  it('is left at once when we are asked to stop, and not begun with when we were before', async () => {
    server.always(() => 'hang');
    const stop = new AbortController();
    const sending = failureOf(open({ timeout: 10_000 }).send(mail, stop.signal));
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    expect((await sending).message).toBe('SES did not accept the mail: Aborted: the caller is shutting down');
    expect(await failureOf(open().send(mail, AbortSignal.abort()))).toBeInstanceOf(RetryLater);
    expect(server.requests).toHaveLength(1);
  });

  it('that nobody can reach is for later', async () => {
    const transport = open();
    await server.close();
    expect(await failureOf(transport.send(mail))).toMatchObject({
      name: 'RetryLater',
      message: expect.stringMatching(/ECONNREFUSED/),
    });
  });
});

describe('closing', () => {
  it('lets go of the connections', async () => {
    const transport = open();
    await transport.send(mail);
    await transport.close();
  });
});
