/** `tidings listen`: a local receiver for development. Verifies and prints webhooks until Ctrl-C. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { newSigningSecret } from '../core/delivery/signing/sign.ts';
import { UsageError } from '../core/model/errors.ts';
import { VerifyError, verify } from '../kit/verify.ts';
import { formatNumber, pluralize, type Terminal } from '../runtime/terminal/terminal.ts';
import { listenOn, onFreePort } from '../service/listen.ts';
import type { Context, ExitCode } from './context.ts';
import { formatReceived } from './format-received.ts';
import { runForward } from './forward.ts';
import {
  addSecretOptions,
  configOption,
  dataOption,
  jsonOption,
  readPort,
  readSecret,
  readTypeGlob,
  type SecretFlags,
} from './options.ts';
import { type Received, receiverApp } from './receiver.ts';

interface ListenFlags extends SecretFlags {
  readonly port: number;
  readonly host: string;
  readonly status?: number;
  readonly failFirst: number;
  readonly acceptPing: boolean;
  readonly json: boolean;
  /** @default - webhooks are only printed */
  readonly forward?: URL;
  readonly events: readonly string[];
  readonly url?: string;
  readonly config: string;
  readonly data: string;
  readonly api?: string;
  readonly key?: string;
}

const DEFAULT_PORT = 4016;

export function listenCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const command = program
    .command('listen')
    .summary('receive webhooks on this machine, verify and print them')
    .description(
      'A receiver for development: verifies each webhook, prints it, and responds with 204, or with 401 and the reason.\n' +
        'Marks duplicates. Stores nothing. Press Ctrl-C to stop.\n' +
        'With --forward it makes a temporary subscription, prints its secret, passes each event on as it was signed, and removes the subscription at the end.',
    )
    .option('-p, --port <number>', 'port to listen on; 0 selects a free port', readPort, DEFAULT_PORT)
    .option('--host <address>', 'address to listen on; 0.0.0.0 accepts connections from other machines', '127.0.0.1');
  addSecretOptions(command, 'generated and printed')
    .option('--status <code>', 'respond to verified webhooks with this status, e.g. 500 to see retries', readStatus)
    .option('--fail-first <count>', 'respond to the first webhooks with 500 (or --status), then with 204', readCount, 0)
    .option('--accept-ping', 'accept the ping of a new subscription, whose secret is not known yet', false)
    .addOption(
      new Option('--forward <url>', 'make a temporary subscription, and pass its events on to this address')
        .argParser(readForward)
        .conflicts(['secret', 'secretEnv', 'status', 'failFirst', 'acceptPing']),
    )
    .option('--events <types>', "with --forward: event types with commas between them, such as 'task.*'", readTypes, [
      '*',
    ])
    .option('--url <url>', 'with --forward: where the service reaches this command, if not on this machine: a tunnel')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(
      new Option('--api <url>', 'with --forward: make it through the management API (or TIDINGS_API_URL)').conflicts(
        'data',
      ),
    )
    .addOption(new Option('--key <key>', 'the key of the API; better: TIDINGS_API_KEY'))
    .addOption(jsonOption())
    .action(async (flags: ListenFlags) => {
      if (flags.forward === undefined) await runListen(flags, context);
      else await forwardEvents(flags, flags.forward, context);
      exit(0);
    });
}

async function runListen(flags: ListenFlags, { terminal, environment, clock, stop }: Context): Promise<void> {
  const given = readSecret(flags, environment);
  const secret = given ?? newSigningSecret(randomBytes(32));
  await assertValidSecret(secret);
  const count = { verified: 0, refused: 0, pings: 0 };
  const onRequest = (received: Received) => {
    count[received.verified ? 'verified' : received.status < 300 ? 'pings' : 'refused'] += 1;
    terminal.out(flags.json ? JSON.stringify(received) : formatReceived(received, terminal));
  };
  const app = receiverApp({ secret, clock, onRequest, statusFor: statusesOf(flags), acceptsPing: flags.acceptPing });
  const server = await onFreePort(flags.port, terminal, (port) => listenOn(app, port, flags.host));
  const say = flags.json ? terminal.err : terminal.out;
  if (flags.acceptPing)
    say('accepts the ping of a new subscription; then start it again with the secret of the subscription');
  describe(server.url, given === undefined && !flags.acceptPing ? secret : undefined, say);
  if (!stop.aborted) await once(stop, 'abort');
  await server.close();
  if (!flags.json) printEnd(count, terminal);
}

async function forwardEvents(flags: ListenFlags, forward: URL, context: Context): Promise<void> {
  const { terminal } = context;
  const { events, port, host, url, json, config, data, api, key } = flags;
  const count = { verified: 0, refused: 0, pings: 0 };
  const onRequest = (received: Received) => {
    count[received.verified ? 'verified' : received.status < 300 ? 'pings' : 'refused'] += 1;
    terminal.out(json ? JSON.stringify(received) : formatReceived(received, terminal));
  };
  const say = json ? terminal.err : terminal.out;
  const location = { config, data, api, key };
  await runForward({ forward, events, port, host, url, location, onRequest, say }, context);
  if (!json) printEnd(count, terminal);
}

/** Fails at the start rather than at the first webhook. `verify` checks the secret before the request, so none is needed. */
async function assertValidSecret(secret: string): Promise<void> {
  const problem = await verify({ secret, headers: {}, body: '' }).catch((error: unknown) => error);
  if (problem instanceof VerifyError && problem.code === 'bad_secret') {
    throw new UsageError('TIDINGS_SECRET_INVALID', `invalid secret: ${problem.message}`);
  }
}

function statusesOf({ status, failFirst }: ListenFlags): (nth: number) => number {
  if (failFirst === 0) return () => status ?? 204;
  return (nth) => (nth <= failFirst ? (status ?? 500) : 204);
}

/** Prints the secret only when it was generated here. */
function describe(url: string, generated: string | undefined, say: (line: string) => void): void {
  if (generated !== undefined) {
    say('Generated a secret for this run. Add to the config:');
    say('');
    if (new URL(url).hostname === '127.0.0.1') say("network: { allowHttp: true, allow: ['127.0.0.0/8'] }");
    say("subscriptions:\n  - name: listen\n    events: ['*']");
    say(`    to: { http: { url: '${url}/', secret: '${generated}' } }`);
    say('');
  }
  say(`listening on ${url} (any path); press Ctrl-C to stop`);
}

interface RequestCount {
  readonly verified: number;
  readonly refused: number;
  /** Accepted without verification. */
  readonly pings: number;
}

function printEnd({ verified, refused, pings }: RequestCount, { out }: Terminal) {
  out(
    `stopped: ${formatNumber(verified + refused + pings)} received, ${formatNumber(verified)} verified, ${formatNumber(refused)} refused${pings === 0 ? '' : `, ${pluralize(pings, 'ping')} accepted`}`,
  );
}

function readStatus(text: string): number {
  if (/^[2-5]\d\d$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected an HTTP status from 200 to 599.');
}

function readForward(text: string): URL {
  const withScheme = /^[\w.-]+:\d+(\/|$)/.test(text) ? `http://${text}` : text;
  const url = URL.parse(withScheme);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError("Expected an address such as 'http://localhost:3000/webhooks'.");
}

const readTypes = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map(readTypeGlob);

function readCount(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number.');
}
