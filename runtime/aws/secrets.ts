/** Where secrets are found in AWS. Nothing is asked for before its first use. */

import { awsSecrets, type SecretEndpoints } from '../../adapters/secrets/aws-secrets.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { Environment } from '../config/config.ts';
import type { Aws } from './context.ts';
import { endpointOf } from './environment.ts';

export function secretsOf({ clients, clock, environment }: Aws): Secrets {
  return awsSecrets({ client: clients.dynamodb, endpoints: secretEndpoints(environment), clock });
}

export function secretEndpoints(environment: Environment): SecretEndpoints {
  return { ssm: endpointOf(environment, 'SSM'), secretsManager: endpointOf(environment, 'SECRETS_MANAGER') };
}
