/**
 * Sends mail through SES. Text and headers are passed as composed, and SES builds the MIME message. Errors are
 * classified in ses-errors.ts.
 */

import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import { type Duration, SECOND } from '../../core/model/time.ts';
import { AwsError, callAws } from '../aws/call.ts';
import type { AwsClientSettings } from '../aws/client-settings.ts';
import type { OutgoingMail } from '../channels/email/compose-mail.ts';
import type { Mailbox } from '../channels/email/mailbox.ts';
import { type MailTransport, oneLine } from '../channels/email/transport.ts';
import { toDeliveryError } from './ses-errors.ts';

export interface SesOptions {
  /** @default - the SDK's own */
  readonly settings?: AwsClientSettings;
  /** Name of the configuration set that reports bounces and complaints. @default - the account's default, if any */
  readonly configurationSet?: string;
  /** For one mail. @default 15 s */
  readonly timeout?: Duration;
}

const TIMEOUT = 15 * SECOND;

export function sesTransport({ settings, configurationSet, timeout = TIMEOUT }: SesOptions): MailTransport {
  let opened: ReturnType<typeof openSes> | undefined;
  return {
    async send(mail, signal) {
      const input = sendEmailInput(mail, configurationSet);
      opened ??= openSes(settings);
      const { client, SendEmailCommand } = await opened;
      try {
        const command = new SendEmailCommand(input);
        const { MessageId } = await callAws(client, (options) => client.send(command, options), { timeout, signal });
        return { status: 200, body: 'accepted by SES', requestId: MessageId };
      } catch (error) {
        throw error instanceof AwsError ? toDeliveryError(error, mail, configurationSet) : error;
      }
    },
    close: async () => (await opened)?.client.destroy(),
  };
}

async function openSes(settings?: AwsClientSettings) {
  const { openSesClient, SendEmailCommand } = await import('./ses-client.ts');
  return { client: openSesClient(settings), SendEmailCommand };
}

/** Without a message id and a date: SES sets its own. */
function sendEmailInput(
  { from, to, subject, text, html, headers }: OutgoingMail,
  configurationSet: string | undefined,
): SendEmailCommandInput {
  const content = (Data: string) => ({ Data: Data.toWellFormed(), Charset: 'UTF-8' });
  return {
    FromEmailAddress: formatMailbox(from),
    Destination: { ToAddresses: [formatMailbox(to)] },
    Content: {
      Simple: {
        Subject: content(subject),
        Body: { Text: content(text), Html: html === undefined ? undefined : content(html) },
        Headers: Object.entries(withoutLong(headers)).map(([Name, value]) => ({ Name, Value: oneLine(value) })),
      },
    },
    ConfigurationSetName: configurationSet,
  };
}

/** Characters. SES refuses a mail with a longer header value. */
const MAX_HEADER_LENGTH = 870;

const LINK = 'List-Unsubscribe';
const ONE_CLICK = 'List-Unsubscribe-Post';

/** Only the link can be long, if the base URL is. It is in the text of the mail as well, so the mail is sent without. */
function withoutLong(headers: OutgoingMail['headers']): OutgoingMail['headers'] {
  const isTooLong = (name: string) => (headers[name] ?? '').length > MAX_HEADER_LENGTH;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isTooLong(name === ONE_CLICK ? LINK : name)));
}

/** As a header value. SES encodes subjects and bodies but not display names, which must be ASCII. */
function formatMailbox({ name, address }: Mailbox): string {
  if (name === '') return address;
  const shown = /^[\x20-\x7e]*$/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : encodeWords(name);
  return `${shown} <${address}>`;
}

/** RFC 2047 allows 75 characters per encoded word, 12 of which are markup: 45 bytes of text in base64. */
const WORD_BYTES = 45;

/** No character is split between two words. */
function encodeWords(name: string): string {
  const words = [''];
  for (const character of name) {
    const longer = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(longer) > WORD_BYTES) words.push(character);
    else words[words.length - 1] = longer;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
