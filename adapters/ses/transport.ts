/** Mail through SES v2. It encodes and hands over; words and headers are made before. */

import { type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { RetryLater } from '../../core/model/errors.ts';
import { DEFERRED, type MailTransport } from '../email/transport.ts';

export interface SesTransportOptions {
  readonly client: SESv2Client;
}

export function sesTransport({ client }: SesTransportOptions): MailTransport {
  return {
    async send({ from, to, subject, text, html, headers }) {
      const command = new SendEmailCommand({
        FromEmailAddress: from.name === '' ? from.address : `"${from.name}" <${from.address}>`,
        Destination: { ToAddresses: [to.address] },
        Content: {
          Simple: {
            Subject: { Data: subject },
            Body: { Text: { Data: text }, ...(html === undefined ? {} : { Html: { Data: html } }) },
            Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
          },
        },
      });
      try {
        const { MessageId } = await client.send(command);
        return { status: 200, ...(MessageId === undefined ? {} : { requestId: MessageId }) };
      } catch (error) {
        throw new RetryLater(DEFERRED, `SES did not take the mail: ${error instanceof Error ? error.name : ''}`);
      }
    },
    close: async () => client.destroy(),
  };
}
