/** `tidings status`: how each source is doing, when what was read last, and what comes next. */

import type { Command } from 'commander';
import { sqliteLedger } from '../adapters/sqlite/ledger.ts';
import { sqliteSnapshotStore } from '../adapters/sqlite/snapshot-store.ts';
import type { Instant } from '../core/model/time.ts';
import { loadConfig } from '../runtime/config/load.ts';
import { openExistingData } from '../runtime/data-directory.ts';
import {
  type ResourceStatus,
  type SourceStatus,
  type SubscriptionStatus,
  statusOf,
  subscriptionStatus,
} from '../runtime/status.ts';
import type { Context, ExitCode } from './context.ts';
import { ahead, span } from './dates.ts';
import { configOption, dataOption, jsonOption } from './options.ts';
import { number, type Terminal, table } from './terminal.ts';

interface StatusFlags {
  readonly config: string;
  readonly data: string;
  readonly json: boolean;
}

export function statusCommand(
  program: Command,
  { terminal, environment, clock }: Context,
  exit: (code: ExitCode) => void,
): void {
  program
    .command('status')
    .summary('how each source is doing, and what comes next')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(jsonOption())
    .action(async (flags: StatusFlags) => {
      const config = loadConfig(flags.config, environment);
      const database = openExistingData(flags.data);
      try {
        const ports = { ledger: sqliteLedger(database), snapshots: sqliteSnapshotStore(database) };
        const now = clock.now();
        const sources = await statusOf(ports, config, now);
        const subscriptions = await subscriptionStatus(ports);
        if (flags.json) terminal.out(JSON.stringify({ at: now, sources, subscriptions }));
        else {
          for (const source of sources) print(source, now, terminal);
          printSubscriptions(subscriptions, terminal);
        }
      } finally {
        database.close();
      }
      exit(0);
    });
}

function print(source: SourceStatus, now: Instant, terminal: Terminal): void {
  const { out, paint } = terminal;
  const well = source.state === 'ok';
  out(
    paint('bold', source.source) +
      `  ${paint(well ? 'green' : 'yellow', source.state)}${source.reason === null ? '' : `: ${source.reason}`}`,
  );
  out(`  requests   ${sayQuota(source, now)}`);
  const rows = source.resources.map((resource) => rowOf(resource, now));
  for (const line of table([['resource', 'records', 'read', 'swept', 'next', 'a day', ''], ...rows])) out(`  ${line}`);
}

/** Only what somebody should look at; `tidings subscriptions` lists them all. */
function printSubscriptions(subscriptions: readonly SubscriptionStatus[], { out, paint }: Terminal): void {
  const ill = subscriptions.filter(({ state }) => state !== 'ok');
  const well = subscriptions.length - ill.length;
  out(
    `${paint('bold', 'subscriptions')}  ${paint(ill.length === 0 ? 'green' : 'yellow', `${well} of ${subscriptions.length} well`)}`,
  );
  for (const line of table(ill.map(({ name, state, reason }) => [name, state, reason ?? '']))) out(`  ${line}`);
}

function sayQuota({ quota, quotaState, requestsADay, stretch }: SourceStatus, now: Instant): string {
  const pace = `at this pace ${number(requestsADay)} a day`;
  const stretched = stretch > 1 ? `, stretched ${stretch.toFixed(1)} times to make the quota last` : '';
  if (quota === null) return `${pace}${stretched}`;
  const { used, limit, resetsAt } = quota;
  const reset = resetsAt === null ? '' : `, counted anew ${ahead(resetsAt, now)}`;
  const state = quotaState === 'ok' ? '' : ` (${quotaState})`;
  return `${number(used)} of ${number(limit)} used${state}${reset}; ${pace} of ${number(limit)}${stretched}`;
}

function rowOf(status: ResourceStatus, now: Instant): readonly string[] {
  const {
    resource,
    count,
    lastGoodScanAt,
    lastSweepAt,
    nextScanAt,
    failures,
    lastError,
    forbidden,
    held,
    requestsADay,
  } = status;
  const remarks = [
    ...(forbidden ? ['the token may not read it'] : []),
    ...(held > 0 ? [`${number(held)} missing, held back from being called deleted`] : []),
    ...(failures > 0 ? [`failed ${failures} times: ${lastError?.message ?? ''}`] : []),
  ];
  return [
    resource,
    count === null ? '-' : number(count),
    lastGoodScanAt === null ? 'never' : `${span(lastGoodScanAt, now)} ago`,
    lastSweepAt === null ? 'never' : `${span(lastSweepAt, now)} ago`,
    nextScanAt === null ? 'now' : ahead(nextScanAt, now),
    number(requestsADay),
    remarks.join('; '),
  ];
}
