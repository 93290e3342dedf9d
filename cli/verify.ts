/** `tidings verify`: sends a synthetic change through a deployment, prints the time of each step, and removes it again. */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from '../core/model/errors.ts';
import { between, type Duration, formatDuration, MINUTE, parseDuration, SECOND } from '../core/model/time.ts';
import type { VerificationState, VerificationStep } from '../runtime/aws/verification.ts';
import { withStores } from '../runtime/inspect/open-stores.ts';
import type { Stores } from '../runtime/inspect/stores.ts';
import type { Terminal } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { awsOption, jsonOption } from './options.ts';

interface VerifyFlags {
  readonly aws?: string;
  readonly timeout: Duration;
  readonly json: boolean;
}

/** `poll` runs every minute; the second one follows if the first was starting. */
const TIMEOUT: Duration = 3 * MINUTE;

const READ_EVERY: Duration = SECOND / 2;

interface StepText {
  readonly step: VerificationStep;
  readonly text: string;
  /** Where to look if it does not happen: a section of the runbook. */
  readonly section: string;
}

const STEPS: readonly StepText[] = [
  { step: 'committedAt', text: 'poll ran and committed the change', section: 'Nothing is read' },
  { step: 'announcedAt', text: 'the stream brought it to announce', section: 'The stream is not read' },
  { step: 'queuedAt', text: 'announce queued a job', section: 'Function errors' },
  { step: 'deliveredAt', text: 'deliver handed it to the built-in receiver', section: 'Deliveries are late' },
];

export function verifyCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('verify')
    .summary('send a synthetic change through a stack in AWS, from poll to a built-in receiver')
    .description(
      'Asks the stack for a synthetic change, waits until it has passed poll, the stream, announce, the queue and deliver,\n' +
        'prints the time of each step, and removes it again. It makes no request to the API and to no receiver, and it is no\n' +
        'event: no subscription gets it, and no list shows it.',
    )
    .addOption(awsOption())
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for the last step')
        .default(TIMEOUT, formatDuration(TIMEOUT))
        .argParser(readTimeout),
    )
    .addOption(jsonOption())
    .action(async (flags: VerifyFlags) => exit(await runVerify(flags, context)));
}

function readTimeout(text: string): Duration {
  const duration = parseDuration(text);
  if (duration !== undefined && duration > 0) return duration;
  throw new InvalidArgumentError("Expected a duration such as '3m'.");
}

async function runVerify({ aws, timeout, json }: VerifyFlags, context: Context): Promise<ExitCode> {
  if (aws === undefined)
    throw new UsageError('TIDINGS_OPTION_MISSING', 'verify: expected --aws STACK: it verifies a deployment in AWS');
  const { terminal, clock, environment } = context;
  const verification = await withStores({ data: '', aws }, { environment, clock }, (stores) =>
    verify(stores, context, timeout, json ? () => {} : createPrinter(terminal)),
  );
  const missing = STEPS.find(({ step }) => verification?.[step] === undefined);
  if (json) terminal.out(JSON.stringify({ stack: aws, ok: missing === undefined, ...verification }));
  else if (missing === undefined) terminal.out(`${terminal.paint('green', '✔')}  ${aws} works; the change was removed`);
  else if (verification === undefined)
    terminal.err('tidings: another verification of this stack has replaced this one');
  else
    terminal.err(
      `tidings: ${aws}: not within ${formatDuration(timeout)}: ${missing.text}; see '${missing.section}' in docs/runbook.md. ` +
        'The change was removed',
    );
  return missing === undefined ? 0 : 1;
}

/** Returns how far it got; undefined if another verification has replaced it. */
async function verify(
  stores: Stores,
  { clock, stop }: Context,
  timeout: Duration,
  print: (verification: VerificationState) => void,
): Promise<VerificationState | undefined> {
  const { readVerification, removeVerification, requestVerification } = await import('../runtime/aws/verification.ts');
  const ports = { ...stores, clock };
  // What a verification that was killed has left.
  await stores.removeVerificationRecord?.();
  const id = randomBytes(8).toString('hex');
  await requestVerification(ports, id);
  const endsAt = performance.now() + timeout;
  let verification = await readVerification(ports, id);
  while (verification?.deliveredAt === undefined || verification.queuedAt === undefined) {
    if (verification === undefined) return undefined;
    print(verification);
    if (stop.aborted || performance.now() > endsAt) break;
    await sleep(READ_EVERY);
    verification = await readVerification(ports, id);
  }
  print(verification);
  // The request first: what is on its way finds none, and commits nothing more.
  await removeVerification(ports);
  await stores.removeVerificationRecord?.();
  return verification;
}

/** Prints each step once, when it is known. */
function createPrinter({ out, paint }: Terminal): (verification: VerificationState) => void {
  const printed = new Set<VerificationStep>();
  return (verification) => {
    let before = verification.requestedAt;
    for (const { step, text } of STEPS) {
      const at = verification[step];
      // Steps are printed in their order.
      if (at === undefined) return;
      // Clocks of machines differ by some milliseconds.
      const span = Math.max(0, between(before, at));
      before = at;
      if (printed.has(step)) continue;
      printed.add(step);
      out(`${paint('green', '✔')}  ${`${(span / SECOND).toFixed(1)} s`.padStart(7)}  ${text}`);
    }
  };
}
