/** Opens the mail channel: with SES in AWS, otherwise with SMTP. */

import { GiveUp } from '../../../core/model/errors.ts';
import type { Sender, SenderContext } from '../definition.ts';
import { emailChannels } from './channel.ts';
import type { EmailSettings } from './settings.ts';
import type { MailTransport } from './transport.ts';

export async function openEmail(context: SenderContext): Promise<Sender<EmailSettings>> {
  const { links, mail, manage } = context.config;
  const transport = await openTransport(context);
  if (mail === undefined || transport === undefined) {
    // Happens if the mail section was removed after the subscription was added.
    throw new GiveUp('TIDINGS_MAIL_NOT_SET_UP', 'mail: expected from and smtp in the config, got nothing');
  }
  const { url, secret } = manage ?? {};
  const unsubscribe = url === undefined || secret === undefined ? undefined : { url, secret };
  return emailChannels({ mail, transport, links, secrets: context.secrets, unsubscribe });
}

async function openTransport({ config: { mail }, secrets, aws }: SenderContext): Promise<MailTransport | undefined> {
  if (aws !== undefined) {
    const { sesTransport } = await import('../../ses/transport.ts');
    const { clientSettings, configurationSet } = aws;
    return sesTransport({ settings: clientSettings.mail, configurationSet });
  }
  if (mail?.smtp === undefined) return undefined;
  const { smtpTransport } = await import('./smtp.ts');
  return smtpTransport({ url: mail.smtp, secrets });
}
