/** `tidings deliveries`: lists deliveries and their attempts, and retries them. */

import { type Command, Option } from 'commander';
import { sayReader } from '../core/delivery/describe-reader.ts';
import { rampUp } from '../core/delivery/expedite.ts';
import { sayDelay } from '../core/delivery/explain-wait.ts';
import type { ReceiverPause } from '../core/delivery/receivers/health.ts';
import { isPostponed } from '../core/delivery/retry.ts';
import { attemptsMade, DELIVERY_STATUSES, type Delivery, type DeliveryStatus } from '../core/model/delivery.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Instant } from '../core/model/time.ts';
import type { DeliveryView } from '../manage/api/view-delivery.ts';
import { formatSpan, formatStamp } from '../runtime/terminal/dates.ts';
import { formatNumber, pluralize, table } from '../runtime/terminal/terminal.ts';
import { type Backend, findSubscription, type SubscriptionOperations } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Ask, Context, ExitCode, Location } from './context.ts';
import { noteZone } from './note-zone.ts';
import { addLocationOptions, jsonOption, locationFlags, rejectUnknownCommand, showDefaultOptions } from './options.ts';

interface DeliveriesFlags extends Location {
  readonly status?: DeliveryStatus;
  readonly subscription?: string;
  readonly json: boolean;
}

export function deliveriesCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  const group = program.command('deliveries').summary('list deliveries and their attempts, newest last; retry them');
  showDefaultOptions(group);
  retryCommand(group, context, exit);
  const list = group
    .command('list', { isDefault: true })
    .summary('list deliveries and their attempts, newest last')
    .allowExcessArguments();
  addLocationOptions(list)
    .addOption(new Option('--status <status>', 'only with this status').choices(DELIVERY_STATUSES))
    .option('--subscription <name>', 'only to this subscription')
    .addOption(jsonOption())
    .action(async ({ status, subscription, json, ...location }: DeliveriesFlags) => {
      rejectUnknownCommand(list);
      await withBackend(location, context, async (backend) => {
        if (subscription !== undefined) await assertKnownSubscription(backend, subscription);
        const newest = await backend.deliveries.list({ limit: MAX_LISTED + 1, status, subscription });
        const deliveries = newest.slice(-MAX_LISTED);
        const pauses = await readPauses(backend.subscriptions, deliveries);
        const zone = json ? 'UTC' : await backend.readZone();
        const listed = deliveries.map((delivery) => ({
          delivery,
          paused: isOpen(delivery) ? pauses.get(delivery.subscription) : undefined,
        }));
        const lines = json
          ? listed.map(({ delivery, paused }) => JSON.stringify({ ...delivery, receiverPaused: paused }))
          : table(listed.map(({ delivery }) => toRow(delivery, zone, clock.now())));
        if (lines.length > 0) noteZone(zone, terminal);
        for (const line of lines) terminal.out(line);
        if (lines.length === 0 && !json) terminal.err('no deliveries found');
        if (newest.length > MAX_LISTED) {
          terminal.err(`only the newest ${MAX_LISTED} are listed; choose fewer with --status or --subscription`);
        }
      });
      exit(0);
    });
}

interface RetryFlags extends Location {
  readonly subscription?: string;
  readonly yes: boolean;
}

function retryCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const command = group
    .command('retry')
    .summary('retry deliveries now, ahead of their schedule')
    .description(
      'Retries deliveries in the next cycle: pending ones, which wait for their next attempt, and failed ones.',
    )
    .argument('[ids...]', 'delivery ids: dlv_…')
    .option('--subscription <name>', 'all failed and pending deliveries of this subscription')
    .option('--yes', 'do not ask, on a terminal, before several deliveries are retried', false);
  addLocationOptions(command).action(async (ids: readonly string[], { subscription, yes, ...location }: RetryFlags) => {
    if ((ids.length === 0) === (subscription === undefined)) {
      throw new UsageError('TIDINGS_RETRY_WHAT', 'expected delivery ids or --subscription');
    }
    const code = await withBackend(location, context, (backend) =>
      subscription === undefined
        ? retryByIds(backend, ids, location, context)
        : retryAllOf(backend, subscription, location, yes ? { ...context, ask: undefined } : context),
    );
    exit(code);
  });
}

async function retryAllOf(
  backend: Backend,
  subscription: string,
  location: Location,
  { terminal, clock, ask }: Context,
): Promise<ExitCode> {
  await assertKnownSubscription(backend, subscription);
  // Scripts are not asked: stdin is no terminal there.
  if (ask !== undefined && !(await confirmRetry(backend, subscription, ask))) {
    terminal.out('nothing is retried');
    return 1;
  }
  const retried = await backend.deliveries.retryAll(subscription);
  terminal.out(`${pluralize(retried, 'delivery', 'deliveries')} ${sayRetry(retried, clock.now())}`);
  const pause = await backend.subscriptions.getPause(subscription);
  if (pause !== null)
    terminal.out(`${subscription}: ${formatPause(pause, await backend.readZone())}; its deliveries wait until then`);
  const held = await backend.deliveries.countHeld(subscription);
  if (held > 0) {
    const resume = `tidings subscriptions resume ${subscription}${locationFlags(location)}`;
    terminal.out(`${pluralize(held, 'delivery is', 'deliveries are')} held; send them with: ${resume}`);
  }
  return 0;
}

/** A single delivery is what was asked for. */
async function confirmRetry({ deliveries }: Backend, subscription: string, ask: Ask): Promise<boolean> {
  const count = await deliveries.countRetriable(subscription);
  if (count <= 1) return true;
  const answer = await ask(`${pluralize(count, 'delivery', 'deliveries')} to ${subscription}. Retry now? [y/N] `);
  return /^y(es)?$/i.test(answer.trim());
}

async function retryByIds(
  { deliveries, subscriptions, readZone }: Backend,
  ids: readonly string[],
  location: Location,
  { terminal }: Context,
): Promise<ExitCode> {
  const results = await Promise.all(ids.map(async (id) => ({ id, isRetried: await deliveries.retry(id) })));
  const refused = results.filter(({ isRetried }) => !isRetried);
  const list = `tidings deliveries${locationFlags(location)}`;
  for (const { id } of refused) terminal.err(`${id}: not found, or already delivered; list deliveries with: ${list}`);
  const count = results.length - refused.length;
  terminal.out(`${pluralize(count, 'delivery', 'deliveries')} will be retried in the next cycle`);
  const retried = await Promise.all(results.map(({ id, isRetried }) => (isRetried ? deliveries.get(id) : undefined)));
  const pauses = await readPauses(
    subscriptions,
    retried.filter((delivery) => delivery !== undefined),
  );
  const zone = pauses.size === 0 ? 'UTC' : await readZone();
  for (const [name, pause] of pauses)
    terminal.out(`${name}: ${formatPause(pause, zone)}; its deliveries wait until then`);
  return refused.length > 0 ? 1 : 0;
}

/** More than a few are spread, so that the receiver does not get all of them at once. */
function sayRetry(count: number, now: Instant): string {
  const last = rampUp(now, count - 1);
  return count <= 1 || last === now
    ? 'will be retried in the next cycle'
    : `will be retried, spread over ${formatSpan(now, last)}`;
}

/** A removed subscription is known by its deliveries. Any other unknown name is a mistake, not an empty result. */
async function assertKnownSubscription({ deliveries, subscriptions }: Backend, name: string): Promise<void> {
  if ((await deliveries.list({ limit: 1, subscription: name })).length === 0)
    await findSubscription(subscriptions, name);
}

/** The newest deliveries, enough for a review. For more, query the database. */
const MAX_LISTED = 1000;

const isOpen = ({ status }: Delivery) => status === 'pending' || status === 'waiting';

/** The pauses of receivers that these deliveries wait for, by subscription. */
async function readPauses(
  subscriptions: SubscriptionOperations,
  deliveries: readonly Delivery[],
): Promise<ReadonlyMap<string, ReceiverPause>> {
  const names = new Set(deliveries.filter(isOpen).map(({ subscription }) => subscription));
  const pauses = await Promise.all([...names].map(async (name) => [name, await subscriptions.getPause(name)] as const));
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

const formatPause = ({ until, reason }: ReceiverPause, zone: string) =>
  `receiver paused until ${formatStamp(zone, until)}${reason === null ? '' : `: ${reason}`}`;

function toRow(delivery: DeliveryView, zone: string, now: Instant): readonly string[] {
  const stamp = (at: Instant) => formatStamp(zone, at);
  const { id, createdAt, status, subscription, events, attempts, dueAt, reader, wait, skipped } = delivery;
  const last = attempts.at(-1);
  const isSent = last?.outcome === 'accepted' && skipped === null;
  const result = last === undefined ? '' : isSent ? `${last.status ?? 'ok'} in ${last.ms} ms` : (last.message ?? '');
  const answer = [result, quoteBody(last?.body)].filter((part) => part !== '').join(': ');
  const isScheduled = dueAt !== null && (last !== undefined || isPostponed(delivery, now));
  const next = isScheduled ? `next attempt at ${stamp(dueAt)}` : '';
  const waits = wait === null ? next : sayDelay(wait, stamp);
  const remarks = [skipped ?? (wait?.because === 'retry' ? quoteBody(last?.body) : answer), waits];
  return [
    stamp(createdAt),
    skipped === null ? status : 'skipped',
    reader === null ? subscription : `${subscription}, ${sayReader(reader)}`,
    id,
    // A message may carry hundreds of events; --json lists all.
    `${events[0] ?? ''}${events.length > 1 ? ` and ${formatNumber(events.length - 1)} more` : ''}`,
    pluralize(attemptsMade({ attempts }), 'attempt'),
    remarks.filter((remark) => remark !== '').join(', '),
  ];
}
