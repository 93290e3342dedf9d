/**
 * Carries mails through SES, each as the same MIME text that SMTP would carry: one encoder for both, our threading and
 * unsubscribe headers exactly as composed, and no bound on their number. What SES answers is judged in judge.ts.
 */

import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { OutgoingMail } from '../../core/messages/mail-compose.ts';
import { type Duration, SECOND } from '../../core/model/time.ts';
import { AwsFault, askAws } from '../aws/ask.ts';
import { encodable } from '../email/encodable.ts';
import type { MailTransport } from '../email/transport.ts';
import { judgeMail } from './judge.ts';

export interface SesOptions {
  /** Made with `SES_CLIENT`. Closed with the transport. */
  readonly client: SESv2Client;
  /** The name of the set through which bounces and complaints are told. @default - that of the account, if it has one */
  readonly configurationSet?: string;
  /** For one mail. @default 15 s */
  readonly timeout?: Duration;
}

/**
 * A mail whose answer was lost may have gone out: trying again is decided where attempts are recorded, not in the SDK.
 */
export const SES_CLIENT = { maxAttempts: 1 } as const;

const TIMEOUT = 15 * SECOND;

export function sesTransport({ client, configurationSet, timeout = TIMEOUT }: SesOptions): MailTransport {
  return {
    async send(mail, signal) {
      // No FromEmailAddress: the mail's own From counts, with the name in it.
      const command = new SendEmailCommand({
        Destination: { ToAddresses: [mail.to.address] },
        Content: { Raw: { Data: await encode(mail) } },
        ConfigurationSetName: configurationSet,
      });
      try {
        const { MessageId, $metadata } = await askAws((options) => client.send(command, options), { timeout, signal });
        const status = $metadata.httpStatusCode ?? 200;
        return { status, body: 'taken by SES', ...(MessageId === undefined ? {} : { requestId: MessageId }) };
      } catch (error) {
        throw error instanceof AwsFault ? judgeMail(error, mail, configurationSet) : error;
      }
    },
    close: async () => client.destroy(),
  };
}

function encode(mail: OutgoingMail): Promise<Buffer> {
  return new MailComposer({ ...encodable(mail), newline: '\r\n' }).compile().build();
}
