/** `tidings subscriptions export`: writes the subscriptions that are not in the config as YAML that the config accepts. */

import type { Command } from 'commander';
import { stringify } from 'yaml';
import type { Subscription } from '../core/model/subscription.ts';
import { toConfigForm } from '../manage/api/subscription-view.ts';
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
        'config, and remove them with `subscriptions remove`, to declare them there. Secrets are printed as references.',
    )
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (place: DataLocation) => {
      await withStores(place, context, async ({ subscriptions }) => {
        const own = (await subscriptions.list()).filter(({ declared }) => !declared);
        terminal.out(exportYaml(own));
      });
      exit(0);
    });
}

/** A section of the config, with a comment on who made each. */
export function exportYaml(subscriptions: readonly Subscription[]): string {
  if (subscriptions.length === 0) return 'subscriptions: []';
  const items = subscriptions.map((one) => {
    const { dayStartsAt } = one;
    const form = {
      ...toConfigForm(one, (reference) => reference),
      ...(dayStartsAt === undefined ? {} : { dayStartsAt }),
    };
    const text = stringify([form], { lineWidth: 0 }).trimEnd();
    return [...describeMaker(one), ...text.split('\n')].map((line) => `  ${line}`).join('\n');
  });
  return ['subscriptions:', ...items].join('\n');
}

function describeMaker({ madeBy, owner, createdAt }: Subscription): readonly string[] {
  const since = createdAt === undefined ? '' : ` since ${createdAt.slice(0, 10)}`;
  if (madeBy !== undefined) {
    const allowed = madeBy.allowedBy === undefined ? '' : `, allowed by ${madeBy.allowedBy}`;
    return [`# made in Slack by ${oneLine(madeBy.name)} (${madeBy.id})${allowed}${since}: ${oneLine(madeBy.query)}`];
  }
  return owner === undefined ? [] : [`# made through the API by key ${owner}${since}`];
}

/** A line break in a name would end the comment. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
