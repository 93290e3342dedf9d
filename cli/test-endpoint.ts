/** `tidings exam`: does an endpoint really verify? Sends it good and bad requests and says what to mend. */

import type { Command } from 'commander';
import { openHttpTransport } from '../adapters/http/http-transport.ts';
import { signingKey } from '../core/delivery/sign.ts';
import { errorMessage, GiveUp, UsageError } from '../core/model/errors.ts';
import {
  type EndpointTestResult,
  type EndpointTestVerdict,
  isPassed,
  readCount,
  testEndpoint,
} from '../runtime/inspect/endpoint-test.ts';
import type { Context, ExitCode } from './context.ts';
import { jsonOption } from './options.ts';
import { addSecretOptions, readSecret, type SecretFlags } from './secret-option.ts';
import { counted, type Terminal, wrap } from './terminal.ts';

interface ExamFlags extends SecretFlags {
  readonly counterUrl?: URL;
  readonly allowPrivate: boolean;
  readonly json: boolean;
}

/** Where people try their receivers. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/** Networks of one's own. Link-local stays closed: clouds answer there with their machines' credentials. */
const PRIVATE = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

const COUNTER_TIMEOUT_MS = 5_000;

export function examCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const command = program
    .command('exam')
    .summary('find out whether an endpoint really verifies what it gets')
    .description(
      'Sends an endpoint good requests and bad ones, and tells which it took: changed bodies, old timestamps, other secrets.\n' +
        "All are events of type 'tidings.ping', marked as tests. Exit code 1 when it took a bad one, or refused a good one.",
    )
    .argument('<url>', 'the endpoint', readUrl);
  addSecretOptions(command, 'none; one of the two is needed')
    .option(
      '--counter-url <url>',
      'answers GET with how many events it has dealt with: shows whether a retry counts twice',
      readUrl,
    )
    .option('--allow-private', 'also examine endpoints in private networks; this machine is always allowed', false)
    .addOption(jsonOption())
    .action(async (url: URL, flags: ExamFlags) => exit(await runExam(url, flags, context)));
}

async function runExam(url: URL, flags: ExamFlags, context: Context): Promise<ExitCode> {
  const { terminal, environment, clock, random, pid } = context;
  const secret = checkedSecret(readSecret(flags, environment));
  const allow = [...LOOPBACK, ...(flags.allowPrivate ? PRIVATE : [])];
  const http = openHttpTransport({ allow });
  const { counterUrl } = flags;
  const processed = counterUrl === undefined ? undefined : () => readCounter(counterUrl);
  const told = flags.json ? () => {} : (result: EndpointTestResult) => sayResult(result, terminal);
  try {
    const seed = `${clock.now()} ${pid} ${random()}`;
    const results = await testEndpoint({ url, secret, http, clock, seed, processed, onResult: told });
    const ok = isPassed(results);
    if (flags.json) terminal.out(JSON.stringify({ url: url.href, ok, results }));
    else sayEnd(results, ok, terminal);
    return ok ? 0 : 1;
  } catch (error) {
    throw explainRefusal(error);
  } finally {
    await http.close();
  }
}

function checkedSecret(secret: string | undefined): string {
  if (secret === undefined) {
    throw new UsageError('TIDINGS_SECRET_UNAVAILABLE', 'an exam needs the endpoint’s secret: --secret or --secret-env');
  }
  try {
    signingKey(secret);
    return secret;
  } catch (error) {
    throw new UsageError('TIDINGS_SECRET_INVALID', `the secret cannot be used: ${errorMessage(error)}`);
  }
}

/** Undefined when it does not say a number: then nothing can be told from it. */
async function readCounter(url: URL): Promise<number | undefined> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(COUNTER_TIMEOUT_MS) });
    return answer.ok ? readCount(await answer.text()) : undefined;
  } catch {
    return undefined;
  }
}

function explainRefusal(error: unknown): unknown {
  if (!(error instanceof GiveUp) || error.code !== 'TIDINGS_HTTP_ADDRESS_REFUSED') return error;
  const [refusal] = error.message.split(';');
  return new UsageError(error.code, `${refusal}; --allow-private opens private networks`, { cause: error });
}

const MARKS: Readonly<Record<EndpointTestVerdict, readonly ['green' | 'red' | 'yellow', string]>> = {
  pass: ['green', '✔'],
  fail: ['red', '✗'],
  unclear: ['yellow', '?'],
};

/** As wide as the widest of each; rows are printed as they come, so the widths are known beforehand. */
const SENT_WIDTH = 50;
const EXPECTED_WIDTH = 18;

function sayResult(
  { sent, expected, status, ms, verdict, remark }: EndpointTestResult,
  { out, paint }: Terminal,
): void {
  const [colour, mark] = MARKS[verdict];
  const came = status === null ? '' : `${status} in ${ms} ms`;
  const row = [sent.padEnd(SENT_WIDTH), `expected ${expected}`.padEnd(EXPECTED_WIDTH + 9), came.padEnd(14)].join('  ');
  out(`${paint(colour, mark)}  ${row}  ${paint(colour, verdict)}${remark === null ? '' : `: ${remark}`}`.trimEnd());
}

function sayEnd(results: readonly EndpointTestResult[], ok: boolean, { out, paint }: Terminal): void {
  const failed = results.filter(({ verdict }) => verdict === 'fail');
  out('');
  out(paint(ok ? 'green' : 'red', conclusion(results, failed.length, ok)));
  if (ok && results.some(({ verdict }) => verdict === 'unclear')) for (const line of wrap(UNSEEN, WIDTH)) out(line);
  for (const [index, { sent, mend }] of failed.entries()) {
    out('');
    out(`${index + 1}. ${paint('bold', sent)}`);
    for (const line of wrap(mend ?? '', WIDTH)) out(`   ${line}`);
  }
}

function conclusion(results: readonly EndpointTestResult[], failed: number, ok: boolean): string {
  if (ok) return 'It verifies what it gets.';
  if (results.length === 1) return 'It did not take a valid request. Nothing else can be told before that is mended.';
  if (failed > 0) return `It does not do all it should: ${counted(failed, 'fault')} to mend.`;
  return 'It gave no clear answer to all of it. Try again, more slowly if it limits its callers.';
}

const WIDTH = 110;

const UNSEEN =
  'Whether it does anything twice cannot be told from outside; the header x-processed in its answers, or --counter-url, would show it.';

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(
    'TIDINGS_URL_INVALID',
    `expected an address that begins with https:// or http://, got '${text}'`,
  );
}
