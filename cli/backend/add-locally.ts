/** Adds the subscription in a file to those of the config, with the same validation. */

import { describeAddress } from '../../adapters/channels/registry.ts';
import { type ConfigProblem, UsageError } from '../../core/model/errors.ts';
import { isSameValue } from '../../core/model/json.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { addSubscription, changeSubscription } from '../../core/subscriptions/verbs.ts';
import { assertDeliverable } from '../../runtime/channels.ts';
import { permissionsOf, referencesOf } from '../../runtime/config/aws-references.ts';
import type { Config } from '../../runtime/config/config.ts';
import { findConfigWarnings } from '../../runtime/config/find-warnings.ts';
import { openAddition } from '../../runtime/config/load-subscription.ts';
import { referenceLiterals } from '../../runtime/embedded/reference-literals.ts';
import type { Stores } from '../../runtime/inspect/stores.ts';
import { withStoredSources } from '../../runtime/stored-sources.ts';
import { type Context, DEFAULT_CONFIG, type Location } from '../context.ts';
import { loadConfigFor } from '../load-config.ts';
import { operatorOf, verbPorts } from '../operator.ts';
import type { AddedSubscription } from './backend.ts';

/** @param open opens the stores, or makes them: only for a valid subscription */
export async function addLocally(
  file: string,
  query: string | undefined,
  { location, context, open }: { location: Location; context: Context; open: () => Promise<Stores> },
): Promise<AddedSubscription> {
  const { environment } = context;
  const { aws, config: configFile = DEFAULT_CONFIG } = location;
  const declared = loadConfigFor({ config: configFile, aws }, environment);
  const mode = aws === undefined ? 'embedded' : 'aws';
  const validate = openAddition(file);
  // With the sources of the config before the stores are made, then with all that are in effect.
  const given = validate({ config: declared, mode, environment, query });
  if (aws === undefined) {
    assertDeliverable({ subscriptions: [given], mail: declared.mail }, 'embedded', () => `${file}: `);
  }
  const stores = await open();
  const config = withStoredSources(declared, await stores.storedSources.list());
  const subscription = validate({ config, mode, environment, query });
  const notes = aws === undefined ? [] : missingPermissions(subscription, config);
  const { keepLiteral } = stores.secrets;
  const wanted = keepLiteral === undefined ? subscription : referenceLiterals(subscription, keepLiteral);
  const { name, events, to } = subscription;
  const ports = { ...verbPorts(stores, context), config };
  const author = operatorOf(context);
  const assertAllowed = ({ declared }: Subscription) => {
    if (!declared) return;
    const message = `subscription '${name}' is declared in the config; change it there`;
    throw new UsageError('TIDINGS_SUBSCRIPTION_DECLARED', message);
  };
  const added = await addSubscription(ports, author, wanted);
  if (added.kind === 'taken' && added.stored.name !== name) {
    const message = `'${name}' is the former name of subscription '${added.stored.name}': choose another name`;
    throw new UsageError('TIDINGS_SUBSCRIPTION_DECLARED', message);
  }
  const isNew = added.kind !== 'taken';
  if (!isNew) await changeSubscription(ports, author, name, () => wanted, { assertAllowed });
  const warnings = findConfigWarnings({ ...config, subscriptions: [subscription] }).map(inFile);
  return { name, events, address: describeAddress(to), isNew, notes, warnings };
}

/** The file contains only the subscription, so paths in it have no prefix. */
const inFile = ({ path, message }: ConfigProblem): ConfigProblem => ({
  path: path.replace(/^subscriptions\[0\]\./, ''),
  message,
});

/** The deliver function has permissions for the deployed config only: anything else needs a deployment. */
function missingPermissions(subscription: Subscription, config: Config): readonly string[] {
  const alone = { ...config, subscriptions: [subscription] };
  const secrets = referencesOf(alone).deliver.filter((one) => !referencesOf(config).deliver.includes(one));
  const granted = permissionsOf(config);
  const missing = permissionsOf(alone).filter((one) => !granted.some((other) => isSameValue(one, other)));
  return [
    ...secrets.map(
      (one) => `permission missing: add ${one} to moreSecrets of the stack and deploy, so that deliver can read it`,
    ),
    ...missing.map(
      ({ action, name }) =>
        `permission missing: deliver has no ${action} on ${name}; only subscriptions in the config grant it`,
    ),
  ];
}
