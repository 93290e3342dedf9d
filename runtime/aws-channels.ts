/** All ways to receivers in AWS: as everywhere, but mail goes through SES. */

import { SESv2Client } from '@aws-sdk/client-sesv2';
import { sesTransport } from '../adapters/ses/transport.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { Aws } from './aws.ts';
import { type Channels, openChannels } from './channels.ts';

export function channelsOf({ config, clients }: Aws, secrets: Secrets): Channels {
  if (config.mail === undefined) return openChannels({ config, secrets });
  const transport = sesTransport({ client: clients.ses ?? new SESv2Client({}) });
  return openChannels({ config, secrets, transport });
}
