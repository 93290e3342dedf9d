/** `tidings deliveries`: what is on its way, what arrived and what was given up. */

import { type Command, Option } from 'commander';
import { retryNow } from '../core/delivery/hold.ts';
import { attemptsMade, DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from '../core/model/delivery.ts';
import { UsageError } from '../core/model/errors.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Context, ExitCode } from './context.ts';
import { sayUtc } from './dates.ts';
import { awsOption, dataOption, jsonOption, placeWords, refuseUnknown } from './options.ts';
import { number, table } from './terminal.ts';

interface DeliveriesFlags extends DataLocation {
  readonly status?: DeliveryStatus;
  readonly subscription?: string;
  readonly json: boolean;
}

export function deliveriesCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const group = program
    .command('deliveries')
    .summary('show deliveries and their attempts, newest last; retry them now');
  retryCommand(group, context, exit);
  group
    .command('list', { isDefault: true })
    .summary('show deliveries and their attempts, newest last')
    .allowExcessArguments()
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(new Option('--status <status>', 'only in this state').choices(DELIVERY_STATUSES))
    .option('--subscription <name>', 'only to this subscription')
    .addOption(jsonOption())
    .action(async ({ status, subscription, json, ...place }: DeliveriesFlags, list: Command) => {
      refuseUnknown(list);
      await withStores(place, context, async (stores) => {
        const deliveries = await stores.deliveries.list({
          limit: LIMIT,
          ...(status === undefined ? {} : { status }),
          ...(subscription === undefined ? {} : { subscription }),
        });
        const lines = json ? deliveries.map((delivery) => JSON.stringify(delivery)) : table(deliveries.map(toRow));
        for (const line of lines) terminal.out(line);
      });
      exit(0);
    });
}

interface RetryFlags extends DataLocation {
  readonly subscription?: string;
}

function retryCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  group
    .command('retry')
    .summary('try deliveries now, whatever their schedule says')
    .description(
      'Tries deliveries with the next cycle: those that wait for their next attempt, and those that were given up.',
    )
    .argument('[ids...]', 'deliveries by id: dlv_…')
    .option('--subscription <name>', 'all that were given up for this subscription')
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (ids: readonly string[], { subscription, ...place }: RetryFlags) => {
      if ((ids.length === 0) === (subscription === undefined)) {
        throw new UsageError('TIDINGS_RETRY_WHAT', 'expected ids of deliveries, or --subscription');
      }
      await withStores(place, context, async ({ deliveries }) => {
        const failed =
          subscription === undefined
            ? []
            : await deliveries.list({ status: 'failed', subscription, end: 'oldest', limit: LIMIT });
        const results = await Promise.all(
          [...ids, ...failed.map(({ id }) => id)].map(
            async (id) => [id, await retryNow({ deliveries, clock }, id)] as const,
          ),
        );
        const refused = results.filter(([, moved]) => !moved);
        for (const [id] of refused)
          terminal.err(
            `${id}: expected a delivery that is not over; tidings deliveries${placeWords(place)} lists them`,
          );
        terminal.out(`${results.length - refused.length} will be tried with the next cycle`);
        exit(refused.length > 0 ? 1 : 0);
      });
    });
}

/** The newest this many: enough for a screen and for a look back; more is a question for the file itself. */
const LIMIT = 1000;

function toRow({ id, createdAt, status, subscription, events, attempts, dueAt }: Delivery): readonly string[] {
  const last = attempts.at(-1);
  const answer =
    last === undefined
      ? ''
      : last.outcome === 'accepted'
        ? `${last.status ?? 'ok'} in ${last.ms} ms`
        : (last.message ?? '');
  const next = dueAt === null || last === undefined ? '' : `, again at ${sayUtc(dueAt)}`;
  return [
    sayUtc(createdAt),
    status,
    subscription,
    id,
    // One message may tell of hundreds: --json has them all.
    `${events[0] ?? ''}${events.length > 1 ? ` and ${number(events.length - 1)} more` : ''}`,
    `${attemptsMade({ attempts })} tried`,
    `${answer}${next}`,
  ];
}
