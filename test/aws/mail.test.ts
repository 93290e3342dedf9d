/** The mail transport on SES v2. Reads the sent mails back from moto. */

import { randomUUID } from 'node:crypto';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { composeMail } from '../../adapters/channels/email/compose-mail.ts';
import { sesTransport } from '../../adapters/ses/transport.ts';
import { GiveUp } from '../../core/model/errors.ts';
import { failureOf } from '../adapters/aws/aws-server.ts';
import { overdue } from '../pictures/sample-messages.ts';

let client: SESv2Client;
let sender: string;
beforeEach(() => {
  client = new SESv2Client();
  sender = `tidings-${randomUUID()}@example.com`;
});
afterEach(() => client.destroy());

const open = () => sesTransport({});

const mailOf = () =>
  composeMail(overdue, {
    from: `Zoë’s Tidings <${sender}>`,
    to: 'ann@example.com',
    unsubscribe: 'https://tidings.example.com/unsubscribe/abc',
  });

/** A mail as moto stores it: without headers, and without the text part of an HTML mail. */
interface Kept {
  readonly id: string;
  readonly source: string;
  readonly destinations: { readonly ToAddresses: readonly string[] };
  readonly subject: string;
  readonly body: string;
}

async function kept(id: string | undefined): Promise<Kept | undefined> {
  const response = await fetch(`${process.env.AWS_ENDPOINT_URL}/moto-api/data.json`);
  const { ses } = (await response.json()) as { readonly ses: { readonly Message: readonly Kept[] } };
  return ses.Message.find((message) => message.id === id);
}

describe('SES v2', () => {
  it('accepts the composed mail with its sender and one recipient', async () => {
    await client.send(new CreateEmailIdentityCommand({ EmailIdentity: sender }));
    const mail = mailOf();
    const receipt = await open().send(mail);
    expect(receipt).toMatchObject({ status: 200, body: 'accepted by SES' });
    const message = await kept(receipt.requestId);
    expect(message?.source).toMatch(/^=\?UTF-8\?B\?\S+\?= <tidings-[0-9a-f-]+@example\.com>$/);
    expect(message?.source).toContain(`<${sender}>`);
    expect(message?.destinations).toEqual({ ToAddresses: ['ann@example.com'] });
    expect(message?.subject).toBe(mail.subject);
    expect(message?.body).toBe(mail.html);
  });

  it('rejects an unverified sender, without a retry', async () => {
    const error = await failureOf(open().send(mailOf()));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error.message).toContain(sender);
    expect(error).toMatchObject({ evidence: { status: 400 } });
  });
});
