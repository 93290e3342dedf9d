/** `tidings subscriptions test`: sends one event marked as a test through the normal delivery path and shows the response. */

import type { Command } from 'commander';
import type { DeliveryResult } from '../core/delivery/deliver.ts';
import { lineOf } from '../core/messages/neutral-message.ts';
import { RetryLater } from '../core/model/errors.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { addLocationOptions, configOption, jsonOption, locationFlags, readTypeGlob } from './options.ts';

interface TestFlags extends Location {
  readonly type?: string;
  readonly json: boolean;
}

export function testCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const command = group
    .command('test')
    .summary('send a test event and show the response')
    .description(
      'Sends the newest event that matches the subscription, or an example, with a new id and marked as a test, through\n' +
        'the normal delivery path, even while the subscription is paused. There is one attempt. With --aws the stack makes\n' +
        'the attempt; the command waits up to 30 s for its result.',
    )
    .argument('<name>', 'the subscription')
    .option('--type <glob>', 'only an event of this type (default: any the subscription matches)', readTypeGlob)
    .addOption(configOption());
  addLocationOptions(command)
    .addOption(jsonOption())
    .action(async (name: string, flags: TestFlags) => exit(await runTest(name, flags, context)));
}

async function runTest(name: string, { type, json, ...location }: TestFlags, context: Context): Promise<ExitCode> {
  const { terminal } = context;
  const { address, delivery, result } = await withBackend(location, context, ({ subscriptions }) =>
    subscriptions.test(name, type),
  );
  if (result === undefined) {
    const list = `tidings deliveries${locationFlags(location)} --subscription ${name}`;
    throw new RetryLater(
      'TIDINGS_TEST_UNANSWERED',
      `subscription '${name}': the test delivery ${delivery} is queued, but no attempt was recorded in time; check later with: ${list}`,
    );
  }
  if (json) terminal.out(JSON.stringify({ subscription: name, ...result }));
  else print(result, address, terminal);
  return result.attempt.outcome === 'accepted' ? 0 : 1;
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
