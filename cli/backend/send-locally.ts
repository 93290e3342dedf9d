/**
 * Sends on request, where the data are: the test of a subscription, and replays. With a data directory this process makes the
 * attempts; in AWS it only queues, because the stack has the secrets and network access.
 */

import { randomBytes } from 'node:crypto';
import { channelRegistry, describeAddress } from '../../adapters/channels/registry.ts';
import { type DeliveryResult, deliver } from '../../core/delivery/deliver.ts';
import { listUnsentEvents } from '../../core/delivery/receivers/rename.ts';
import { countReplayMessages, refuseReader } from '../../core/delivery/replay.ts';
import { tick } from '../../core/delivery/tick.ts';
import { compileGlob } from '../../core/filters/match.ts';
import { type Delivery, QUEUE_AHEAD, QUEUE_GRACE, skipReason } from '../../core/model/delivery.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { type Duration, type Instant, plus, SECOND } from '../../core/model/time.ts';
import { jobFor } from '../../core/ports/queue.ts';
import type { VerbPorts } from '../../core/subscriptions/verb-ports.ts';
import { resendEvents, testSubscription } from '../../core/subscriptions/verbs.ts';
import { loadConfig } from '../../runtime/config/load.ts';
import { openData, openExistingData } from '../../runtime/embedded/data-directory.ts';
import { type Embedded, openEmbedded } from '../../runtime/embedded/embedded.ts';
import { deliverAll } from '../../runtime/embedded/pipeline.ts';
import { createSignal } from '../../runtime/embedded/signal.ts';
import { awaitAttempt } from '../../runtime/inspect/await-attempt.ts';
import type { Stores } from '../../runtime/inspect/stores.ts';
import { type Context, DEFAULT_CONFIG, type Location } from '../context.ts';
import { operatorOf, verbPorts } from '../operator.ts';
import { assertPeriodOrder } from '../options.ts';
import {
  findSubscription,
  type ReplayResult,
  type ReplaySummary,
  type ResendRequest,
  type TestedSubscription,
} from './backend.ts';
import { selectEvents } from './select-events.ts';

export interface SendingOptions {
  readonly location: Location;
  readonly context: Context;
  /** Opens the stores of the stack. */
  readonly open: () => Promise<Stores>;
}

/** Opens the embedded mode for the work, with the subscriptions of the config. */
async function withEmbedded<T>(
  { location, context }: SendingOptions,
  { purpose, make }: { readonly purpose: string; readonly make: boolean },
  work: (embedded: Embedded) => Promise<T>,
): Promise<T> {
  const { environment, clock, pid, random, terminal } = context;
  const config = loadConfig(location.config ?? DEFAULT_CONFIG, environment);
  const database = (make ? openData : openExistingData)(location.data, { report: terminal.err });
  const embedded = await openEmbedded({ config, database, environment, clock, holder: `${purpose}/${pid}`, random });
  try {
    return await work(embedded);
  } finally {
    await embedded.close();
  }
}

export async function testLocally(
  name: string,
  type: string | undefined,
  options: SendingOptions,
): Promise<TestedSubscription> {
  const { location, context, open } = options;
  const openTest = async (ports: VerbPorts & Pick<Stores, 'events'>) => {
    const subscription = await findSubscription(ports.subscriptions, name);
    const delivery = await testSubscription(ports, operatorOf(context), subscription, { type });
    if (delivery !== undefined)
      return { address: describeAddress(subscription.to), delivery, job: jobFor(delivery, subscription.owner) };
    throw new UsageError(
      'TIDINGS_TEST_NO_EVENT',
      `--type: expected a type that subscription '${name}' matches (${subscription.events.join(', ')})`,
    );
  };
  if (location.aws === undefined) {
    return withEmbedded(options, { purpose: 'test', make: true }, async (embedded) => {
      const { address, delivery, job } = await openTest({ ...embedded, randomBytes });
      const outcome = await deliver(embedded, job);
      if (outcome.kind === 'attempted') return { address, delivery: delivery.id, result: outcome.result };
      throw new Error(`another process handled the test delivery ${delivery.id}`);
    });
  }
  const stores = await open();
  const { address, delivery, job } = await openTest(verbPorts(stores, context));
  await stores.queue.send([job], context.clock.now());
  const result = await awaitAttempt(stores, delivery.id, { stop: context.stop });
  return { address, delivery: delivery.id, result };
}

/** @param report gets the result of each attempt that this process made or waited for */
export async function replayLocally(
  request: ResendRequest,
  report: (result: DeliveryResult) => void,
  options: SendingOptions,
): Promise<ReplayResult> {
  const { location, context, open } = options;
  const now = context.clock.now();
  const plan = async (stores: Pick<Stores, 'subscriptions' | 'deliveries' | 'events' | 'snapshots'>) => {
    const subscription = await findSubscription(stores.subscriptions, request.to ?? request.subscription);
    const isUnsent = request.to !== undefined && request.event === undefined;
    const events = isUnsent
      ? await selectUnsent(stores, request, now)
      : await selectEvents(stores.events, subscription, request, { now, location });
    const { person } = request;
    const ports = { ...stores, channels: channelRegistry };
    const [event] = events.length === 1 ? events : [];
    const refusal = person === undefined ? undefined : await refuseReader(ports, subscription, event, person);
    if (refusal !== undefined) throw new UsageError('TIDINGS_READER_UNKNOWN', `--person: ${refusal}`);
    const messages = person === undefined ? await countReplayMessages(ports, subscription, events) : events.length;
    return { subscription, events, messages };
  };
  if (location.aws === undefined) {
    return withEmbedded(options, { purpose: 'replay', make: false }, async (embedded) => {
      const { subscription, events, messages } = await plan(embedded);
      if (request.dryRun) return { kind: 'planned', events, messages };
      const deliveries = await resend({ ...embedded, randomBytes }, subscription, events, {
        context,
        person: request.person,
      });
      const summary = await sendReplays(embedded, deliveries, report, context.stop);
      return { kind: 'sent', count: deliveries.length, summary };
    });
  }
  const stores = await open();
  const { subscription, events, messages } = await plan(stores);
  if (request.dryRun) return { kind: 'planned', events, messages };
  const deliveries = await resend(verbPorts(stores, context), subscription, events, {
    context,
    person: request.person,
  });
  const sender = `the deliver function of ${location.aws}`;
  return { kind: 'queued', count: deliveries.length, sender, deliveries };
}

const resend = (
  ports: Parameters<typeof resendEvents>[0],
  subscription: Subscription,
  events: readonly TidingsEvent[],
  { context, person }: { readonly context: Context; readonly person: string | undefined },
) => resendEvents(ports, operatorOf(context), subscription, events, { person });

/** What a subscription, which may be removed, did not get. */
async function selectUnsent(
  { events, deliveries }: Pick<Stores, 'events' | 'deliveries'>,
  { subscription, since = '', until, type = '*' }: ResendRequest,
  now: Instant,
): Promise<readonly TidingsEvent[]> {
  const end = until ?? now;
  assertPeriodOrder(since, end);
  const isWanted = compileGlob(type);
  const unsent = await events.getMany(await listUnsentEvents(deliveries, subscription));
  return unsent.filter((event) => isWanted(event.type) && event.time >= since && event.time <= end);
}

/** Longer than an attempt of another process takes. */
const MAX_IDLE: Duration = 30 * SECOND;

const READ_EVERY: Duration = SECOND / 4;

/**
 * Sends the deliveries and reports each of them once. `serve` may make some of the attempts at the same time, so the results
 * are read from the store. Ends when each had its first attempt, is held, or waits for longer than it was scheduled.
 */
async function sendReplays(
  embedded: Embedded,
  opened: readonly Delivery[],
  report: (result: DeliveryResult) => void,
  stop: AbortSignal,
): Promise<ReplaySummary> {
  const { clock, lanes } = embedded;
  const names = new Set(opened.map(({ subscription }) => subscription));
  // Only the lane of this subscription: other deliveries are left to serve.
  const room = (group: string, now: number) => (names.has(group) ? lanes.room(group, now) : 0);
  const lastSlot = opened.reduce((last, { dueAt }) => (dueAt !== null && dueAt > last ? dueAt : last), clock.now());
  const longest = plus(lastSlot, QUEUE_AHEAD + QUEUE_GRACE);
  const summary: ReplaySummary = { accepted: 0, skipped: 0, retrying: 0, failed: 0, held: 0, waiting: 0 };
  const reported = new Set<string>();
  let left = opened.map(({ id }) => id);
  for (let changedAt = performance.now(); ; ) {
    await tick(embedded);
    await deliverAll({ ...embedded, lanes: { ...lanes, room } }, {}, { signal: stop });
    const open: Delivery[] = [];
    for (const id of left) {
      const carrier = await findCarrier(embedded, id);
      if (carrier === undefined || isOver(carrier)) await addResult(carrier);
      else open.push({ ...carrier, id });
    }
    if (open.length < left.length) changedAt = performance.now();
    left = open.map(({ id }) => id);
    const isIdle = performance.now() - changedAt > MAX_IDLE;
    if (isIdle || stop.aborted || open.every(({ dueAt }) => (dueAt ?? '') > longest)) break;
    await createSignal().wait(READ_EVERY, stop);
  }
  return { ...summary, waiting: left.length };

  async function addResult(carrier: Delivery | undefined): Promise<void> {
    summary[carrier === undefined ? 'failed' : kindOf(carrier)] += 1;
    const attempt = carrier?.attempts.at(-1);
    if (carrier === undefined || attempt === undefined || reported.has(carrier.id)) return;
    reported.add(carrier.id);
    report({ delivery: carrier, attempt, events: await embedded.events.getMany(carrier.events) });
  }
}

/** The delivery itself, or the group that carries its event. */
async function findCarrier({ deliveries }: Pick<Embedded, 'deliveries'>, id: string): Promise<Delivery | undefined> {
  const delivery = await deliveries.get(id);
  return delivery?.into === undefined ? delivery : findCarrier({ deliveries }, delivery.into);
}

const isOver = ({ status, attempts }: Delivery) =>
  (status !== 'pending' && status !== 'waiting') || attempts.length > 0;

function kindOf(delivery: Delivery): 'accepted' | 'skipped' | 'retrying' | 'failed' | 'held' {
  const { status } = delivery;
  if (status === 'settled') return skipReason(delivery) === undefined ? 'accepted' : 'skipped';
  return status === 'failed' || status === 'held' ? status : 'retrying';
}
