/** `tidings test-endpoint`: sends an endpoint valid and invalid requests and reports whether it verifies them. */

import type { Command } from 'commander';
import { openHttpTransport } from '../adapters/http/http-transport.ts';
import { signingKey } from '../core/delivery/signing/sign.ts';
import { errorMessage, GiveUp, UsageError } from '../core/model/errors.ts';
import {
  type EndpointTestResult,
  type EndpointTestVerdict,
  isPassed,
  readCount,
  testEndpoint,
} from '../runtime/inspect/endpoint-test.ts';
import { pluralize, type Terminal, wrap } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { addSecretOptions, jsonOption, readSecret, type SecretFlags } from './options.ts';

interface TestEndpointFlags extends SecretFlags {
  readonly counterUrl?: URL;
  readonly allowPrivate: boolean;
  readonly json: boolean;
}

/** Always allowed: receivers under development run on this machine. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Private networks. Link-local addresses stay blocked: cloud metadata services hand out credentials there. */
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

const COUNTER_TIMEOUT_MS = 5_000;

export function testEndpointCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const command = program
    .command('test-endpoint')
    .summary('test whether an endpoint verifies webhooks')
    .description(
      'Sends an endpoint valid and invalid requests (modified bodies, old timestamps, other secrets) and shows which it\n' +
        "accepts. All are events of type 'tidings.ping', marked as tests. Exit code 1 when it accepts an invalid request or\n" +
        'rejects a valid one.',
    )
    .argument('<url>', 'the endpoint', readUrl);
  addSecretOptions(command, 'none; one of the two options is required')
    .option(
      '--counter-url <url>',
      'URL that returns the number of processed events, to detect retries that are processed twice',
      readUrl,
    )
    .option('--allow-private', 'also allow endpoints in private networks; this machine is always allowed', false)
    .addOption(jsonOption())
    .action(async (url: URL, flags: TestEndpointFlags) => exit(await runEndpointTest(url, flags, context)));
}

async function runEndpointTest(url: URL, flags: TestEndpointFlags, context: Context): Promise<ExitCode> {
  const { terminal, environment, clock, random, pid } = context;
  const secret = requireSecret(readSecret(flags, environment));
  const allow = [...LOOPBACK, ...(flags.allowPrivate ? PRIVATE : [])];
  const http = openHttpTransport({ allow });
  const { counterUrl } = flags;
  const processed = counterUrl === undefined ? undefined : () => readCounter(counterUrl);
  const onResult = flags.json ? () => {} : (result: EndpointTestResult) => printResult(result, terminal);
  try {
    const seed = `${clock.now()} ${pid} ${random()}`;
    const results = await testEndpoint({ url, secret, http, clock, seed, processed, onResult });
    const ok = isPassed(results);
    if (flags.json) terminal.out(JSON.stringify({ url: url.href, ok, results: results.map(toJson) }));
    else printEnd(results, ok, terminal);
    return ok ? 0 : 1;
  } catch (error) {
    throw explainBlockedAddress(error);
  } finally {
    await http.close();
  }
}

function requireSecret(secret: string | undefined): string {
  if (secret === undefined) {
    throw new UsageError(
      'TIDINGS_SECRET_UNAVAILABLE',
      'the endpoint’s secret is required: use --secret-env or --secret',
    );
  }
  try {
    signingKey(secret);
    return secret;
  } catch (error) {
    throw new UsageError('TIDINGS_SECRET_INVALID', `invalid secret: ${errorMessage(error)}`);
  }
}

/** Undefined when the response is not a number. */
async function readCounter(url: URL): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(COUNTER_TIMEOUT_MS) });
    return answer.ok ? readCount(await answer.text()) : undefined;
  } catch {
    return undefined;
  }
}

function explainBlockedAddress(error: unknown): unknown {
  if (!(error instanceof GiveUp) || error.code !== 'TIDINGS_HTTP_ADDRESS_REFUSED') return error;
  const [refusal] = error.message.split(';');
  return new UsageError(error.code, `${refusal}; use --allow-private to allow private networks`, { cause: error });
}

const MARKS: Readonly<Record<EndpointTestVerdict, readonly ['green' | 'red' | 'yellow', string]>> = {
  pass: ['green', '✔'],
  fail: ['red', '✗'],
  unclear: ['yellow', '?'],
};

/** Fixed widths, because each row is printed as soon as its result is known. */
const SENT_WIDTH = 50;
const EXPECTED_WIDTH = 18;

function printResult(
  { sent, expected, status, ms, verdict, remark }: EndpointTestResult,
  { out, paint }: Terminal,
): void {
  const [colour, mark] = MARKS[verdict];
  const response = status === null ? '' : `${status} in ${ms} ms`;
  const row = [sent.padEnd(SENT_WIDTH), `expected ${expected}`.padEnd(EXPECTED_WIDTH + 9), response.padEnd(14)].join(
    '  ',
  );
  out(`${paint(colour, mark)}  ${row}  ${paint(colour, verdict)}${remark === null ? '' : `: ${remark}`}`.trimEnd());
}

function printEnd(results: readonly EndpointTestResult[], ok: boolean, { out, paint }: Terminal): void {
  const failed = results.filter(({ verdict }) => verdict === 'fail');
  out('');
  out(paint(ok ? 'green' : 'red', conclusion(results, failed.length, ok)));
  if (ok && results.some(({ verdict }) => verdict === 'unclear'))
    for (const line of wrap(NO_COUNT_HINT, WIDTH)) out(line);
  for (const [index, { sent, fix }] of failed.entries()) {
    out('');
    out(`${index + 1}. ${paint('bold', sent)}`);
    for (const line of wrap(fix ?? '', WIDTH)) out(`   ${line}`);
  }
}

/** Stable: programs read it. `mend` is the old name of `fix`. */
function toJson({ fix, ...result }: EndpointTestResult): object {
  return { ...result, fix, mend: fix };
}

function conclusion(results: readonly EndpointTestResult[], failed: number, ok: boolean): string {
  if (ok) return 'The endpoint verifies webhooks.';
  if (results.length === 1)
    return 'The endpoint rejected a valid request. Fix this first: the other tests depend on it.';
  if (failed > 0) return `The endpoint failed ${pluralize(failed, 'test')}.`;
  return 'Some results are unclear. Try again; if the endpoint limits its request rate, raise the limit first.';
}

const WIDTH = 110;

const NO_COUNT_HINT =
  'Whether a retry is processed twice is not visible from outside. To test it, return the header x-processed or use --counter-url.';

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError('TIDINGS_URL_INVALID', `expected a URL that starts with https:// or http://, got '${text}'`);
}
