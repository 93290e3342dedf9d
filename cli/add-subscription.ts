/** `tidings subscriptions add`: one subscription beside those of the config, with the checks of the config. */

import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import { describeAddress } from '../adapters/channels/registry.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { assertDeliverable } from '../runtime/channels.ts';
import { permissionsOf, referencesOf } from '../runtime/config/aws-references.ts';
import type { Config } from '../runtime/config/config.ts';
import { loadAddition } from '../runtime/config/load-subscription.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Context, ExitCode } from './context.ts';
import { loadConfigFor } from './load-config.ts';
import { awsOption, configOption, dataOption, placeWords } from './options.ts';

interface AddFlags extends DataLocation {
  readonly config: string;
}

export function addCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  group
    .command('add')
    .summary('add one beside those of the config')
    .description(
      'Adds the subscription of a file, in the words of the config, or replaces one that was added so before.',
    )
    .argument('<file>', 'YAML or JSON with one subscription: name, events, to and what else it says')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (file: string, flags: AddFlags) => {
      await add(file, flags, context);
      exit(0);
    });
}

async function add(file: string, flags: AddFlags, context: Context): Promise<void> {
  const { terminal, environment } = context;
  const subscription = loadAddition(file, flags.config, environment, flags.aws === undefined ? 'embedded' : 'aws');
  if (flags.aws === undefined) {
    const { mail } = loadConfigFor(flags, environment);
    assertDeliverable({ subscriptions: [subscription], mail }, 'embedded', () => `${file}: `);
  }
  const rights = flags.aws === undefined ? [] : missingRights(subscription, loadConfigFor(flags, environment));
  const { name, events, to } = subscription;
  await withStores(flags, { ...context, make: true }, async ({ subscriptions }) => {
    const known = await subscriptions.get(name);
    if (known?.declared === true) {
      throw new UsageError(
        'TIDINGS_SUBSCRIPTION_DECLARED',
        `subscription '${name}': the config declares it; change it there`,
      );
    }
    await subscriptions.save(subscription);
    terminal.out(
      `${known === undefined ? 'added' : 'replaced'} ${name}: ${events.join(', ')} → ${describeAddress(to)}`,
    );
    for (const right of rights) terminal.out(right);
    terminal.out(`try it with: tidings subscriptions test ${name}${placeWords(flags)}`);
  });
}

/** The function that delivers was given its rights by the config: what this one needs besides is for the next deployment. */
function missingRights(subscription: Subscription, config: Config): readonly string[] {
  const alone = { ...config, subscriptions: [subscription] };
  const secrets = referencesOf(alone).deliver.filter((one) => !referencesOf(config).deliver.includes(one));
  const known = permissionsOf(config);
  const missing = permissionsOf(alone).filter((one) => !known.some((other) => isDeepStrictEqual(one, other)));
  return [
    ...secrets.map((one) => `deliver may read ${one} only where moreSecrets of the stack names it`),
    ...missing.map(
      ({ action, name }) => `deliver is not allowed ${action} on ${name}: a subscription of the config must use it`,
    ),
  ];
}
