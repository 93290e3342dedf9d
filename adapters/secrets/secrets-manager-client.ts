/** The part of the Secrets Manager SDK that we use, loaded at first use. A module of its own for the reason in ssm-client.ts. */

import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type AwsClientSettings, FAST_REQUEST_HANDLER } from '../aws/client-settings.ts';

export { GetSecretValueCommand };

export const openSecretsManagerClient = (settings?: AwsClientSettings) =>
  new SecretsManagerClient({ ...settings, requestHandler: FAST_REQUEST_HANDLER });
