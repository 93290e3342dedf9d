/** The SES SDK, imported at first use. A separate module, so that the bundler drops unused operations. */

import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { SECOND } from '../../core/model/time.ts';
import type { AwsClientSettings } from '../aws/client-settings.ts';

export { SendEmailCommand };

/**
 * One attempt and no request timeout: SES may have sent a mail whose response was lost, so a retry here could send it
 * twice. core/delivery decides about retries; `callAws` sets the deadline.
 */
export const openSesClient = (settings?: AwsClientSettings) =>
  new SESv2Client({ ...settings, maxAttempts: 1, requestHandler: { connectionTimeout: 3 * SECOND } });
