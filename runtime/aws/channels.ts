/** Opens the channels in AWS: mail goes out through SES, and event buses can be reached. */

import { type Channels, openChannels } from '../../adapters/channels/registry.ts';
import type { HttpTransport } from '../../adapters/http/http-transport.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { Config } from '../config/config.ts';
import type { AwsContext } from './context.ts';
import { CONFIGURATION_SET, DEPLOYMENT, MANAGE_URL } from './environment.ts';

export function openAwsChannels(aws: AwsContext, secrets: Secrets, http: HttpTransport): Channels {
  const { clientSettings, environment } = aws;
  const configurationSet = environment[CONFIGURATION_SET];
  return openChannels({
    config: withManageUrl(aws),
    secrets,
    http,
    aws: { clientSettings, configurationSet, stack: environment[DEPLOYMENT] },
  });
}

/** Without `manage.url` in the config, links lead to the API of the stack. */
function withManageUrl({ config, environment }: Pick<AwsContext, 'config' | 'environment'>): Config {
  const url = environment[MANAGE_URL];
  if (config.manage === undefined || config.manage.url !== undefined || url === undefined) return config;
  return { ...config, manage: { ...config.manage, url } };
}
