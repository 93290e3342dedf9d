/** `tidings subscriptions add`: adds a subscription that is not in the config, with the same validation. */

import type { Command } from 'commander';
import { describeAddress } from '../adapters/channels/registry.ts';
import { type ConfigProblem, UsageError } from '../core/model/errors.ts';
import { isSameValue } from '../core/model/json.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { addSubscription, changeSubscription } from '../core/subscriptions/verbs.ts';
import type { SubscriptionDeclaration } from '../kit/client.ts';
import { assertDeliverable } from '../runtime/channels.ts';
import { permissionsOf, referencesOf } from '../runtime/config/aws-references.ts';
import type { Config } from '../runtime/config/config.ts';
import { findConfigWarnings } from '../runtime/config/find-warnings.ts';
import { loadAddition, loadApiAddition } from '../runtime/config/load-subscription.ts';
import { referenceLiterals } from '../runtime/embedded/reference-literals.ts';
import type { Context, ExitCode } from './context.ts';
import { loadConfigFor } from './load-config.ts';
import { operatorOf, verbPorts } from './operator.ts';
import { awsOption, configOption, dataOption, placeFlags } from './options.ts';
import { apiOption, keyOption, type Place, withPlace } from './place.ts';
import { noteWarnings } from './print-warnings.ts';

interface AddFlags extends Place {
  readonly config: string;
  readonly query?: string;
}

export function addCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  group
    .command('add')
    .summary('add a subscription that is not in the config')
    .description(
      'Adds the subscription in a file, written as in the config. Replaces one of the same name that was added before.',
    )
    .argument('<file>', 'YAML or JSON with one subscription: name, events, to and further options')
    .option('--query <words>', "what to subscribe to, instead of events in the file: 'task.overdue daily 08:30'")
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .action(async (file: string, flags: AddFlags) => {
      await (flags.api === undefined ? add(file, flags, context) : addThroughApi(file, flags, context));
      exit(0);
    });
}

async function add(file: string, flags: AddFlags, context: Context): Promise<void> {
  const { terminal, environment } = context;
  const mode = flags.aws === undefined ? 'embedded' : 'aws';
  const config = loadConfigFor(flags, environment);
  const subscription = loadAddition(file, { config, mode, environment, query: flags.query });
  if (flags.aws === undefined) {
    assertDeliverable({ subscriptions: [subscription], mail: config.mail }, 'embedded', () => `${file}: `);
  }
  const missing = flags.aws === undefined ? [] : missingPermissions(subscription, config);
  const { name, events, to } = subscription;
  await withPlace(flags, { ...context, make: true }, async (stores) => {
    const { keepLiteral } = stores.secrets;
    const wanted = keepLiteral === undefined ? subscription : referenceLiterals(subscription, keepLiteral);
    const ports = { ...verbPorts(stores, context), config };
    const author = operatorOf(context);
    const assertAllowed = ({ declared }: Subscription) => {
      if (!declared) return;
      const message = `subscription '${name}' is declared in the config; change it there`;
      throw new UsageError('TIDINGS_SUBSCRIPTION_DECLARED', message);
    };
    const added = await addSubscription(ports, author, wanted);
    const isNew = added.kind !== 'taken';
    if (!isNew) await changeSubscription(ports, author, name, () => wanted, { assertAllowed });
    terminal.out(`${isNew ? 'added' : 'replaced'} ${name}: ${events.join(', ')} → ${describeAddress(to)}`);
    for (const line of missing) terminal.out(line);
    noteWarnings(findConfigWarnings({ ...config, subscriptions: [subscription] }).map(inFile), terminal);
    terminal.out(`test it with: tidings subscriptions test ${name}${placeFlags(flags)}`);
  });
}

/** The server checks it as a part of its own config. Variables in the file are those of this machine. */
async function addThroughApi(file: string, flags: AddFlags, context: Context): Promise<void> {
  const { terminal, environment } = context;
  const { name, body } = loadApiAddition(file, environment, flags.query);
  await withPlace(flags, context, async ({ client }) => {
    const made = await client?.putSubscription(name, body as SubscriptionDeclaration);
    if (made === undefined) return;
    const isNew = 'secret' in made;
    terminal.out(`${isNew ? 'added' : 'replaced'} ${name}: ${made.events.join(', ')} → ${made.address}`);
    if (isNew && made.secret !== null)
      terminal.out(`signing secret  ${made.secret}\nstore it now: it is not shown again`);
    terminal.out(`test it with: tidings subscriptions test ${name}${placeFlags(flags)}`);
  });
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
  const known = permissionsOf(config);
  const missing = permissionsOf(alone).filter((one) => !known.some((other) => isSameValue(one, other)));
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
