/** `tidings explain`: what became of a record, what was told of it, to whom, and why not. */

import type { Command } from 'commander';
import { type ExplainResult, explain } from '../runtime/inspect/explain.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Context, ExitCode } from './context.ts';
import { printExplanation } from './explain-words.ts';
import { loadConfigFor } from './load-config.ts';
import { awsOption, configOption, dataOption, jsonOption } from './options.ts';

interface ExplainFlags extends DataLocation {
  readonly config: string;
  readonly json: boolean;
}

export function explainCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, environment, clock } = context;
  program
    .command('explain')
    .summary('what became of a record or an event: the rule, the filters, the attempts')
    .description(
      'Tells the transitions of a record, the rule behind each event, which subscriptions wanted it or why not, and\n' +
        'how its deliveries went; where something changed without an event, why. Asks nobody but the data.',
    )
    .argument('<subject>', 'a record such as task/123, main/task/123 of several sources, or an event: evt_…')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(jsonOption())
    .action(async (subject: string, flags: ExplainFlags) => {
      const config = loadConfigFor(flags, environment);
      await withStores(flags, context, async (ports) => {
        const answers = await explain(ports, config, subject);
        const now = clock.now();
        if (flags.json) terminal.out(JSON.stringify({ at: now, subject, records: answers.map(toJson) }));
        else for (const [index, one] of answers.entries()) printExplanation(one, now, terminal, index > 0);
      });
      exit(0);
    });
}

/** Stable: programs read it. */
function toJson({ key, zone, asked, snapshot, ahead, scan, reading, steps }: ExplainResult): object {
  return {
    source: key.source,
    resource: key.resource,
    id: key.id,
    zone,
    asked,
    snapshot,
    ahead,
    reading: { ...reading, lastLookedAt: scan?.lastGoodScanAt ?? null, lastError: scan?.lastError ?? null },
    transitions: steps,
  };
}
