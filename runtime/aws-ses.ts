/** Mail through SES, in a file of its own: only a function that sends mail loads it. */

import { SESv2Client } from '@aws-sdk/client-sesv2';
import type { MailTransport } from '../adapters/email/transport.ts';
import { SES_CLIENT, sesTransport } from '../adapters/ses/transport.ts';
import type { Aws } from './aws.ts';

export function mailOf({ ses = new SESv2Client(SES_CLIENT) }: Aws['clients']): MailTransport {
  return sesTransport({ client: ses });
}
