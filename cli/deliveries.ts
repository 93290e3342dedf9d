/** `tidings deliveries`: what is on its way, what arrived and what was given up. */

import { type Command, Option } from 'commander';
import { sqliteLedger } from '../adapters/sqlite/ledger.ts';
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from '../core/model/delivery.ts';
import { openExistingData } from '../runtime/data-directory.ts';
import type { Context, ExitCode } from './context.ts';
import { dataOption, jsonOption } from './options.ts';
import { table } from './terminal.ts';

interface DeliveriesFlags {
  readonly data: string;
  readonly status?: DeliveryStatus;
  readonly subscription?: string;
  readonly json: boolean;
}

export function deliveriesCommand(program: Command, { terminal }: Context, exit: (code: ExitCode) => void): void {
  program
    .command('deliveries')
    .summary('show deliveries and their attempts, newest last')
    .addOption(dataOption())
    .addOption(new Option('--status <status>', 'only in this state').choices(DELIVERY_STATUSES))
    .option('--subscription <name>', 'only to this subscription')
    .addOption(jsonOption())
    .action(async ({ data, status, subscription, json }: DeliveriesFlags) => {
      const database = openExistingData(data);
      try {
        const deliveries = await sqliteLedger(database).deliveries({
          limit: LIMIT,
          ...(status === undefined ? {} : { status }),
          ...(subscription === undefined ? {} : { subscription }),
        });
        const lines = json ? deliveries.map((delivery) => JSON.stringify(delivery)) : table(deliveries.map(toRow));
        for (const line of lines) terminal.out(line);
      } finally {
        database.close();
      }
      exit(0);
    });
}

/** The newest this many: enough for a screen and for a look back; more is a question for the file itself. */
const LIMIT = 1000;

function toRow({ createdAt, status, subscription, events, attempts, dueAt }: Delivery): readonly string[] {
  const last = attempts.at(-1);
  const answer =
    last === undefined
      ? ''
      : last.outcome === 'accepted'
        ? `${last.status ?? 'ok'} in ${last.ms} ms`
        : (last.message ?? '');
  const next = dueAt === null || last === undefined ? '' : `, again at ${dueAt.slice(0, 19).replace('T', ' ')}`;
  return [
    createdAt.slice(0, 19).replace('T', ' '),
    status,
    subscription,
    events.join(' '),
    `${attempts.length} tried`,
    `${answer}${next}`,
  ];
}
