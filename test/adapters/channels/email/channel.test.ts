import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type EmailChannelOptions,
  type EmailChannels,
  emailChannels,
} from '../../../../adapters/channels/email/channel.ts';
import type { OutgoingMail } from '../../../../adapters/channels/email/compose-mail.ts';
import { smtpTransport } from '../../../../adapters/channels/email/smtp.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { readUnsubscribeToken } from '../../../../core/delivery/signing/unsubscribe.ts';
import { GiveUp, RetryLater } from '../../../../core/model/errors.ts';
import type { OutboundMessage, Receipt, Recipient } from '../../../../core/ports/channel.ts';
import { type Mailbox, startMailbox } from '../../../../simulator/mailbox/mailbox.ts';
import type { ReceivedMail } from '../../../../simulator/mailbox/received-mail.ts';
import {
  digest,
  example,
  LINKS,
  overdue,
  peopleSubscription,
  sampleMessage,
} from '../../../pictures/sample-messages.ts';

const MANAGE_SECRET = 'sixteen characters or more';
const secrets = localSecrets({ environment: { MANAGE_SECRET }, directory: '' });

let mailbox: Mailbox;
let channels: EmailChannels;

beforeEach(async () => {
  mailbox = await startMailbox();
  channels = open();
});

afterEach(async () => {
  await channels.close();
  await mailbox.close();
});

function open(change: Partial<EmailChannelOptions> = {}): EmailChannels {
  return emailChannels({
    mail: { from: 'Tidings Zoë <tidings@example.com>' },
    transport: smtpTransport({ url: mailbox.smtpUrl, secrets, timeout: 20_000 }),
    links: LINKS,
    unsubscribe: { url: 'https://tidings.example.com/', secret: '${MANAGE_SECRET}' },
    secrets,
    ...change,
  });
}

const send = (given: OutboundMessage, ...to: readonly string[]): Promise<Receipt> =>
  channels.channelFor({ to: to.length === 0 ? ['ann@example.com'] : to }).send(given);

const failure = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => undefined,
    (error: unknown) => error,
  );

const header = ({ parsed: { headers } }: ReceivedMail, name: string) =>
  headers.filter(({ key }) => key === name.toLowerCase()).map(({ value }) => value);

const readers = () => mailbox.mails.map(({ envelope: { to } }) => to.join());

describe('a transmitted mail', () => {
  it('has text, HTML and every header, and no attachments', async () => {
    expect(await send(overdue)).toMatchObject({ status: 250, body: expect.stringContaining('stored as number 1') });
    const [mail] = mailbox.mails;
    if (mail === undefined) throw new Error('nothing came');
    const { parsed, envelope } = mail;
    expect(envelope).toEqual({ from: 'tidings@example.com', to: ['ann@example.com'] });
    expect(parsed).toMatchObject({
      from: { name: 'Tidings Zoë', address: 'tidings@example.com' },
      to: [{ name: '', address: 'ann@example.com' }],
      subject:
        'Task “Proofread the newsletter” has been overdue since Sat 21 Nov (Website relaunch, Northwind Traders)',
      references: '<record.main.task.412@tidings.example.com>',
      inReplyTo: '<record.main.task.412@tidings.example.com>',
      date: '2026-11-21T07:30:00.000Z',
      attachments: [],
    });
    expect(parsed.messageId).toMatch(/^<dlv_[0-9a-f]{32}\.[0-9a-f]{16}@example\.com>$/);
    expect(parsed.text).toContain(
      'Task “Proofread the newsletter” has been overdue since Sat 21 Nov\nNorthwind Traders',
    );
    expect(parsed.html).toContain('<strong>names &amp; dates</strong>');
    expect(header(mail, 'Auto-Submitted')).toEqual(['auto-generated']);
    expect(header(mail, 'X-Auto-Response-Suppress')).toEqual(['All']);
    expect(header(mail, 'List-Id')).toEqual(['<team.tidings.example.com>']);
    expect(header(mail, 'List-Unsubscribe-Post')).toEqual(['List-Unsubscribe=One-Click']);
    expect(header(mail, 'X-Mailer')).toEqual([]);
  });

  it('is ASCII with lines of a valid length', async () => {
    await send(
      sampleMessage([
        example('task.closed', { title: '日本語 🦊 é'.repeat(60), summary: `<p>${'ü'.repeat(3000)}</p>` }),
      ]),
    );
    const [mail] = mailbox.mails;
    expect(mail?.raw).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    expect(Math.max(...(mail?.raw.split('\r\n').map(({ length }) => length) ?? []))).toBeLessThanOrEqual(998);
    expect(mail?.parsed.subject).toMatch(/^Task “日本語 🦊 é.*…” was closed \(Website relaunch, Northwind Traders\)$/);
  });

  it.each(['title', 'project', 'client', 'assignees', 'severity'])(
    'does not let the field %s add a header',
    async (field) => {
      const hostile = 'x\r\nBcc: victim@example.com\r\n\r\n\u0000body\u2028=?UTF-8?Q?=0D=0ABcc:_v?=';
      await send(sampleMessage([example('task.overdue', { [field]: hostile })]));
      const [mail] = mailbox.mails;
      if (mail === undefined) throw new Error('nothing came');
      expect(header(mail, 'Bcc')).toEqual([]);
      expect(mail.envelope.to).toEqual(['ann@example.com']);
      expect(mail.parsed.subject).toMatch(/^Task “[^\r\n]*$/);
      expect(mail.parsed.html).toContain('</html>');
    },
  );

  it('is sent to each reader separately with their own unsubscribe link, over one connection', async () => {
    const receipt = await send(digest, 'ann@example.com', 'ben@example.com', 'Ann@Example.com');
    expect(receipt.body).toMatch(/^ann@example\.com: 250 .*\nben@example\.com: 250 .*$/);
    expect(readers()).toEqual(['ann@example.com', 'ben@example.com']);
    const tokens = mailbox.mails.map(
      (mail) => /unsubscribe\/([^>]+)>/.exec(header(mail, 'List-Unsubscribe').join())?.[1] ?? '',
    );
    expect(tokens.map((token) => readUnsubscribeToken(token, MANAGE_SECRET))).toEqual([
      { subscription: 'morning', address: 'ann@example.com' },
      { subscription: 'morning', address: 'ben@example.com' },
    ]);
    expect(mailbox.mails[0]?.parsed.text).toContain(`https://tidings.example.com/unsubscribe/${tokens[0]}`);
    expect(mailbox.mails[1]?.parsed.html).toContain(`https://tidings.example.com/unsubscribe/${tokens[1]}`);
    expect(mailbox.connections).toBe(1);
  });

  it('contains the text of a template', async () => {
    const template = { subject: 'Words of {{ type }}', text: 'Only this.' };
    await send({ ...overdue, subscription: { ...overdue.subscription, template } });
    expect(mailbox.mails[0]?.parsed).toMatchObject({ subject: 'Words of task.overdue', text: 'Only this.\n' });
    expect(mailbox.mails[0]?.parsed.html).toBeUndefined();
  });

  it('has no unsubscribe link if the config has none', async () => {
    await channels.close();
    channels = emailChannels({
      mail: { from: 'tidings@example.com' },
      transport: smtpTransport({ url: mailbox.smtpUrl, secrets }),
      links: {},
      secrets,
    });
    await send(overdue);
    expect(mailbox.mails[0]?.raw).not.toMatch(/unsubscribe/i);
  });
});

describe('readers who unsubscribed', () => {
  it('get no mail, regardless of the case of their address', async () => {
    await send({ ...overdue, muted: ['ANN@example.com'] }, 'ann@example.com', 'ben@example.com');
    expect(readers()).toEqual(['ben@example.com']);
  });

  it('settle the delivery without a mail if no others are left', async () => {
    expect(await send({ ...overdue, muted: ['ann@example.com'] })).toEqual({
      skipped: 'ann@example.com has unsubscribed',
    });
    expect(mailbox.connections).toBe(0);
  });
});

describe('when some readers cannot be reached', () => {
  const all = ['ann@example.com', 'ben@example.com', 'zoe@example.com'] as const;
  const later = { code: 451, text: 'try again later' };
  const never = { code: 550, text: 'no such user here' };

  it('retries only for the remaining readers', async () => {
    mailbox.setFaults({ recipients: { 'ben@example.com': later } });
    const error = await failure(send(overdue, ...all));
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({
      code: 'TIDINGS_MAIL_DEFERRED',
      message: expect.stringMatching(
        /^1 of 3 readers do not have the mail yet: .* deferred the mail to ben@example\.com: 451 /,
      ),
      evidence: { status: 451, reached: ['ann@example.com', 'zoe@example.com'] },
    });
    mailbox.setFaults({});
    await send({ ...overdue, reached: ['ann@example.com', 'zoe@example.com'] }, ...all);
    expect(readers()).toEqual(['ann@example.com', 'zoe@example.com', 'ben@example.com']);
  });

  it('settles when the rest is refused permanently, and lists them', async () => {
    mailbox.setFaults({ recipients: { 'ben@example.com': never } });
    const { body } = await send(overdue, ...all);
    expect(body).toMatch(
      /^ann@example\.com: 250 .*\nben@example\.com: .* refused the mail to ben@example\.com: 550 no such user here\nzoe/,
    );
    expect(await send({ ...overdue, reached: ['ann@example.com', 'zoe@example.com'] }, ...all)).toMatchObject({
      body: expect.stringContaining('550 no such user here'),
    });
    expect(await send({ ...overdue, reached: all }, ...all)).toEqual({
      body: 'all remaining readers already have the mail',
    });
  });

  it('gives up when all readers are refused', async () => {
    mailbox.setFaults({ recipients: { 'ann@example.com': never, 'ben@example.com': never } });
    const error = await failure(send(overdue, 'ann@example.com', 'ben@example.com'));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code: 'TIDINGS_MAIL_REFUSED', evidence: { status: 550 } });
  });

  it('continues after an invalid address', async () => {
    const { body } = await send(overdue, 'not an address', 'ben@example.com');
    expect(body).toContain("subscription 'team': expected a mail address");
    expect(readers()).toEqual(['ben@example.com']);
  });

  it('stops at an error of the server, and records the reached readers', async () => {
    mailbox.setFaults({ drop: 'connect' });
    const error = await failure(send(overdue, ...all));
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_MAIL_UNREACHABLE' });
    expect((error as RetryLater).evidence.reached).toBeUndefined();
    expect((error as RetryLater).message).toMatch(/^3 of 3 readers do not have the mail yet: /);
    expect(mailbox.connections).toBe(1);
  });

  it('does not give up on readers whose mail was not attempted', async () => {
    const refusals = [undefined, new GiveUp('TIDINGS_MAIL_LOGIN_REFUSED', 'wrong password')];
    await channels.close();
    channels = open({
      transport: {
        send: async () => {
          const refusal = refusals.shift();
          if (refusal !== undefined) throw refusal;
          return { status: 250 };
        },
        close: async () => undefined,
      },
    });
    const error = await failure(send(overdue, ...all));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error).toMatchObject({ code: 'TIDINGS_MAIL_LOGIN_REFUSED', evidence: { reached: ['ann@example.com'] } });
    expect(refusals).toEqual([]);
  });

  const emailOf = (change: Partial<EmailChannelOptions>) => open(change).channelFor({ to: all });

  /** A transport with a delay for each mail, the last delay for all further ones. Aborts on the signal. */
  const taking = (...waits: readonly number[]) => {
    const begun: string[] = [];
    const send = async ({ to: { address } }: OutgoingMail, signal?: AbortSignal): Promise<Receipt> => {
      begun.push(address);
      await wait(waits[begun.length - 1] ?? waits.at(-1) ?? 0, undefined, signal === undefined ? {} : { signal });
      return { status: 250 };
    };
    return { begun, transport: { send, close: async () => undefined } };
  };

  it('starts no further mail after two thirds of the timeout', async () => {
    const { begun, transport } = taking(2100);
    const error = await failure(emailOf({ transport, timeoutMs: 3000 }).send(overdue));
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_MAIL_DEFERRED' });
    expect((error as RetryLater).evidence.reached).toEqual(['ann@example.com']);
    expect(begun).toEqual(['ann@example.com']);
  });

  it.each([
    ['by itself', undefined],
    ['with a signal that is not aborted', new AbortController().signal],
  ])('ends at the timeout %s, even if the last mail is slow', async (_, signal) => {
    const { begun, transport } = taking(100, 20_000);
    const start = performance.now();
    const error = await failure(emailOf({ transport, timeoutMs: 1500 }).send(overdue, signal));
    expect(performance.now() - start).toBeLessThan(8_000);
    expect(error).toMatchObject({ name: 'RetryLater', code: 'TIDINGS_MAIL_DEFERRED' });
    expect((error as RetryLater).evidence.reached).toEqual(['ann@example.com']);
    expect(begun).toEqual(['ann@example.com', 'ben@example.com']);
  });

  it('ends on abort before the timeout, and records the reached readers', async () => {
    const { transport } = taking(20, 10_000);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    const error = await failure(emailOf({ transport }).send(overdue, stop.signal));
    expect(error).toBeInstanceOf(RetryLater);
    expect((error as RetryLater).evidence.reached).toEqual(['ann@example.com']);
  });

  it('postpones the remaining readers when a real server is slow, and sends to them at the next attempt', async () => {
    await channels.close();
    channels = open({ timeoutMs: 4500 });
    mailbox.setFaults({ slow: 3100 });
    const error = await failure(send(overdue, ...all));
    const { reached = [] } = (error as RetryLater).evidence;
    expect(reached).toEqual(['ann@example.com']);
    mailbox.setFaults({});
    await send({ ...overdue, reached }, ...all);
    expect(readers().toSorted()).toEqual(all.toSorted());
  });

  it('records the reached readers after an unexpected error', async () => {
    let count = 0;
    await channels.close();
    channels = open({
      transport: {
        send: async () => {
          count += 1;
          if (count === 2) throw new TypeError('undefined is not a function');
          return {};
        },
        close: async () => undefined,
      },
    });
    expect(await failure(send(overdue, ...all))).toMatchObject({
      name: 'RetryLater',
      code: 'TIDINGS_DELIVERY_UNEXPECTED',
      message: 'undefined is not a function',
      evidence: { reached: ['ann@example.com'] },
    });
  });
});

it('names the subscription of an invalid sender or reader', async () => {
  expect(await failure(send({ ...overdue, subscription: peopleSubscription('finance') }, 'a@b@c'))).toMatchObject({
    name: 'GiveUp',
    code: 'TIDINGS_MAIL_ADDRESS_INVALID',
    message: "subscription 'finance': expected a mail address such as 'ann@example.com', got 'a@b@c'",
  });
});

describe('a mail to the people concerned', () => {
  const personal = (recipient: Partial<Recipient>, fallback?: string, change: Partial<OutboundMessage> = {}) =>
    channels.channelFor({ to: 'assignees', ...(fallback === undefined ? {} : { fallback }) }).send({
      ...overdue,
      recipient: { name: 'Ann Vogt', address: 'ann@example.com', role: 'assignees', ...recipient },
      ...change,
    });

  it('goes to the address of the person, with an unsubscribe link of that person', async () => {
    await personal({}, 'office@example.com');
    const [mail] = mailbox.mails;
    expect(readers()).toEqual(['ann@example.com']);
    const [link = ''] = mail === undefined ? [] : header(mail, 'List-Unsubscribe');
    const token = /unsubscribe\/(\S+)>/.exec(link)?.[1] ?? '';
    expect(readUnsubscribeToken(token, MANAGE_SECRET)).toEqual({ subscription: 'team', address: 'ann@example.com' });
  });

  it('is not sent to a person who unsubscribed, and still to the others', async () => {
    expect(await personal({}, undefined, { muted: ['Ann@example.com'] })).toEqual({
      skipped: 'the reader has unsubscribed',
    });
    await personal({ name: 'Ben', address: 'ben@example.com' }, undefined, { muted: ['ann@example.com'] });
    expect(readers()).toEqual(['ben@example.com']);
  });

  it('goes to the fallback if the person has no address, or gives up with the name of the person', async () => {
    await personal({ address: null }, 'office@example.com');
    await personal({ name: null, address: null }, 'office@example.com');
    expect(readers()).toEqual(['office@example.com', 'office@example.com']);
    expect(await failure(personal({ address: null }))).toMatchObject({
      code: 'TIDINGS_PERSON_WITHOUT_ADDRESS',
      message:
        'Ann Vogt has no mail address in the account or is not active; set fallback, or add the address and replay',
    });
  });
});
