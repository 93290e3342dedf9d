/** The part of the SES SDK that we use, loaded at first use. A module of its own so that the bundler drops the other operations. */

import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { SECOND } from '../../core/model/time.ts';
import type { AwsClientSettings } from '../aws/client-settings.ts';

export { SendEmailCommand };

/**
 * One attempt and no request timeout: SES may have sent a mail whose response was lost, so a retry here could send it
 * twice. Retries are decided where attempts are recorded; `callAws` sets the deadline.
 */
export const openSesClient = (settings?: AwsClientSettings) =>
  new SESv2Client({ ...settings, maxAttempts: 1, requestHandler: { connectionTimeout: 3 * SECOND } });
