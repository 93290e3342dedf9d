/** `tidings deliveries`: lists deliveries and their attempts, and retries them. */

import { type Command, Option } from 'commander';
import { retryNow } from '../core/delivery/hold.ts';
import { attemptsMade, DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from '../core/model/delivery.ts';
import { UsageError } from '../core/model/errors.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Context, ExitCode } from './context.ts';
import { formatUtc } from './dates.ts';
import { awsOption, dataOption, jsonOption, placeFlags, rejectUnknownCommand } from './options.ts';
import { formatNumber, pluralize, table } from './terminal.ts';

interface DeliveriesFlags extends DataLocation {
  readonly status?: DeliveryStatus;
  readonly subscription?: string;
  readonly json: boolean;
}

export function deliveriesCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const group = program.command('deliveries').summary('list deliveries and their attempts, newest last; retry them');
  retryCommand(group, context, exit);
  group
    .command('list', { isDefault: true })
    .summary('list deliveries and their attempts, newest last')
    .allowExcessArguments()
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(new Option('--status <status>', 'only with this status').choices(DELIVERY_STATUSES))
    .option('--subscription <name>', 'only to this subscription')
    .addOption(jsonOption())
    .action(async ({ status, subscription, json, ...place }: DeliveriesFlags, list: Command) => {
      rejectUnknownCommand(list);
      await withStores(place, context, async (stores) => {
        const deliveries = await stores.deliveries.list({ limit: MAX_LISTED, status, subscription });
        const lines = json ? deliveries.map((delivery) => JSON.stringify(delivery)) : table(deliveries.map(toRow));
        for (const line of lines) terminal.out(line);
        if (lines.length === 0 && !json) terminal.err('no deliveries found');
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
    .summary('retry deliveries now, ahead of their schedule')
    .description(
      'Retries deliveries in the next cycle: pending ones, which wait for their next attempt, and failed ones.',
    )
    .argument('[ids...]', 'delivery ids: dlv_…')
    .option('--subscription <name>', 'all failed deliveries of this subscription')
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (ids: readonly string[], { subscription, ...place }: RetryFlags) => {
      if ((ids.length === 0) === (subscription === undefined)) {
        throw new UsageError('TIDINGS_RETRY_WHAT', 'expected delivery ids or --subscription');
      }
      await withStores(place, context, async ({ deliveries }) => {
        const failed =
          subscription === undefined
            ? []
            : await deliveries.list({ status: 'failed', subscription, end: 'oldest', limit: MAX_LISTED });
        const results = await Promise.all(
          [...ids, ...failed.map(({ id }) => id)].map(
            async (id) => [id, await retryNow({ deliveries, clock }, id)] as const,
          ),
        );
        const refused = results.filter(([, moved]) => !moved);
        for (const [id] of refused)
          terminal.err(
            `${id}: not found, or already delivered; list deliveries with: tidings deliveries${placeFlags(place)}`,
          );
        terminal.out(
          `${pluralize(results.length - refused.length, 'delivery', 'deliveries')} will be retried in the next cycle`,
        );
        exit(refused.length > 0 ? 1 : 0);
      });
    });
}

/** The newest deliveries, enough for a review. For more, query the database. */
const MAX_LISTED = 1000;

function toRow({ id, createdAt, status, subscription, events, attempts, dueAt }: Delivery): readonly string[] {
  const last = attempts.at(-1);
  const answer =
    last === undefined
      ? ''
      : last.outcome === 'accepted'
        ? `${last.status ?? 'ok'} in ${last.ms} ms`
        : (last.message ?? '');
  const next = dueAt === null || last === undefined ? '' : `, next attempt at ${formatUtc(dueAt)}`;
  return [
    formatUtc(createdAt),
    status,
    subscription,
    id,
    // A message may carry hundreds of events; --json lists all.
    `${events[0] ?? ''}${events.length > 1 ? ` and ${formatNumber(events.length - 1)} more` : ''}`,
    pluralize(attemptsMade({ attempts }), 'attempt'),
    `${answer}${next}`,
  ];
}
