/** Opens the secrets of a data directory, keeps their files private, and deletes literal secrets that are not used any more. */

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LocalSecrets, localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { type MasterSecret, withMasterSecret } from '../../adapters/secrets/master-secret.ts';
import type { Database } from '../../adapters/sqlite/database.ts';
import { restrictAccess } from '../../adapters/sqlite/private-files.ts';
import { formerSecrets, type Subscription } from '../../core/model/subscription.ts';
import { DAY, type Instant, plus } from '../../core/model/time.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import type { Config, Environment } from '../config/config.ts';
import { secretsDirectoryOf } from './data-directory.ts';

/** Corrects the modes of the directory and its files, and reports it. */
export function openDataSecrets(
  { file, report }: Pick<Database, 'file' | 'report'>,
  environment: Environment,
): LocalSecrets {
  const directory = secretsDirectoryOf(dirname(file));
  if (file !== ':memory:' && existsSync(directory)) restrictAccess(directory, listFiles(directory), report);
  return localSecrets({ environment, directory });
}

/** The file of the master secret of an installation whose config has none. */
const MASTER_SECRET = 'master';

/** The same with the master secret of the installation, which derives and seals the secrets of subscriptions. */
export function openServiceSecrets(
  { manage }: Pick<Config, 'manage'>,
  database: Pick<Database, 'file' | 'report'>,
  environment: Environment,
): LocalSecrets & MasterSecret {
  const dataSecrets = openDataSecrets(database, environment);
  return withMasterSecret(dataSecrets, {
    master: () => manage?.secret ?? dataSecrets.keepRandom(MASTER_SECRET),
    // Made before the config had a section `manage`.
    former: [`kept:${MASTER_SECRET}`],
  });
}

/** A directory that cannot be read is noticed when a secret in it is needed. */
function listFiles(directory: string): readonly string[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}

/**
 * How long a literal secret is kept after its last use. Another process may have written the file for a subscription that
 * it has not saved yet, and the clock may be put back into a rotation that has ended.
 */
const UNUSED_LITERAL_MS = 7 * DAY;

/** Call it after the subscriptions of the config were stored. */
export async function deleteUnusedLiterals(
  { deleteLiterals }: Pick<LocalSecrets, 'deleteLiterals'>,
  subscriptions: Pick<SubscriptionStore, 'list'>,
  now: Instant,
): Promise<void> {
  const before = plus(now, -UNUSED_LITERAL_MS);
  const used = (await subscriptions.list()).map((one) => JSON.stringify(withoutEndedRotation(one, before)));
  deleteLiterals({ except: (reference) => used.some((text) => text.includes(`"${reference}"`)), before });
}

/** The secrets that a rotation replaced sign until their end. */
function withoutEndedRotation(subscription: Subscription, before: Instant): object {
  const { rotation } = subscription;
  if (rotation === undefined) return subscription;
  const { secret, replaces } = rotation;
  return { ...subscription, rotation: { secret, replaces, former: formerSecrets(rotation, before) } };
}
