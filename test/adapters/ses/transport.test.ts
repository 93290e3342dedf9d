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

/** Headers that SES does not allow in a simple mail. */
const FORBIDDEN = [
  ...['bcc', 'cc', 'content-disposition', 'content-type', 'date', 'from', 'message-id', 'mime-version'],
  ...['reply-to', 'return-path', 'subject', 'to'],
];

const mail = composeMail(overdue, {
  from: 'Tidings <tidings@example.com>',
  to: 'ann@example.com',
  unsubscribe: 'https://tidings.example.com/unsubscribe/abc',
});

/** The last request to SES. */
const got = () => (server.requests.at(-1)?.body ?? {}) as unknown as SendEmailCommandInput;

/** The mailboxes of a header, as a mail client parses them. */
async function readers(header: string | undefined) {
  return (await PostalMime.parse(`To: ${header}\r\n\r\n`)).to;
}

describe('a request to SES', () => {
  it('is signed and has one recipient, and the receipt has its id', async () => {
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

  it('may take longer than the default timeout of the SDK clients', async () => {
    server.always(() => ({ ...accepted, after: 3500 }));
    const transport = open();
    expect(await transport.send(mail)).toMatchObject({ status: 200 });
    await transport.close();
  });

  it('contains the configuration set if there is one', async () => {
    await open({ configurationSet: 'tidings-feedback' }).send(mail);
    expect(server.requests[0]?.body).toMatchObject({ ConfigurationSetName: 'tidings-feedback' });
  });

  it('contains the composed mail: sender with name, threading and one-click unsubscribe', async () => {
    await open().send(mail);
    expect(await readers(got().FromEmailAddress)).toEqual([{ name: 'Tidings', address: 'tidings@example.com' }]);
    const headers = new Map(got().Content?.Simple?.Headers?.map(({ Name, Value }) => [Name, Value]));
    expect(headers.get('References')).toBe(mail.headers.References);
    expect(headers.get('List-Unsubscribe')).toBe('<https://tidings.example.com/unsubscribe/abc>');
    expect(headers.get('List-Unsubscribe-Post')).toBe('List-Unsubscribe=One-Click');
    expect(headers.get('Auto-Submitted')).toBe('auto-generated');
  });

  it('leaves out the unsubscribe headers if the link is longer than SES allows, and sends the mail', async () => {
    const namesFor = async (length: number) => {
      const unsubscribe = `https://tidings.example.com/${'u'.repeat(length - 30)}`;
      await open().send(composeMail(overdue, { from: 'tidings@example.com', to: 'ann@example.com', unsubscribe }));
      const { Headers = [], Body } = got().Content?.Simple ?? {};
      for (const { Value = '' } of Headers) expect(Value.length).toBeLessThanOrEqual(870);
      expect(Body?.Text?.Data).toContain(unsubscribe);
      return Headers.map(({ Name }) => Name);
    };
    expect(await namesFor(870)).toEqual(expect.arrayContaining(['List-Unsubscribe', 'List-Unsubscribe-Post']));
    expect((await namesFor(871)).filter((name) => name?.startsWith('List-Unsubscribe'))).toEqual([]);
  });

  it('contains the composed text, headers and recipient, for any record', async () => {
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
        // SES rejects the mail otherwise.
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

  it('encodes display names in ASCII words of at most 75 characters, which mail clients decode', async () => {
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

describe('a refused mail', () => {
  const answerTo = async (answer: AwsServerResponse, change: Parameters<typeof open>[0] = {}) => {
    server.always(() => answer);
    return (await failureOf(open(change).send(mail))) as GiveUp | RetryLater;
  };

  it.each([
    ['TooManyRequestsException', 429, 'Maximum sending rate exceeded.'],
    ['ThrottlingException', 400, 'Rate exceeded'],
    ['LimitExceededException', 400, 'Too many'],
  ])('with %s is retried on the usual schedule', async (awsCode, status, detail) => {
    const error = await answerTo({ awsCode, status, detail });
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({
      code: 'TIDINGS_MAIL_THROTTLED',
      after: undefined,
      evidence: { status, body: detail },
    });
  });

  it('beyond the daily quota is retried after an hour, with a hint about the sandbox', async () => {
    const detail = 'Daily message quota exceeded.';
    const error = await answerTo({ awsCode: 'TooManyRequestsException', status: 429, detail });
    expect(error).toMatchObject({ name: 'RetryLater', after: 3_600_000 });
    expect(error.message).toMatch(/daily sending quota reached \(200 in the sandbox\)/);
  });

  const unverified = (...identities: readonly string[]) =>
    `Email address is not verified. The following identities failed the check in region EU-TEST-1: ${identities.join(', ')}`;

  it('of an unverified sender has its own error code', async () => {
    const error = await answerTo({ awsCode: 'MessageRejected', detail: unverified('tidings@example.com') });
    expect(error).toMatchObject({ name: 'GiveUp', code: 'TIDINGS_MAIL_SENDER_UNVERIFIED', gone: false });
    expect(error.message).toMatch(/^SES does not send as tidings@example.com: verify the address or its domain/);
  });

  it('to an unverified reader explains the sandbox, and does not affect other readers', async () => {
    const error = await answerTo({ awsCode: 'MessageRejected', detail: unverified('Ann@Example.com') });
    expect(error).toBeInstanceOf(GiveUp);
    expect(error.message).toMatch(/in the sandbox .*: verify ann@example.com, or request production access/);
    expect(SINGLE_MAIL_CODES.has(error.code)).toBe(true);
  });

  it('with sender and reader unverified reports the sender', async () => {
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
  ])('with %s affects every mail until a person fixes it', async (awsCode, code, message) => {
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
  ])('with %s is retried, because a person may fix it in time', async (awsCode, status, code, message) => {
    const error = await answerTo({ awsCode, status, detail: 'because' });
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code, evidence: { status, body: 'because', requestId: 'req-1' } });
    expect(error.message).toMatch(message);
    expect(SINGLE_MAIL_CODES.has(error.code)).toBe(false);
  });

  it.each([
    ['MessageRejected', 'Message contains a virus'],
    ['BadRequestException', 'Missing final @domain'],
  ])('with %s for another reason affects only this mail', async (awsCode, detail) => {
    const error = await answerTo({ awsCode, detail });
    expect(error).toBeInstanceOf(GiveUp);
    expect(SINGLE_MAIL_CODES.has(error.code)).toBe(true);
    expect(error.message).toContain(detail);
  });
});

describe('a failing SES', () => {
  it.each<[string, AwsServerResponse]>([
    ['fails', { awsCode: 'InternalServiceErrorException', status: 500 }],
    ['is away', { awsCode: 'ServiceUnavailable', status: 503 }],
    ['has not heard of our new credentials', { awsCode: 'ExpiredTokenException', status: 403 }],
    ['finds our clock off', { awsCode: 'RequestTimeTooSkewed', status: 403 }],
    ['hangs up', 'cut'],
    ['says nothing', 'hang'],
    ['never ends its answer', 'drip'],
    ['answers what nobody understands', { garbage: `<html>${ACCESS_KEY_SECRET}` }],
  ])('that %s gets the mail once per attempt', async (_, answer) => {
    server.next(answer);
    const error = await failureOf(open({ timeout: 500 }).send(mail));
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code: 'TIDINGS_MAIL_UNREACHABLE' });
    expect(error.message).toMatch(/^SES did not accept the mail: \w/);
    expect(JSON.stringify([error.message, error.stack, error, String(error.cause)])).not.toContain(ACCESS_KEY_SECRET);
    expect(server.requests).toHaveLength(1);
    expect(await open().send(mail)).toMatchObject({ status: 200 });
  });

  it('is abandoned on abort, and not called with an aborted signal', async () => {
    server.always(() => 'hang');
    const stop = new AbortController();
    const sending = failureOf(open({ timeout: 10_000 }).send(mail, stop.signal));
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    expect((await sending).message).toBe('SES did not accept the mail: Aborted: the caller is shutting down');
    expect(await failureOf(open().send(mail, AbortSignal.abort()))).toBeInstanceOf(RetryLater);
    expect(server.requests).toHaveLength(1);
  });

  it('that is unreachable is retried', async () => {
    const transport = open();
    await server.close();
    expect(await failureOf(transport.send(mail))).toMatchObject({
      name: 'RetryLater',
      message: expect.stringMatching(/ECONNREFUSED/),
    });
  });
});

describe('closing', () => {
  it('closes the connections', async () => {
    const transport = open();
    await transport.send(mail);
    await transport.close();
  });
});
