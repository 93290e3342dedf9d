/** `tidings listen`: a receiver to look at, for wiring things up. Verifies and prints what comes until Ctrl-C. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../core/model/errors.ts';
import { VerifyError, verify } from '../kit/verify.ts';
import type { Context, ExitCode } from './context.ts';
import { sayReceived } from './listen-words.ts';
import { jsonOption, readPort } from './options.ts';
import { type Received, receiverApp } from './receiver.ts';
import { addSecretOptions, readSecret, type SecretFlags } from './secret-option.ts';
import { listenOn, onFreePort } from './serve-app.ts';
import { number, type Terminal } from './terminal.ts';

interface ListenFlags extends SecretFlags {
  readonly port: number;
  readonly host: string;
  readonly status?: number;
  readonly failFirst: number;
  readonly json: boolean;
}

const DEFAULT_PORT = 4016;

export function listenCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const command = program
    .command('listen')
    .summary('receive webhooks on this machine, verify them and show what came')
    .description(
      'A receiver for wiring things up: verifies each webhook, prints what it tells and whether it came before, and answers\n' +
        '204, or 401 with the reason. Keeps nothing. Ctrl-C ends it.',
    )
    .option('-p, --port <number>', 'port to listen on; 0 takes any that is free', readPort, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on; 0.0.0.0 lets other machines in', '127.0.0.1');
  addSecretOptions(command, 'one is made and printed')
    .option('--status <code>', 'answer verified webhooks with this status, e.g. 500 to see retries', readStatus)
    .option('--fail-first <count>', 'answer this many with 500 (or --status) before all is well', readCount, 0)
    .addOption(jsonOption())
    .action(async (flags: ListenFlags) => {
      await runListen(flags, context);
      exit(0);
    });
}

async function runListen(flags: ListenFlags, { terminal, environment, clock, stop }: Context): Promise<void> {
  const given = readSecret(flags, environment);
  const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
  await refuseBadSecret(secret);
  const count = { verified: 0, refused: 0 };
  const told = (received: Received) => {
    count[received.verified ? 'verified' : 'refused'] += 1;
    terminal.out(flags.json ? JSON.stringify(received) : sayReceived(received, terminal));
  };
  const app = receiverApp({ secret, clock, told, statusFor: statusesOf(flags) });
  const server = await onFreePort(flags.port, terminal, (port) => listenOn(app, port, flags.host));
  describe(server.url, given === undefined ? secret : undefined, flags.json ? terminal.err : terminal.out);
  if (!stop.aborted) await once(stop, 'abort');
  await server.close();
  if (!flags.json) sayEnd(count, terminal);
}

/** Now rather than with the first webhook. The secret is looked at before the request, so none is needed. */
async function refuseBadSecret(secret: string): Promise<void> {
  const problem = await verify({ secret, headers: {}, body: '' }).catch((error: unknown) => error);
  if (problem instanceof VerifyError && problem.code === 'bad_secret') {
    throw new UsageError('TIDINGS_SECRET_INVALID', `the secret cannot be used: ${problem.message}`);
  }
}

function statusesOf({ status, failFirst }: ListenFlags): (nth: number) => number {
  if (failFirst === 0) return () => status ?? 204;
  return (nth) => (nth <= failFirst ? (status ?? 500) : 204);
}

/** The secret only when it was made here: whoever brought one knows it. */
function describe(url: string, made: string | undefined, say: (line: string) => void): void {
  if (made !== undefined) {
    say('A secret was made for this run. In a config:');
    say('');
    if (new URL(url).hostname === '127.0.0.1') say("network: { allowHttp: true, allow: ['127.0.0.0/8'] }");
    say("subscriptions:\n  - name: listen\n    events: ['*']");
    say(`    to: { http: { url: '${url}/', secret: '${made}' } }`);
    say('');
  }
  say(`listening on ${url}, any path; Ctrl-C ends it`);
}

function sayEnd({ verified, refused }: { readonly verified: number; readonly refused: number }, { out }: Terminal) {
  out(`stopped: ${number(verified + refused)} received, ${number(verified)} verified, ${number(refused)} refused`);
}

function readStatus(text: string): number {
  if (/^[2-5]\d\d$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected an HTTP status from 200 to 599.');
}

function readCount(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number.');
}
