/** `tidings explain`: shows the changes of a record, their events and deliveries, and why others were not sent. */

import type { Command } from 'commander';
import { type ExplainResult, explain } from '../runtime/inspect/explain.ts';
import { explainThroughApi } from './api-explain.ts';
import type { Context, ExitCode } from './context.ts';
import { loadConfigFor } from './load-config.ts';
import { awsOption, configOption, dataOption, jsonOption } from './options.ts';
import { apiOption, keyOption, type Place, withPlace } from './place.ts';
import { printExplanation } from './print-explanation.ts';

interface ExplainFlags extends Place {
  readonly config: string;
  readonly json: boolean;
}

export function explainCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, environment, clock } = context;
  program
    .command('explain')
    .summary('explain a record or an event: changes, rules, filters and deliveries')
    .description(
      'Shows the changes of a record, the rule behind each event, which subscriptions matched or why not, and the results\n' +
        'of the deliveries; for a change without an event, the reason. Reads the stored data only.',
    )
    .argument('<subject>', 'a record such as task/123 (with several sources: main/task/123), or an event: evt_…')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .addOption(jsonOption())
    .action(async (subject: string, flags: ExplainFlags) => {
      const config = flags.api === undefined ? loadConfigFor(flags, environment) : undefined;
      await withPlace(flags, context, async (stores) => {
        const answers =
          config === undefined
            ? await explainThroughApi(stores, clock, subject)
            : await explain({ ...stores, clock }, config, subject);
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
