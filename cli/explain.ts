/** `tidings explain`: shows the changes of a record, their events and deliveries, and why others were not sent. */

import type { Command } from 'commander';
import type { ExplainedEvent } from '../core/delivery/explain-event.ts';
import type { Delivery } from '../core/model/delivery.ts';
import type { ShownExplanation } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { addLocationOptions, configOption, jsonOption } from './options.ts';
import { printExplanation } from './print-explanation.ts';

interface ExplainFlags extends Location {
  readonly json: boolean;
}

export function explainCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  const command = program
    .command('explain')
    .summary('explain a record or an event: changes, rules, filters and deliveries')
    .description(
      'Shows the changes of a record, the rule behind each event, which subscriptions matched or why not, and the results\n' +
        'of the deliveries; for a change without an event, the reason. Reads the stored data only.',
    )
    .argument('<subject>', 'a record such as task/123 (with several sources: main/task/123), or an event: evt_…')
    .addOption(configOption());
  addLocationOptions(command)
    .addOption(jsonOption())
    .action(async (subject: string, { json, ...location }: ExplainFlags) => {
      const records = await withBackend(location, context, (backend) => backend.explain(subject));
      const now = clock.now();
      if (json) terminal.out(JSON.stringify({ at: now, subject, records: records.map(toJson) }));
      else for (const [index, one] of records.entries()) printExplanation(one, now, terminal, index > 0);
      exit(0);
    });
}

/** Stable: programs read it. */
function toJson({ key, zone, asked, snapshot, ahead, scan, reading, steps }: ShownExplanation): object {
  return {
    source: key.source,
    resource: key.resource,
    id: key.id,
    zone,
    asked,
    snapshot,
    ahead,
    reading: { ...reading, lastLookedAt: scan?.lastGoodScanAt ?? null, lastError: scan?.lastError ?? null },
    transitions: steps.map(({ events, ...step }) => ({ ...step, events: events.map(withoutMarks) })),
  };
}

/** As the API shows it: for which subscription of its name a delivery was opened is a mark of the stores. */
function withoutMarks({ subscriptions, ...event }: ExplainedEvent): object {
  const unmarked = ({ incarnation: _, ...delivery }: Delivery) => delivery;
  return {
    ...event,
    subscriptions: subscriptions.map(({ delivery, earlier, ...one }) => ({
      ...one,
      delivery: delivery && unmarked(delivery),
      earlier: earlier.map(unmarked),
    })),
  };
}
