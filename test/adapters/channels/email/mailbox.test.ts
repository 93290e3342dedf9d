import { describe, expect, it } from 'vitest';
import { readMailbox } from '../../../../adapters/channels/email/mailbox.ts';
import { GiveUp } from '../../../../core/model/errors.ts';

describe('readMailbox', () => {
  it.each([
    ['ann@example.com', { name: '', address: 'ann@example.com' }],
    ['Ann <ann@example.com>', { name: 'Ann', address: 'ann@example.com' }],
    ['"Vogt, Zoë" <z.v+x@mail.example.com> ', { name: 'Vogt, Zoë', address: 'z.v+x@mail.example.com' }],
    ['=?UTF-8?Q?=0D=0ABcc:_b?= <ann@example.com>', { name: '= ?UTF-8?Q?=0D=0ABcc:_b?=', address: 'ann@example.com' }],
    ['a\r\nBcc: b <ann@example.com>', { name: 'a Bcc: b', address: 'ann@example.com' }],
  ])('reads %j', (text, mailbox) => {
    expect(readMailbox(text, 'mail.from')).toEqual(mailbox);
  });

  it.each(['', 'ann', 'ann@', '@example.com', 'ann@example.com, ben@example.com', 'ann@example.com\r\nBcc: x@y.z'])(
    'refuses %j, and says where',
    (text) => {
      expect(() => readMailbox(text, 'mail.from')).toThrow(GiveUp);
      expect(() => readMailbox(text, 'mail.from')).toThrow(
        /^mail\.from: expected a mail address such as 'ann@example.com', got '/,
      );
    },
  );
});
