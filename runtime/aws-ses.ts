/** Mail through SES, in a file of its own: only a function that sends mail loads it. */

import { SESv2Client } from '@aws-sdk/client-sesv2';
import type { MailTransport } from '../adapters/email/transport.ts';
import { SES_CLIENT, sesTransport } from '../adapters/ses/transport.ts';
import type { Aws } from './aws.ts';
import { CONFIGURATION_SET } from './aws-environment.ts';

export function mailOf({ clients, environment }: Pick<Aws, 'clients' | 'environment'>): MailTransport {
  const { ses = new SESv2Client(SES_CLIENT) } = clients;
  const configurationSet = environment[CONFIGURATION_SET];
  return sesTransport({ client: ses, ...(configurationSet === undefined ? {} : { configurationSet }) });
}
