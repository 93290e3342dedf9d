/** `tidings check`: validates a new setup. Makes a few requests and changes nothing. `--for-aws` is in check-aws.ts. */

import { type Command, Option } from 'commander';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { openDatabase } from '../adapters/sqlite/database.ts';
import { type SqliteStores, sqliteStores } from '../adapters/sqlite/stores.ts';
import type { Instant } from '../core/model/time.ts';
import { findDropped } from '../core/subscriptions/declare.ts';
import { describeDropCause, describeDropped } from '../core/subscriptions/dropped-backlog.ts';
import type { Config } from '../runtime/config/config.ts';
import { findConfigWarnings } from '../runtime/config/find-warnings.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { openDataCopy } from '../runtime/embedded/data-directory.ts';
import { type Embedded, openEmbedded } from '../runtime/embedded/embedded.ts';
import { type AccountValues, openAccountValues } from '../runtime/inspect/account-values.ts';
import { type EndpointCheck, endpointCheck } from '../runtime/inspect/check-endpoint.ts';
import { checkSource, type SourceCheck } from '../runtime/inspect/check-source.ts';
import { findUnknownValues, measureReach, type Reach } from '../runtime/inspect/check-values.ts';
import { findMoreFields } from '../runtime/inspect/more-fields.ts';
import { withStoredSources } from '../runtime/stored-sources.ts';
import { formatTimeUntil } from '../runtime/terminal/dates.ts';
import { formatNumber, type Terminal, table } from '../runtime/terminal/terminal.ts';
import { runCheckForAws } from './check-aws.ts';
import type { Context, ExitCode } from './context.ts';
import { configOption, dataOption, jsonOption } from './options.ts';
import { noteSources, printWarnings } from './print-warnings.ts';

interface CheckFlags {
  readonly config: string;
  readonly data: string;
  readonly ping: boolean;
  readonly forAws: boolean;
  readonly json: boolean;
}

export function checkCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('check')
    .summary('validate a setup: the token, its access and quota, and each receiver')
    .description(
      'Validates a config without changing anything: the owner of the token, its quota and access, the requests per day\n' +
        'that polling will use, and whether each receiver is reachable. Uses about a dozen requests. Exit code 1 when a check fails.',
    )
    .addOption(configOption())
    .addOption(dataOption())
    .option('--ping', "also send each receiver an event of type 'tidings.ping'", false)
    .addOption(
      new Option('--for-aws', 'validate a config for AWS, as cdk synth does; makes no requests')
        .default(false)
        .conflicts('ping'),
    )
    .addOption(jsonOption())
    .action(async (flags: CheckFlags) =>
      exit(flags.forAws ? runCheckForAws(flags.config, flags.json, context) : await runCheck(flags, context)),
    );
}

export async function runCheck({ config: file, data, ping, json }: CheckFlags, context: Context): Promise<ExitCode> {
  const { terminal, environment, clock, pid, random } = context;
  const declared = loadConfig(file, environment);
  // A copy of the data, so that nothing is changed.
  const copy = openDataCopy(data);
  const stored = sqliteStores(copy);
  const config = withStoredSources(declared, await stored.storedSources.list());
  // In memory: openEmbedded needs a database, but nothing is stored.
  const database = openDatabase(':memory:');
  const holder = `check/${pid}`;
  const embedded = await openEmbedded({
    ...{ config, database, environment, clock, holder, random },
    secretsOf: data,
  }).catch((error: unknown) => {
    copy.close();
    throw error;
  });
  try {
    const sources: SourceCheck[] = [];
    for (const source of config.sources) {
      const api = embedded.sources.get(source.name)?.api;
      if (api !== undefined) sources.push(await checkSource(api, source, stored));
    }
    const { secrets, channelFor } = embedded;
    const checkEndpoint = endpointCheck({ config, secrets, clock, channelFor: ping ? channelFor : undefined });
    const endpoints = await Promise.all(config.subscriptions.map(checkEndpoint));
    const dropped = await findDropped({ ...stored, channels: channelRegistry, clock }, config.subscriptions);
    const accounts = openAccounts(config, embedded, stored);
    const warnings = [
      ...findConfigWarnings(config, { moreFields: await findMoreFields(stored.snapshots, config) }),
      ...(await findUnknownValues(config, accounts)),
    ];
    const reach: Reach[] = [];
    for (const subscription of config.subscriptions)
      reach.push(await measureReach(subscription, config, stored.events, accounts, clock.now()));
    if (json)
      terminal.out(
        JSON.stringify({ sources, unusedSources: config.unusedSources ?? [], endpoints, reach, warnings, dropped }),
      );
    else {
      print(sources, endpoints, reach, clock.now(), terminal);
      printWarnings(file, warnings, terminal);
      noteSources(config, terminal);
      for (const one of dropped)
        terminal.out(
          one.replacedOf === undefined
            ? `!  ${describeDropped(one)} will be dropped: set renamedFrom: ${one.subscription} on its successor to keep them`
            : `!  ${describeDropped(one)} will be dropped: ${describeDropCause(one)}`,
        );
    }
    return sources.some(hasFailed) || endpoints.some(({ ok }) => !ok) || warnings.length > 0 ? 1 : 0;
  } finally {
    copy.close();
    await embedded.close();
  }
}

/** Resources that the token may not read are skipped by polling, so they are not an error unless all are affected. */
function hasFailed({ problem, otherAccount, resources }: SourceCheck): boolean {
  return problem !== null || otherAccount !== null || resources.every(({ count }) => count === null);
}

/** The accounts that answer. Values of the others cannot be compared. */
function openAccounts(
  { sources }: Config,
  embedded: Embedded,
  { snapshots }: Pick<SqliteStores, 'snapshots'>,
): readonly AccountValues[] {
  return sources.flatMap(({ name }) => {
    const api = embedded.sources.get(name)?.api;
    return api === undefined ? [] : [openAccountValues({ api, snapshots }, name)];
  });
}

/** `last 30 days: its filter selects 12 of 80 changed records; 3 of 41 recorded events` */
function sayReach({ events, records }: Reach): string {
  const selected =
    records === null
      ? ''
      : `its filter selects ${formatNumber(records.matching)} of ${formatNumber(records.changed)} changed records; `;
  const recorded =
    events.recorded === 0
      ? 'no events recorded yet'
      : `${formatNumber(events.matching)} of ${formatNumber(events.recorded)} recorded events`;
  return `last 30 days: ${selected}${recorded}`;
}

function sayZone(configured: string | null, ofUser: string | null): string {
  if (configured !== null) return `${configured} (config)`;
  return ofUser === null
    ? 'unknown: the API names none, so no time-driven events; set timeZone'
    : `${ofUser} (the token's user)`;
}

function print(
  sources: readonly SourceCheck[],
  endpoints: readonly EndpointCheck[],
  reach: readonly Reach[],
  now: Instant,
  { out, paint }: Terminal,
): void {
  const mark = (ok: boolean) => (ok ? paint('green', '✔') : paint('red', '✗'));
  for (const { source, baseUrl, problem, otherAccount, person, timeZone, quota, resources, requestsADay } of sources) {
    out(`${mark(problem === null)}  ${paint('bold', source)} at ${baseUrl}${problem === null ? '' : `: ${problem}`}`);
    if (problem !== null) continue;
    const owner = [person?.name ?? `person ${person?.id ?? 'unknown'}`, person?.role];
    out(`   token      ${owner.filter((part) => part !== null && part !== undefined).join(', ')}`);
    out(`   time zone  ${sayZone(timeZone, person?.timeZone ?? null)}`);
    if (quota !== null) {
      const reset = quota.resetsAt === null ? '' : `, resets ${formatTimeUntil(quota.resetsAt, now)}`;
      out(`   quota      ${formatNumber(quota.used)} of ${formatNumber(quota.limit)} used${reset}`);
      out(`   forecast   ${formatNumber(requestsADay)} of ${formatNumber(quota.limit)} requests per day`);
    }
    const rows = resources.map(({ resource, count, problem }) => [
      resource,
      count === null ? '-' : formatNumber(count),
      problem ?? '',
    ]);
    for (const line of table([['resource', 'records', ''], ...rows])) out(`   ${line}`);
    if (otherAccount !== null) out(`${mark(false)}  ${otherAccount}`);
  }
  for (const { subscription, ok, finding, ping } of endpoints) {
    out(`${mark(ok)}  ${paint('bold', subscription)}: ${finding}${ping === null ? '' : `; ping ${ping}`}`);
    const own = reach.find((one) => one.subscription === subscription);
    if (own !== undefined) out(`   ${sayReach(own)}`);
  }
}
