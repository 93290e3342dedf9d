/** The mail transport on SES v2, read back where moto keeps what was sent. */

import { randomUUID } from 'node:crypto';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SES_CLIENT, sesTransport } from '../../adapters/ses/transport.ts';
import { composeMail } from '../../core/messages/mail-compose.ts';
import { GiveUp } from '../../core/model/errors.ts';
import { failureOf } from '../adapters/aws/wire.ts';
import { overdue } from '../pictures/parcels.ts';

let client: SESv2Client;
let sender: string;
beforeEach(() => {
  client = new SESv2Client(SES_CLIENT);
  sender = `tidings-${randomUUID()}@example.com`;
});
afterEach(() => client.destroy());

const mailOf = () =>
  composeMail(overdue, {
    from: `Zoë’s Tidings <${sender}>`,
    to: 'ann@example.com',
    unsubscribe: 'https://tidings.example.com/unsubscribe/abc',
  });

interface Kept {
  readonly id: string;
  readonly source: string;
  readonly destinations: readonly string[];
  readonly raw_data: string;
}

async function kept(id: string | undefined): Promise<Kept | undefined> {
  const response = await fetch(`${process.env.AWS_ENDPOINT_URL}/moto-api/data.json`);
  const { ses } = (await response.json()) as { readonly ses: { readonly RawMessage: readonly Kept[] } };
  return ses.RawMessage.find((message) => message.id === id);
}

describe('SES v2', () => {
  it('takes the mail as composed, from the sender it finds in it, for its one reader', async () => {
    await client.send(new CreateEmailIdentityCommand({ EmailIdentity: sender }));
    const mail = mailOf();
    const receipt = await sesTransport({ client }).send(mail);
    expect(receipt).toMatchObject({ status: 200, body: 'taken by SES' });
    const message = await kept(receipt.requestId);
    expect(message?.source).toBe(sender);
    expect(new Set(message?.destinations)).toEqual(new Set(['ann@example.com']));
    const parsed = await PostalMime.parse(message?.raw_data ?? '');
    expect(parsed.from).toEqual({ name: 'Zoë’s Tidings', address: sender });
    expect(parsed.subject).toBe(mail.subject);
    expect(parsed.text?.trimEnd()).toBe(mail.text.trimEnd());
    const headers = new Map(parsed.headers.map(({ key, value }) => [key, value]));
    expect(headers.get('references')).toBe(mail.headers.References);
    expect(headers.get('list-unsubscribe')).toBe('<https://tidings.example.com/unsubscribe/abc>');
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  });

  it('refuses a sender it does not know, and trying again would not help', async () => {
    const error = await failureOf(sesTransport({ client }).send(mailOf()));
    expect(error).toBeInstanceOf(GiveUp);
    expect(error.message).toContain(sender);
    expect(error).toMatchObject({ evidence: { status: 400 } });
  });
});
