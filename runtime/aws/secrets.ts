/** Opens the secrets of a function. Nothing is read, and no SDK client is loaded, before the first use. */

import { awsSecrets } from '../../adapters/secrets/aws-secrets.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import type { Aws } from './context.ts';

export function secretsOf({ clientSettings, clock }: Aws): Secrets {
  return awsSecrets({ settings: clientSettings.secrets, clock });
}
