/** All ways to receivers in AWS: as everywhere, but mail goes through SES, and there are event buses. */

import type { MailTransport } from '../adapters/email/transport.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { Aws } from './aws.ts';
import { atFirstUse, type Channels, openChannels } from './channels.ts';

export function channelsOf({ config, clients }: Aws, secrets: Secrets): Channels {
  const bus = atFirstUse(async () => (await import('./aws-bus.ts')).busesOf(clients));
  return openChannels({ config, secrets, transport: lazySes(clients), bus });
}

/** Most deliveries are no mails: SES's client is loaded with the first that is. */
function lazySes(clients: Aws['clients']): MailTransport {
  let opened: MailTransport | undefined;
  return {
    async send(mail, signal) {
      opened ??= (await import('./aws-ses.ts')).mailOf(clients);
      return opened.send(mail, signal);
    },
    close: async () => opened?.close(),
  };
}
