/** All ways to receivers in AWS: as everywhere, but mail goes through SES. */

import type { MailTransport } from '../adapters/email/transport.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { Aws } from './aws.ts';
import { type Channels, openChannels } from './channels.ts';

export function channelsOf({ config, clients }: Aws, secrets: Secrets): Channels {
  if (config.mail === undefined) return openChannels({ config, secrets });
  return openChannels({
    config,
    secrets,
    transport: atFirstMail(async () => (await import('./aws-ses.ts')).mailOf(clients)),
  });
}

/** Most deliveries are no mail: a function that starts for one of those need not load what sends mail. */
function atFirstMail(open: () => Promise<MailTransport>): MailTransport {
  let opening: Promise<MailTransport> | undefined;
  return {
    async send(mail, signal) {
      opening ??= open();
      return (await opening).send(mail, signal);
    },
    close: async () => (await opening)?.close(),
  };
}
