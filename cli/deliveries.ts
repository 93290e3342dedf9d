/** `tidings deliveries`: lists deliveries and their attempts, and retries them. */

import { type Command, Option } from 'commander';
import { rampUp } from '../core/delivery/expedite.ts';
import { pauseOf, type ReceiverPause } from '../core/delivery/receivers/health.ts';
import { readHealth } from '../core/delivery/receivers/subscription-state.ts';
import { isPostponed, type RetryAllOptions, type RetryResult, retryAll, retryNow } from '../core/delivery/retry.ts';
import { attemptsMade, DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from '../core/model/delivery.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Clock, Instant } from '../core/model/time.ts';
import { TidingsApiError } from '../kit/client.ts';
import { formatSpan, formatUtc } from '../runtime/terminal/dates.ts';
import { formatNumber, pluralize, table } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { findSubscription } from './find-subscription.ts';
import { recordCommand } from './operator.ts';
import { awsOption, dataOption, jsonOption, placeFlags, rejectUnknownCommand, showDefaultOptions } from './options.ts';
import { apiOption, keyOption, type Place, type PlacedStores, withPlace } from './place.ts';

interface DeliveriesFlags extends Place {
  readonly status?: DeliveryStatus;
  readonly subscription?: string;
  readonly json: boolean;
}

export function deliveriesCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  const group = program.command('deliveries').summary('list deliveries and their attempts, newest last; retry them');
  showDefaultOptions(group);
  retryCommand(group, context, exit);
  group
    .command('list', { isDefault: true })
    .summary('list deliveries and their attempts, newest last')
    .allowExcessArguments()
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .addOption(new Option('--status <status>', 'only with this status').choices(DELIVERY_STATUSES))
    .option('--subscription <name>', 'only to this subscription')
    .addOption(jsonOption())
    .action(async ({ status, subscription, json, ...place }: DeliveriesFlags, list: Command) => {
      rejectUnknownCommand(list);
      await withPlace(place, context, async (stores) => {
        if (subscription !== undefined) await assertKnownSubscription(stores, subscription);
        const found = await stores.deliveries.list({ limit: MAX_LISTED + 1, status, subscription });
        const deliveries = found.slice(-MAX_LISTED);
        const now = clock.now();
        const pauses = await readPauses(stores, deliveries, now);
        const listed = deliveries.map((delivery) => ({
          delivery,
          paused: isOpen(delivery) ? pauses.get(delivery.subscription) : undefined,
        }));
        const lines = json
          ? listed.map(({ delivery, paused }) => JSON.stringify({ ...delivery, receiverPaused: paused }))
          : table(listed.map(({ delivery, paused }) => toRow(delivery, paused, now)));
        for (const line of lines) terminal.out(line);
        if (lines.length === 0 && !json) terminal.err('no deliveries found');
        if (found.length > MAX_LISTED) {
          terminal.err(`only the newest ${MAX_LISTED} are listed; choose fewer with --status or --subscription`);
        }
      });
      exit(0);
    });
}

interface RetryFlags extends Place {
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
    .option('--subscription <name>', 'all failed and pending deliveries of this subscription')
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .action(async (ids: readonly string[], { subscription, ...place }: RetryFlags) => {
      if ((ids.length === 0) === (subscription === undefined)) {
        throw new UsageError('TIDINGS_RETRY_WHAT', 'expected delivery ids or --subscription');
      }
      await withPlace(place, context, async (stores) => {
        const { deliveries, snapshots } = stores;
        const retry = retryWith(stores, clock);
        if (subscription !== undefined) {
          await assertKnownSubscription(stores, subscription);
          const retried = await retryUndelivered(retry, subscription);
          if (stores.client === undefined) {
            const details = { count: retried, status: 'failed or pending' };
            const entry = { action: 'deliveries.retried', target: `subscription/${subscription}`, details };
            await recordCommand(stores, context, entry);
          }
          terminal.out(`${pluralize(retried, 'delivery', 'deliveries')} ${sayRetry(retried, clock.now())}`);
          const pause = pauseOf(await readHealth({ snapshots }, subscription), clock.now());
          if (pause !== null) terminal.out(`${subscription}: ${formatPause(pause)}; its deliveries wait until then`);
          const { count: held } = await retry({ subscription, status: 'held', dryRun: true });
          if (held > 0) {
            const resume = `tidings subscriptions resume ${subscription}${placeFlags(place)}`;
            terminal.out(`${pluralize(held, 'delivery is', 'deliveries are')} held; send them with: ${resume}`);
          }
          exit(0);
          return;
        }
        const results = await Promise.all(ids.map(async (id) => [id, await retryOne(stores, id, context)] as const));
        const refused = results.filter(([, moved]) => !moved);
        for (const [id] of refused)
          terminal.err(
            `${id}: not found, or already delivered; list deliveries with: tidings deliveries${placeFlags(place)}`,
          );
        terminal.out(
          `${pluralize(results.length - refused.length, 'delivery', 'deliveries')} will be retried in the next cycle`,
        );
        const retried = await Promise.all(results.map(([id, moved]) => (moved ? deliveries.get(id) : undefined)));
        const found = retried.filter((delivery) => delivery !== undefined);
        for (const [name, pause] of await readPauses({ snapshots }, found, clock.now())) {
          terminal.out(`${name}: ${formatPause(pause)}; its deliveries wait until then`);
        }
        exit(refused.length > 0 ? 1 : 0);
      });
    });
}

type Retry = (options: RetryAllOptions) => Promise<RetryResult>;

/** Over the API, one call retries a limited number. */
const retryWith =
  ({ client, deliveries }: PlacedStores, clock: Clock): Retry =>
  (options) =>
    client?.retryDeliveries(options) ?? retryAll({ deliveries, clock }, options);

/** Returns how many failed and pending deliveries are retried. */
async function retryUndelivered(retry: Retry, subscription: string): Promise<number> {
  let count = 0;
  for (const status of ['failed', 'pending'] as const) {
    for (let position: number | null = 0; position !== null; ) {
      const step: RetryResult = await retry({ subscription, status, ...(position > 0 && { position }) });
      count += step.count;
      // A service of an older version has no such field.
      position = step.next ?? null;
    }
  }
  return count;
}

/** Returns false if it does not exist or is finished. */
async function retryOne({ client, deliveries, audit }: PlacedStores, id: string, context: Context): Promise<boolean> {
  if (client !== undefined) {
    const refused = await client.retryDelivery(id).catch((error: unknown) => error);
    if (!(refused instanceof TidingsApiError)) return true;
    if (refused.status === 404 || refused.status === 409) return false;
    throw refused;
  }
  const isRetried = await retryNow({ deliveries, clock: context.clock }, id);
  if (isRetried) await recordCommand({ audit }, context, { action: 'delivery.retried', target: `delivery/${id}` });
  return isRetried;
}

/** More than a few are spread, so that the receiver does not get all of them at once. */
function sayRetry(count: number, now: Instant): string {
  const last = rampUp(now, count - 1);
  return count <= 1 || last === now
    ? 'will be retried in the next cycle'
    : `will be retried, spread over ${formatSpan(now, last)}`;
}

/** A removed subscription is known by its deliveries. Any other unknown name is a mistake, not an empty result. */
async function assertKnownSubscription({ deliveries, subscriptions }: PlacedStores, name: string): Promise<void> {
  if ((await deliveries.list({ limit: 1, subscription: name })).length === 0)
    await findSubscription(subscriptions, name);
}

/** The newest deliveries, enough for a review. For more, query the database. */
const MAX_LISTED = 1000;

const isOpen = ({ status }: Delivery) => status === 'pending' || status === 'waiting';

/** The pauses of receivers that these deliveries wait for, by subscription. */
async function readPauses(
  ports: Parameters<typeof readHealth>[0],
  deliveries: readonly Delivery[],
  now: Instant,
): Promise<ReadonlyMap<string, ReceiverPause>> {
  const names = new Set(deliveries.filter(isOpen).map(({ subscription }) => subscription));
  const pauses = await Promise.all(
    [...names].map(async (name) => [name, pauseOf(await readHealth(ports, name), now)] as const),
  );
  return new Map(pauses.flatMap(([name, pause]) => (pause === null ? [] : [[name, pause] as const])));
}

const MAX_BODY_LENGTH = 120;

/** The receiver's answer in one line; `--json` has all of it. */
function quoteBody(body = ''): string {
  const line = stripControls(body).replaceAll(/\s+/g, ' ').trim();
  if (line === '') return '';
  return `“${line.length > MAX_BODY_LENGTH ? `${line.slice(0, MAX_BODY_LENGTH).toWellFormed()}…` : line}”`;
}

/** A receiver must not control the terminal. */
const stripControls = (text: string) => text.replaceAll(/\p{Cc}|\p{Cf}/gu, ' ');

const formatPause = ({ until, reason }: ReceiverPause) =>
  `receiver paused until ${formatUtc(until)}${reason === null ? '' : `: ${reason}`}`;

function toRow(delivery: Delivery, paused: ReceiverPause | undefined, now: Instant): readonly string[] {
  const { id, createdAt, status, subscription, events, attempts, dueAt } = delivery;
  const last = attempts.at(-1);
  const result =
    last === undefined
      ? ''
      : last.outcome === 'accepted'
        ? `${last.status ?? 'ok'} in ${last.ms} ms`
        : (last.message ?? '');
  const answer = [result, quoteBody(last?.body)].filter((part) => part !== '').join(': ');
  const isScheduled = dueAt !== null && (last !== undefined || isPostponed(delivery, now));
  const next = isScheduled ? `next attempt at ${formatUtc(dueAt)}` : '';
  const remarks = [answer, next, paused === undefined ? '' : formatPause(paused)];
  return [
    formatUtc(createdAt),
    status,
    subscription,
    id,
    // A message may carry hundreds of events; --json lists all.
    `${events[0] ?? ''}${events.length > 1 ? ` and ${formatNumber(events.length - 1)} more` : ''}`,
    pluralize(attemptsMade({ attempts }), 'attempt'),
    remarks.filter((remark) => remark !== '').join(', '),
  ];
}
