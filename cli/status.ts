/** `tidings status`: how each source is doing, when what was read last, and what comes next. */

import type { Command } from 'commander';
import type { Instant } from '../core/model/time.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import {
  getSourceStatuses,
  getSubscriptionStatuses,
  type ResourceStatus,
  type SourceStatus,
  type SubscriptionStatus,
} from '../runtime/inspect/status.ts';
import type { Context, ExitCode } from './context.ts';
import { ahead, span } from './dates.ts';
import { loadConfigFor } from './load-config.ts';
import { awsOption, configOption, dataOption, jsonOption } from './options.ts';
import { counted, number, type Terminal, table } from './terminal.ts';

interface StatusFlags extends DataLocation {
  readonly config: string;
  readonly json: boolean;
}

export function statusCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, environment, clock } = context;
  program
    .command('status')
    .summary('how each source is doing, and what comes next')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(jsonOption())
    .action(async (flags: StatusFlags) => {
      const config = loadConfigFor(flags, environment);
      await withStores(flags, context, async (ports) => {
        const now = clock.now();
        const sources = await getSourceStatuses(ports, config, now);
        const subscriptions = await getSubscriptionStatuses(ports);
        if (flags.json) terminal.out(JSON.stringify({ at: now, sources, subscriptions }));
        else {
          for (const source of sources) print(source, now, terminal);
          printSubscriptions(subscriptions, terminal);
        }
      });
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
  // Read before the last of it went: figures that would speak against what the polls say since.
  if (quotaState === 'exhausted') {
    return `all used of ${number(limit)} but what is kept for people${reset}, and nothing is read until then; ${pace}`;
  }
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
    ...(failures > 0
      ? [`failed ${counted(failures, 'time')}${lastError === null ? '' : `, ${lastError.code}: ${lastError.message}`}`]
      : []),
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
