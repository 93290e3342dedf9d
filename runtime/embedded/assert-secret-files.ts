/** Checks at start that every `file:` secret of the config can be read, and reports all that cannot. Shows no secret. */

import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { errorMessage, UsageError } from '../../core/model/errors.ts';
import { secretsIn } from '../config/aws-references.ts';
import type { Config } from '../config/config.ts';

export async function assertSecretFiles({ sources, subscriptions, mail, manage, slack }: Config): Promise<void> {
  const owners: readonly (readonly [string, readonly string[]])[] = [
    ...sources.map(({ name, token }) => [`source '${name}'`, [token]] as const),
    ...subscriptions.map(({ name, to }) => [`subscription '${name}'`, secretsIn(to.settings)] as const),
    ['mail.smtp', secretsIn({ smtp: mail?.smtp })],
    ['manage.secret', secretsIn({ secret: manage?.secret })],
    ['slack', secretsIn(slack)],
  ];
  const { resolve } = localSecrets({ environment: {}, directory: '' });
  const checks = owners.flatMap(([owner, references]) =>
    references
      .filter((reference) => reference.startsWith('file:'))
      .map((reference) =>
        resolve(reference).then(
          () => [],
          (error: unknown) => [`  ${owner}: ${errorMessage(error)}`],
        ),
      ),
  );
  const problems = (await Promise.all(checks)).flat();
  if (problems.length === 0) return;
  throw new UsageError(
    'TIDINGS_SECRET_FILE_MISSING',
    ['expected every secret file of the config to be readable', ...problems].join('\n'),
  );
}
