/**
 * Carries mails through SES. Words and headers go there as they were composed, and SES makes the MIME text of them: its
 * encoder is the one that knows what mailboxes have trouble with. What SES answers is judged in judge.ts.
 */

import { NodeHttpHandler } from '@smithy/node-http-handler';
import { type Duration, SECOND } from '../../core/model/time.ts';
import { AwsFault, callAws } from '../aws/call.ts';
import { type By, type JsonServiceOptions, jsonService } from '../aws/json-service.ts';
import type { Mailbox, OutgoingMail } from '../channels/email/compose-mail.ts';
import { type MailTransport, oneLine } from '../channels/email/transport.ts';
import { toDeliveryError } from './ses-errors.ts';

export interface SesOptions {
  /** Lends its credentials and region. */
  readonly client: JsonServiceOptions['client'];
  /** @default - AWS's own of the client's region */
  readonly endpoint?: string | undefined;
  /** The name of the set through which bounces and complaints are told. @default - that of the account, if it has one */
  readonly configurationSet?: string;
  /** For one mail. @default 15 s */
  readonly timeout?: Duration;
}

const TIMEOUT = 15 * SECOND;
const SEND = '/v2/email/outbound-emails';

export function sesTransport({ client, endpoint, configurationSet, timeout = TIMEOUT }: SesOptions): MailTransport {
  // The client's own connections are cut after seconds, and a mail whose answer was cut off may have gone out.
  const connections = new NodeHttpHandler({ connectionTimeout: 3 * SECOND });
  // For the same reason it is asked once: trying again is decided where attempts are recorded.
  const ses = jsonService({ client, service: 'ses', host: 'email', endpoint, tries: 1, connections });
  return {
    async send(mail, signal) {
      const input = inputOf(mail, configurationSet);
      try {
        const { body } = await callAws((by: By) => ses(SEND, input, by), { timeout, signal });
        const id = typeof body.MessageId === 'string' ? { requestId: body.MessageId } : {};
        return { status: 200, body: 'taken by SES', ...id };
      } catch (error) {
        throw error instanceof AwsFault ? toDeliveryError(error, mail, configurationSet) : error;
      }
    },
    close: async () => connections.destroy(),
  };
}

/** Without an id and a date: SES puts its own in the place of ours. */
function inputOf({ from, to, subject, text, html, headers }: OutgoingMail, configurationSet: string | undefined) {
  const words = (Data: string) => ({ Data: Data.toWellFormed(), Charset: 'UTF-8' });
  return {
    FromEmailAddress: mailboxText(from),
    Destination: { ToAddresses: [mailboxText(to)] },
    Content: {
      Simple: {
        Subject: words(subject),
        Body: { Text: words(text), ...(html === undefined ? {} : { Html: words(html) }) },
        Headers: Object.entries(headers).map(([Name, value]) => ({ Name, Value: oneLine(value) })),
      },
    },
    ...(configurationSet === undefined ? {} : { ConfigurationSetName: configurationSet }),
  };
}

/** As a header has it. SES encodes words, but no names: those it takes in ASCII alone. */
function mailboxText({ name, address }: Mailbox): string {
  if (name === '') return address;
  const shown = /^[\x20-\x7e]*$/.test(name) ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : encodedWords(name);
  return `${shown} <${address}>`;
}

/** A word may have 75 characters (RFC 2047), of which 12 say what it is: 45 bytes, and no character in two words. */
const WORD_BYTES = 45;

function encodedWords(name: string): string {
  const words = [''];
  for (const character of name) {
    const longer = `${words.at(-1)}${character}`;
    if (Buffer.byteLength(longer) > WORD_BYTES) words.push(character);
    else words[words.length - 1] = longer;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}
