/** `tidings subscriptions export`: writes the subscriptions that are not in the config as YAML that the config accepts. */

import type { Command } from 'commander';
import { subscriptionsToYaml } from '../manage/api/subscriptions/subscriptions-yaml.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Context, ExitCode } from './context.ts';
import { awsOption, dataOption } from './options.ts';

export function exportCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  group
    .command('export')
    .summary('print the subscriptions that are not in the config as YAML for it')
    .description(
      'Prints those added by commands, through the API and in Slack, as a section `subscriptions` of the config. Put it into the\n' +
        'config, and remove them with `subscriptions remove`, to declare them there. Secrets are printed as references or as\n' +
        'variables, which a comment lists.',
    )
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (place: DataLocation) => {
      await withStores(place, context, async ({ subscriptions }) => {
        const own = (await subscriptions.list()).filter(({ declared }) => !declared);
        terminal.out(subscriptionsToYaml(own).trimEnd());
      });
      exit(0);
    });
}
