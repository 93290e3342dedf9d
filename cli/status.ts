/** `tidings status`: the health of sources and subscriptions, and the last and next scans of each resource. */

import type { Command } from 'commander';
import { clip } from '../core/messages/clip.ts';
import { UsageError } from '../core/model/errors.ts';
import { type Instant, MINUTE } from '../core/model/time.ts';
import { MAX_JUDGED_DIFFERENCE } from '../core/source/api-clock.ts';
import { OTHER_ACCOUNT_STATE } from '../core/source/health.ts';
import type { UnusedSource } from '../runtime/config/config.ts';
import type { UnreachablePeople } from '../runtime/inspect/people-without-address.ts';
import type { ResourceStatus, SourceStatus, SubscriptionStatus } from '../runtime/inspect/status.ts';
import { NO_SOURCES } from '../runtime/stored-sources.ts';
import { formatSpan, formatTimeUntil } from '../runtime/terminal/dates.ts';
import { formatNumber, pluralize, type Terminal, table } from '../runtime/terminal/terminal.ts';
import { sayAdded, shownState } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { addLocationOptions, configOption, jsonOption } from './options.ts';

interface StatusFlags extends Location {
  readonly source?: string;
  readonly json: boolean;
}

/** The resources of more sources would fill several screens. `serve` has the same limit. */
const MAX_DETAILED_SOURCES = 5;

export function statusCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  const command = program
    .command('status')
    .summary('show the health of sources and subscriptions, and the next scans')
    .addOption(configOption());
  addLocationOptions(command)
    .option('--source <name>', `only this source; of more than ${MAX_DETAILED_SOURCES} a summary is shown`)
    .addOption(jsonOption())
    .action(async ({ json, source: name, ...location }: StatusFlags) => {
      const now = clock.now();
      const all = await withBackend(location, context, (backend) => backend.getStatus(now));
      const status = name === undefined ? all : { ...all, sources: [findSource(all.sources, name)] };
      if (json) terminal.out(JSON.stringify({ at: now, ...status }));
      else {
        if (status.sources.length > MAX_DETAILED_SOURCES) printMany(status.sources, now, terminal);
        else for (const source of status.sources) print(source, now, terminal);
        printUnused(status.unusedSources, terminal);
        if (status.sources.length === 0) terminal.err(`!  ${NO_SOURCES}`);
        printSubscriptions(status.subscriptions, now, terminal);
        printUnsubscribed(status.subscriptions, terminal);
        printWithoutAddress(status.withoutAddress, terminal);
      }
      // The figures are those of another account.
      exit(status.sources.some(({ state }) => state === OTHER_ACCOUNT_STATE) ? 1 : 0);
    });
}

function findSource(sources: readonly SourceStatus[], name: string): SourceStatus {
  const found = sources.find(({ source }) => source === name);
  if (found !== undefined) return found;
  const message = `--source: expected the name of a source, got '${name}'; list them with: tidings sources`;
  throw new UsageError('TIDINGS_SOURCE_UNKNOWN', message);
}

/** One line each, those that need attention first. */
function printMany(sources: readonly SourceStatus[], now: Instant, { out, paint }: Terminal): void {
  const needsAttention = (source: SourceStatus) => source.state !== 'ok' || remarksOf(source).length > 0;
  const rows = sources.toSorted((a, b) => Number(needsAttention(b)) - Number(needsAttention(a)));
  const healthy = sources.filter((source) => !needsAttention(source)).length;
  const color = healthy === sources.length ? 'green' : 'yellow';
  out(
    `${paint('bold', 'sources')}  ${paint(color, `${healthy} of ${sources.length} healthy`)}; one in full: --source NAME`,
  );
  const header = ['source', 'state', 'records', 'scanned', 'requests/day', ''];
  for (const line of table([header, ...rows.map((source) => summaryOf(source, now))])) out(`  ${line}`);
}

function summaryOf(source: SourceStatus, now: Instant): readonly string[] {
  const { reason, resources, requestsADay } = source;
  const records = resources.reduce((sum, { count }) => sum + (count ?? 0), 0);
  const [latest] = resources
    .flatMap(({ lastGoodScanAt }) => lastGoodScanAt ?? [])
    .toSorted()
    .reverse();
  return [
    source.source,
    sayState(source),
    formatNumber(records),
    latest === undefined ? 'never' : `${formatSpan(latest, now)} ago`,
    formatNumber(requestsADay),
    clip(reason ?? remarksOf(source).join('; '), MAX_REMARK),
  ];
}

const MAX_REMARK = 160;

/** A source counts as unreachable after three failed cycles. Until then it is not ok either. */
function sayState({ state, resources }: SourceStatus): string {
  return state === 'ok' && resources.some(({ failures }) => failures > 0) ? 'failing' : state;
}

/** What its resources have to say, each with its name. */
function remarksOf({ resources }: SourceStatus): readonly string[] {
  return resources.flatMap((one) => {
    const remarks = remarksOn(one);
    return remarks.length === 0 ? [] : [`${one.resource}: ${remarks.join(', ')}`];
  });
}

function print(source: SourceStatus, now: Instant, terminal: Terminal): void {
  const { out, paint } = terminal;
  const state = sayState(source);
  out(
    paint('bold', source.source) +
      `  ${paint(state === 'ok' ? 'green' : 'yellow', state)}${source.reason === null ? '' : `: ${source.reason}`}`,
  );
  if (source.clockMovedBack) out('  clock      was put back since the last scan; all resources are due');
  if (source.clockAhead !== null) out(`  clock      ${sayClock(source.clockAhead)}`);
  out(`  time zone  ${sayZone(source)}`);
  out(`  requests   ${sayQuota(source, now)}`);
  const rows = source.resources.map((resource) => rowOf(resource, now));
  for (const line of table([['resource', 'records', 'scanned', 'swept', 'next scan', 'requests/day', ''], ...rows]))
    out(`  ${line}`);
}

function printUnused(sources: readonly UnusedSource[], { out, paint }: Terminal): void {
  for (const { source, baseUrl, reason } of sources) {
    out(`${paint('bold', source)}  ${paint('yellow', 'not polled')} (${sayAdded(baseUrl)}): ${reason}`);
  }
}

function sayClock(ahead: number): string {
  const difference = `${pluralize(Math.abs(ahead), 'minute')} ${ahead > 0 ? 'ahead of' : 'behind'} the API's`;
  return ahead * MINUTE > MAX_JUDGED_DIFFERENCE
    ? `${difference}; more than a day, so time-driven events follow our clock alone`
    : `${difference}; time-driven events wait for both clocks`;
}

function sayZone({ timeZone, timeZoneFrom }: SourceStatus): string {
  if (timeZone === null) return 'unknown: no time-driven events yet; set timeZone if the API does not name one';
  return timeZoneFrom === null
    ? timeZone
    : `${timeZone} (${timeZoneFrom === 'config' ? 'config' : "the token's user"})`;
}

/** Only the unhealthy ones; `tidings subscriptions` lists all. */
function printSubscriptions(
  subscriptions: readonly SubscriptionStatus[],
  now: Instant,
  { out, paint }: Terminal,
): void {
  const unhealthy = subscriptions.filter(
    ({ state, pausedUntil, since }) => state !== 'ok' || pausedUntil !== null || since !== null,
  );
  const healthy = subscriptions.length - unhealthy.length;
  out(
    `${paint('bold', 'subscriptions')}  ${paint(unhealthy.length === 0 ? 'green' : 'yellow', `${healthy} of ${subscriptions.length} healthy`)}`,
  );
  const rows = unhealthy.map(({ name, state, since, reason, pausedUntil }) => [
    name,
    shownState({ state, failingSince: since }),
    [pausedUntil === null ? '' : `next attempt ${formatTimeUntil(pausedUntil, now)}`, reason ?? '']
      .filter((part) => part !== '')
      .join(': '),
  ]);
  for (const line of table(rows)) out(`  ${line}`);
}

function printUnsubscribed(subscriptions: readonly SubscriptionStatus[], { out }: Terminal): void {
  for (const { name, unsubscribed } of subscriptions) {
    if (unsubscribed.length === 0) continue;
    const more = unsubscribed.length > MAX_NAMES ? ` and ${formatNumber(unsubscribed.length - MAX_NAMES)} more` : '';
    out(`unsubscribed from ${name}  ${unsubscribed.slice(0, MAX_NAMES).join(', ')}${more}`);
  }
}

const MAX_NAMES = 10;

function printWithoutAddress(unreachable: readonly UnreachablePeople[], { out, paint }: Terminal): void {
  for (const { subscription, fallback, people } of unreachable) {
    const names = people.slice(0, MAX_NAMES).map(({ name }) => name);
    const more = people.length > MAX_NAMES ? ` and ${formatNumber(people.length - MAX_NAMES)} more` : '';
    const effect =
      fallback === null ? 'get no messages; set fallback, or add addresses' : `their messages go to ${fallback}`;
    out(`${paint('yellow', 'without a mail address')}  ${names.join(', ')}${more}  (${subscription}: ${effect})`);
  }
}

function sayQuota({ quota, quotaState, requestsADay, stretch }: SourceStatus, now: Instant): string {
  const pace = `at this rate ${formatNumber(requestsADay)} per day`;
  const stretched = stretch > 1 ? `, intervals lengthened ${stretch.toFixed(1)} times to stay within the quota` : '';
  if (quota === null) return `${pace}${stretched}`;
  const { used, limit, resetsAt } = quota;
  const reset = resetsAt === null ? '' : `, resets ${formatTimeUntil(resetsAt, now)}`;
  // The figures were read before the quota ran out, so they would contradict the state.
  if (quotaState === 'exhausted') {
    return `quota of ${formatNumber(limit)} used up except for the reserve${reset}; polling is paused until then; ${pace}`;
  }
  const state = quotaState === 'ok' ? '' : ` (${quotaState})`;
  return `${formatNumber(used)} of ${formatNumber(limit)} used${state}${reset}; ${pace}${stretched}`;
}

function rowOf(status: ResourceStatus, now: Instant): readonly string[] {
  const { resource, count, lastGoodScanAt, lastSweepAt, nextScanAt, requestsADay } = status;
  return [
    resource,
    count === null ? '-' : formatNumber(count),
    lastGoodScanAt === null ? 'never' : `${formatSpan(lastGoodScanAt, now)} ago`,
    lastSweepAt === null ? 'never' : `${formatSpan(lastSweepAt, now)} ago`,
    nextScanAt === null ? 'now' : formatTimeUntil(nextScanAt, now),
    formatNumber(requestsADay),
    remarksOn(status).join('; '),
  ];
}

function remarksOn(status: ResourceStatus): readonly string[] {
  const { failures, lastError, forbidden, held, failedSweeps, skipped, unlisted } = status;
  return [
    ...(forbidden ? ['the token has no access'] : []),
    ...(held > 0 ? [`${formatNumber(held)} missing, deletions held back`] : []),
    ...(failedSweeps == null ? [] : [`${pluralize(failedSweeps.count, 'sweep')} failed: ${failedSweeps.message}`]),
    ...(skipped > 0 ? [`${pluralize(skipped, 'unreadable row')} skipped`] : []),
    ...(unlisted > 0 ? [`the API counts ${formatNumber(unlisted)} more than it lists`] : []),
    ...(failures > 0
      ? [
          `failed ${pluralize(failures, 'time')}${lastError === null ? '' : `, ${lastError.code}: ${lastError.message}`}`,
        ]
      : []),
  ];
}
