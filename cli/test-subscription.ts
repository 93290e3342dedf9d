/** `tidings subscriptions test`: sends one event marked as a test through the normal delivery path and shows the response. */

import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { describeAddress } from '../adapters/channels/registry.ts';
import { type DeliveryResult, deliver } from '../core/delivery/deliver.ts';
import { lineOf } from '../core/messages/neutral-message.ts';
import type { Delivery } from '../core/model/delivery.ts';
import { RetryLater, UsageError } from '../core/model/errors.ts';
import type { Subscription } from '../core/model/subscription.ts';
import type { EventStore } from '../core/ports/event-store.ts';
import { jobFor } from '../core/ports/queue.ts';
import { testSubscription, type VerbPorts } from '../core/subscriptions/verbs.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { openData } from '../runtime/embedded/data-directory.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import { awaitAttempt } from '../runtime/inspect/await-attempt.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { findSubscription } from './find-subscription.ts';
import { operatorOf, verbPorts } from './operator.ts';
import { awsOption, configOption, dataOption, jsonOption, placeFlags, readTypeGlob } from './options.ts';
import { apiOption, keyOption, type Place, withPlace } from './place.ts';

interface TestFlags extends Place {
  readonly config: string;
  readonly type?: string;
  readonly json: boolean;
}

export function testCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  group
    .command('test')
    .summary('send a test event and show the response')
    .description(
      'Sends the newest event that matches the subscription, or an example, with a new id and marked as a test, through\n' +
        'the normal delivery path, even while the subscription is paused. There is one attempt. With --aws the stack makes\n' +
        'the attempt; the command waits up to 30 s for its result.',
    )
    .argument('<name>', 'the subscription')
    .option('--type <glob>', 'only an event of this type (default: any the subscription matches)', readTypeGlob)
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .addOption(jsonOption())
    .action(async (name: string, flags: TestFlags) => exit(await runTest(name, flags, context)));
}

async function runTest(name: string, flags: TestFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const { address, delivered } = await sendTest(name, flags, context);
  if (flags.json) terminal.out(JSON.stringify({ subscription: name, ...delivered }));
  else print(delivered, address, terminal);
  return delivered.attempt.outcome === 'accepted' ? 0 : 1;
}

function sendTest(name: string, flags: TestFlags, context: Context): Promise<Tested> {
  if (flags.api !== undefined) return testThroughApi(name, flags, context);
  return flags.aws === undefined ? testHere(name, flags, context) : testInAws(name, flags, flags.aws, context);
}

interface Tested {
  readonly address: string;
  readonly delivered: DeliveryResult;
}

async function testHere(name: string, flags: TestFlags, context: Context): Promise<Tested> {
  const { environment, clock, pid, random } = context;
  const config = loadConfig(flags.config, environment);
  const database = openData(flags.data, { report: context.terminal.err });
  const embedded = await openEmbedded({ config, database, environment, clock, holder: `test/${pid}`, random });
  try {
    const { subscription, delivery } = await openFor({ ...embedded, randomBytes }, name, flags, context);
    const outcome = await deliver(embedded, jobFor(delivery));
    if (outcome.kind !== 'attempted') throw new Error(`another process handled the test delivery ${delivery.id}`);
    return { address: describeAddress(subscription.to), delivered: outcome.result };
  } finally {
    await embedded.close();
  }
}

function testInAws(name: string, flags: TestFlags, stack: string, context: Context): Promise<Tested> {
  const { clock, stop } = context;
  return withPlace(flags, context, async (stores) => {
    const { subscription, delivery } = await openFor(verbPorts(stores, context), name, flags, context);
    await stores.queue.send([jobFor(delivery)], clock.now());
    const delivered = await awaitAttempt(stores, delivery.id, { stop });
    if (delivered !== undefined) return { address: describeAddress(subscription.to), delivered };
    throw unanswered(name, delivery.id, `tidings deliveries --aws ${stack} --subscription ${name}`);
  });
}

function testThroughApi(name: string, flags: TestFlags, context: Context): Promise<Tested> {
  return withPlace(flags, context, async (stores) => {
    const { client, subscriptions, addressOf } = stores;
    const subscription = await findSubscription(subscriptions, name);
    const tested = await client?.testSubscription(name, flags.type === undefined ? {} : { type: flags.type });
    const delivery = tested?.delivery as Delivery;
    const attempt = delivery.attempts.at(-1);
    if (attempt === undefined) {
      throw unanswered(name, delivery.id, `tidings deliveries${placeFlags(flags)} --subscription ${name}`);
    }
    const events = [tested?.event].filter((event) => event != null) as unknown as DeliveryResult['events'];
    return { address: addressOf(subscription), delivered: { delivery, attempt, events } };
  });
}

function unanswered(name: string, delivery: string, command: string): RetryLater {
  return new RetryLater(
    'TIDINGS_TEST_UNANSWERED',
    `subscription '${name}': the test delivery ${delivery} is queued, but no attempt was recorded in time; check later with: ${command}`,
  );
}

async function openFor(
  ports: VerbPorts & { readonly events: EventStore },
  name: string,
  { type }: TestFlags,
  context: Context,
): Promise<{ readonly subscription: Subscription; readonly delivery: Delivery }> {
  const subscription = await findSubscription(ports.subscriptions, name);
  const delivery = await testSubscription(ports, operatorOf(context), subscription, type);
  if (delivery !== undefined) return { subscription, delivery };
  throw new UsageError(
    'TIDINGS_TEST_NO_EVENT',
    `--type: expected a type that subscription '${name}' matches (${subscription.events.join(', ')})`,
  );
}

function print({ delivery, attempt, events: [event] }: DeliveryResult, target: string, { out, paint }: Terminal): void {
  const isGood = attempt.outcome === 'accepted';
  if (event !== undefined) out(`sent      ${paint('bold', event.type)}  ${lineOf(event)}  ${paint('dim', event.id)}`);
  out(`to        ${delivery.subscription}, ${target}`);
  const answer =
    attempt.status === undefined ? (attempt.message ?? attempt.outcome) : `${attempt.status} in ${attempt.ms} ms`;
  out(`response  ${isGood ? paint('green', '✔') : paint('red', '✗')}  ${answer}`);
  if (attempt.requestId !== undefined) out(`request   ${attempt.requestId}`);
  if (attempt.body !== undefined && attempt.body !== '')
    out(`body      ${attempt.body.replaceAll(/\s+/g, ' ').slice(0, 400)}`);
  if (!isGood && attempt.message !== undefined && attempt.status !== undefined) out(`          ${attempt.message}`);
}
