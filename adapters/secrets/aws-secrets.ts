/** Secrets from AWS: `ssm:/path` of Parameter Store, `secret:name` or `secret:name#key` of Secrets Manager. */

import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { GiveUp } from '../../core/model/errors.ts';
import { between, type Clock, type Instant, MINUTE } from '../../core/model/time.ts';
import type { Secrets } from '../../core/ports/secrets.ts';

export interface AwsSecretsOptions {
  readonly ssm: SSMClient;
  readonly secretsManager: SecretsManagerClient;
  readonly clock: Clock;
}

/** A secret that was changed is in force everywhere this much later. */
const KEPT = 5 * MINUTE;

export function awsSecrets({ ssm, secretsManager, clock }: AwsSecretsOptions): Secrets {
  const known = new Map<string, { readonly value: string; readonly at: Instant }>();

  const read = async (reference: string): Promise<string | undefined> => {
    if (reference.startsWith('ssm:')) {
      const command = new GetParameterCommand({ Name: reference.slice('ssm:'.length), WithDecryption: true });
      return (await ssm.send(command)).Parameter?.Value;
    }
    const [name = '', key] = reference.slice('secret:'.length).split('#');
    const { SecretString = '' } = await secretsManager.send(new GetSecretValueCommand({ SecretId: name }));
    return key === undefined ? SecretString : JSON.parse(SecretString)[key];
  };

  return {
    async resolve(reference) {
      const found = known.get(reference);
      if (found !== undefined && between(found.at, clock.now()) < KEPT) return found.value;
      const value = await read(reference).catch(() => undefined);
      if (value === undefined) throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `'${reference}' cannot be read`);
      known.set(reference, { value, at: clock.now() });
      return value;
    },

    async keep(name) {
      throw new GiveUp('TIDINGS_SECRET_UNAVAILABLE', `a secret for '${name}' cannot be kept here`);
    },
  };
}
