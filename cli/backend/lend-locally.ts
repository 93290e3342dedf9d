/** Makes the subscription of a listener in the stores, with the validation of the config. It ends by itself unless it is renewed. */

import { ConfigError } from '../../core/model/errors.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import { addSubscription, changeSubscription, removeSubscription } from '../../core/subscriptions/verbs.ts';
import { environmentSecrets, installationOf } from '../../runtime/config/installation.ts';
import { validateSubscription } from '../../runtime/config/validate-subscription.ts';
import { referenceLiterals } from '../../runtime/embedded/reference-literals.ts';
import type { Stores } from '../../runtime/inspect/stores.ts';
import { type Context, DEFAULT_CONFIG, type Location } from '../context.ts';
import { loadConfigFor } from '../load-config.ts';
import { operatorOf, verbPorts } from '../operator.ts';
import type { TemporarySubscription } from './backend.ts';

interface LocalPorts {
  readonly location: Location;
  readonly context: Context;
  /** Opens the stores, or makes them: only for a valid subscription. */
  readonly open: () => Promise<Stores>;
}

export async function extendLocally(
  name: string,
  expiresAt: Instant,
  { location, context, open }: LocalPorts,
): Promise<boolean> {
  const config = loadConfigFor({ config: location.config ?? DEFAULT_CONFIG }, context.environment);
  const ports = { ...verbPorts(await open(), context), config };
  const changed = await changeSubscription(ports, operatorOf(context), name, (stored) => ({ ...stored, expiresAt }));
  return changed !== undefined;
}

export async function lendLocally(
  { name, url, events, secret, expiresAt }: TemporarySubscription,
  { location, context, open }: LocalPorts,
): Promise<void> {
  const { environment } = context;
  const { config: file = DEFAULT_CONFIG } = location;
  const config = loadConfigFor({ config: file }, environment);
  const installation = installationOf(config, 'embedded', environmentSecrets(environment));
  const tree = { name, events, to: { http: { url, secret } } };
  const { subscription, problems } = validateSubscription(tree, installation);
  if (subscription === undefined) throw new ConfigError(file, problems);
  const stores = await open();
  const { keepLiteral } = stores.secrets;
  const kept = keepLiteral === undefined ? subscription : referenceLiterals(subscription, keepLiteral);
  const wanted: Subscription = { ...kept, expiresAt };
  const ports = { ...verbPorts(stores, context), config };
  const author = operatorOf(context);
  // One that a killed listener left: only one process has the port in its name.
  if ((await stores.subscriptions.get(name)) !== undefined) await removeSubscription(ports, author, name);
  await addSubscription(ports, author, wanted);
}
