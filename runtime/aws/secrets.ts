/** Opens the secrets of a function. Nothing is read, and no SDK client is loaded, before the first use. */

import { awsSecrets } from '../../adapters/secrets/aws-secrets.ts';
import { type MasterSecret, withMasterSecret } from '../../adapters/secrets/master-secret.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import { type AwsContext, oncePerContext } from './context.ts';

/** The same for all parts of a process: a change of the sources must not read the tokens of all of them again. */
export const openSecrets = oncePerContext(({ clientSettings, clock, config }: AwsContext): Secrets & MasterSecret => {
  const secrets = awsSecrets({ settings: clientSettings.secrets, clock });
  return withMasterSecret(secrets, { master: () => config.manage?.secret });
});
