/** All ways to receivers in AWS: as everywhere, but mail goes through SES, and there are event buses. */

import { busChannels } from '../../adapters/channels/bus/channel.ts';
import type { HttpTransport } from '../../adapters/http/http-transport.ts';
import { sesTransport } from '../../adapters/ses/transport.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import { type Channels, openChannels } from '../channels.ts';
import type { Config } from '../config/config.ts';
import type { AwsContext } from './context.ts';
import { CONFIGURATION_SET, DEPLOYMENT, MANAGE_URL } from './environment.ts';

export function openAwsChannels(aws: AwsContext, secrets: Secrets, http: HttpTransport): Channels {
  const { clientSettings, environment } = aws;
  return openChannels({
    config: withManageUrl(aws),
    secrets,
    http,
    transport: sesTransport({ settings: clientSettings.mail, configurationSet: environment[CONFIGURATION_SET] }),
    bus: busChannels({ settings: clientSettings.bus }),
    stack: environment[DEPLOYMENT],
  });
}

/** Where the config does not say where links lead, they lead to the API that the stack made. */
function withManageUrl({ config, environment }: Pick<AwsContext, 'config' | 'environment'>): Config {
  const url = environment[MANAGE_URL];
  if (config.manage === undefined || config.manage.url !== undefined || url === undefined) return config;
  return { ...config, manage: { ...config.manage, url } };
}
