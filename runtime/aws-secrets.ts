/** Where secrets are found in AWS. Nothing is asked for before its first use. */

import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { awsSecrets } from '../adapters/secrets/aws-secrets.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { Aws } from './aws.ts';

export function secretsOf({ clients, clock }: Aws): Secrets {
  const { ssm = new SSMClient({}), secretsManager = new SecretsManagerClient({}) } = clients;
  return awsSecrets({ ssm, secretsManager, clock });
}
