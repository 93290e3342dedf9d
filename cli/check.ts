/** `tidings check`: a doctor for the first day. Reads a little, changes nothing. What is for AWS is told by check-aws.ts. */

import { type Command, Option } from 'commander';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { openEmbedded } from '../runtime/embedded/embedded.ts';
import { type EndpointCheck, endpointCheck } from '../runtime/inspect/check-endpoint.ts';
import { checkSource, type SourceCheck } from '../runtime/inspect/check-source.ts';
import { runCheckForAws } from './check-aws.ts';
import type { Context, ExitCode } from './context.ts';
import { configOption, jsonOption } from './options.ts';
import { number, type Terminal, table } from './terminal.ts';

interface CheckFlags {
  readonly config: string;
  readonly ping: boolean;
  readonly forAws: boolean;
  readonly json: boolean;
}

export function checkCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('check')
    .summary('try the token, count what it may read, and look at each receiver')
    .description(
      'Tries out a config without changing anything: who the token belongs to, its quota, what it may read, what polling\n' +
        'will cost a day, and whether each receiver can be reached. Costs about a dozen requests. Exit code 1 when something is wrong.',
    )
    .addOption(configOption())
    .option('--ping', "also send each receiver an event of type 'tidings.ping': signed, a message, a mail", false)
    .addOption(
      new Option('--for-aws', 'check a config that is to be deployed to AWS, as cdk synth does: asks nobody')
        .default(false)
        .conflicts('ping'),
    )
    .addOption(jsonOption())
    .action(async (flags: CheckFlags) =>
      exit(flags.forAws ? runCheckForAws(flags.config, flags.json, context) : await runCheck(flags, context)),
    );
}

async function runCheck({ config: file, ping, json }: CheckFlags, context: Context): Promise<ExitCode> {
  const { terminal, environment, clock, pid, random } = context;
  const config = loadConfig(file, environment);
  // Nothing is kept: the stores are there because the whole is put together as it will run.
  const database = openDatabase(':memory:');
  const embedded = await openEmbedded({ config, database, environment, clock, holder: `check/${pid}`, random });
  try {
    const sources: SourceCheck[] = [];
    for (const source of config.sources) {
      const api = embedded.sources.get(source.name)?.api;
      if (api !== undefined) sources.push(await checkSource(api, source));
    }
    const { secrets, channelFor } = embedded;
    const checkEndpoint = endpointCheck({ config, secrets, clock, ...(ping ? { channelFor } : {}) });
    const endpoints = await Promise.all(config.subscriptions.map(checkEndpoint));
    if (json) terminal.out(JSON.stringify({ sources, endpoints }));
    else print(sources, endpoints, terminal);
    return sources.some(isWrong) || endpoints.some(({ ok }) => !ok) ? 1 : 0;
  } finally {
    await embedded.close();
  }
}

/** What the role may not read is a fact, not a fault: it is left out by itself. */
function isWrong({ problem, resources }: SourceCheck): boolean {
  return problem !== null || resources.every(({ count }) => count === null);
}

function print(sources: readonly SourceCheck[], endpoints: readonly EndpointCheck[], { out, paint }: Terminal): void {
  const mark = (ok: boolean) => (ok ? paint('green', '✔') : paint('red', '✗'));
  for (const { source, baseUrl, problem, person, quota, resources, requestsADay } of sources) {
    out(`${mark(problem === null)}  ${paint('bold', source)} at ${baseUrl}${problem === null ? '' : `: ${problem}`}`);
    if (problem !== null) continue;
    const known = [person?.name ?? `person ${person?.id ?? 'unknown'}`, person?.role, person?.timeZone];
    out(`   token      ${known.filter((part) => part !== null && part !== undefined).join(', ')}`);
    if (quota !== null) {
      const reset =
        quota.resetsAt === null ? '' : `, counted anew at ${quota.resetsAt.slice(0, 16).replace('T', ' ')} UTC`;
      out(`   quota      ${number(quota.used)} of ${number(quota.limit)} used${reset}`);
      out(`   forecast   at this pace ${number(requestsADay)} of ${number(quota.limit)} requests a day`);
    }
    const rows = resources.map(({ resource, count, problem }) => [
      resource,
      count === null ? '-' : number(count),
      problem ?? '',
    ]);
    for (const line of table(rows)) out(`   ${line}`);
  }
  for (const { subscription, ok, finding, ping } of endpoints) {
    out(`${mark(ok)}  ${paint('bold', subscription)}: ${finding}${ping === null ? '' : `; the ping was ${ping}`}`);
  }
}
