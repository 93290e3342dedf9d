import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeMail } from '../../../../adapters/channels/email/compose-mail.ts';
import { anyEvent, hostile } from '../../../core/events/hostile-events.ts';
import {
  digest,
  example,
  invoicePaid,
  LINKS,
  overdue,
  peopleSubscription,
  sampleMessage,
} from '../../../pictures/sample-messages.ts';

const options = { from: 'Tidings <tidings@Example.com>', to: 'ann@example.com', links: LINKS };

describe('composeMail', () => {
  it('sets every header', () => {
    const mail = composeMail(overdue, { ...options, unsubscribe: 'https://t.example.com/unsubscribe/abc' });
    expect(mail).toMatchObject({
      from: { name: 'Tidings', address: 'tidings@Example.com' },
      to: { name: '', address: 'ann@example.com' },
      subject: expect.stringContaining('has been overdue'),
      date: overdue.at,
    });
    expect(mail.messageId).toMatch(/^<dlv_[0-9a-f]{32}\.[0-9a-f]{16}@example\.com>$/);
    expect(mail.headers).toEqual({
      References: '<record.main.task.412@tidings.example.com>',
      'In-Reply-To': '<record.main.task.412@tidings.example.com>',
      'List-Id': '<team.tidings.example.com>',
      'List-Unsubscribe': '<https://t.example.com/unsubscribe/abc>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    });
  });

  it('has no unsubscribe headers without a link', () => {
    expect(Object.keys(composeMail(overdue, options).headers).filter((name) => /unsub/i.test(name))).toEqual([]);
  });

  it('has the same message id for every attempt to a reader', () => {
    const { messageId } = composeMail(overdue, options);
    expect(composeMail({ ...overdue, at: '2026-11-22T00:00:00.000Z' }, options).messageId).toBe(messageId);
    expect(composeMail(overdue, { ...options, to: 'ANN@example.com' }).messageId).toBe(messageId);
    expect(composeMail(overdue, { ...options, to: 'ben@example.com' }).messageId).not.toBe(messageId);
    expect(composeMail({ ...overdue, delivery: 'dlv_2' }, options).messageId).not.toBe(messageId);
  });

  it('has one thread per record', () => {
    const threadOf = (...events: Parameters<typeof sampleMessage>[0]) =>
      composeMail(sampleMessage(events), options).headers.References;
    expect(threadOf(example('task.closed'))).toBe(threadOf(example('task.overdue')));
    expect(threadOf(example('task.closed'), example('task.overdue'))).toBe(threadOf(example('task.overdue')));
    expect(threadOf(example('task.closed', { id: '1' }))).not.toBe(threadOf(example('task.closed')));
    expect(threadOf({ ...example('task.closed'), source: '/sources/other' })).not.toBe(
      threadOf(example('task.closed')),
    );
    expect(composeMail(invoicePaid, options).headers.References).toBe('<record.main.invoice.812@tidings.example.com>');
    expect(composeMail(digest, options).headers.References).toBeUndefined();
  });

  it('cannot be broken by the text of a record, a name or a subscription', () => {
    fc.assert(
      fc.property(anyEvent, hostile, hostile, (event, text, name) => {
        const given = sampleMessage([{ ...event, source: `/sources/${text}` }], {
          subscription: peopleSubscription(text),
          delivery: text,
        });
        const from = `${name.replaceAll(/[<>]/g, '')} <tidings@example.com>`;
        const mail = composeMail(given, { ...options, from });
        const { References, 'In-Reply-To': answer, 'List-Id': list } = mail.headers;
        for (const id of [mail.messageId, References ?? '', answer ?? '', list ?? ''])
          expect(id).toMatch(/^<[A-Za-z0-9._@-]{10,250}>$/);
        for (const value of [...Object.values(mail.headers), mail.subject, mail.from.name])
          expect(value).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u);
        expect(Object.keys(mail.headers).length).toBeLessThanOrEqual(15);
        expect(mail.from.address).toBe('tidings@example.com');
      }),
      { numRuns: 300 },
    );
  });
});
