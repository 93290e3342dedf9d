/** Where secrets are found in AWS. Nothing is asked for before its first use. */

import { awsSecrets, type SecretEndpoints } from '../adapters/secrets/aws-secrets.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { Aws } from './aws.ts';
import type { Environment } from './config/config.ts';

export function secretsOf({ clients, clock, environment }: Aws): Secrets {
  return awsSecrets({ client: clients.dynamodb, endpoints: secretEndpoints(environment), clock });
}

/** By the variables that every SDK of AWS reads. */
export function secretEndpoints(environment: Environment): SecretEndpoints {
  const { AWS_ENDPOINT_URL: every } = environment;
  return {
    ssm: environment.AWS_ENDPOINT_URL_SSM ?? every,
    secretsManager: environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? every,
  };
}
