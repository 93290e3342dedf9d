/** All ways to receivers in AWS: as everywhere, but mail goes through SES, and there are event buses. */

import type { MailTransport } from '../adapters/email/transport.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { Aws } from './aws.ts';
import { MANAGE_URL } from './aws-environment.ts';
import { atFirstUse, type Channels, openChannels } from './channels.ts';
import type { Config } from './config/config.ts';

export function channelsOf(aws: Aws, secrets: Secrets): Channels {
  const bus = atFirstUse(async () => (await import('./aws-bus.ts')).busesOf(aws.clients));
  return openChannels({ config: withManageUrl(aws), secrets, transport: lazySes(aws), bus });
}

/** Where the config does not say where links lead, they lead to the API that the stack made. */
function withManageUrl({ config, environment }: Pick<Aws, 'config' | 'environment'>): Config {
  const url = environment[MANAGE_URL];
  if (config.manage === undefined || config.manage.url !== undefined || url === undefined) return config;
  return { ...config, manage: { ...config.manage, url } };
}

/** Most deliveries are no mails: SES's client is loaded with the first that is. */
function lazySes(aws: Pick<Aws, 'clients' | 'environment'>): MailTransport {
  let opened: MailTransport | undefined;
  return {
    async send(mail, signal) {
      opened ??= (await import('./aws-ses.ts')).mailOf(aws);
      return opened.send(mail, signal);
    },
    close: async () => opened?.close(),
  };
}
