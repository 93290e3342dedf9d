/** Prints what happens, one line each: baselines, deliveries and errors. */

import type { DeliveryResult } from '../../core/delivery/deliver.ts';
import { groupByChange } from '../../core/messages/change-events.ts';
import { lineOf } from '../../core/messages/neutral-message.ts';
import { summarise } from '../../core/messages/summary.ts';
import { isDropped } from '../../core/model/delivery.ts';
import { type Clock, type Duration, HOUR, plus, toMillis } from '../../core/model/time.ts';
import type { FailedScan } from '../../core/source/poll-ports.ts';
import type { ScanReport } from '../../core/source/scan/scan-report.ts';
import type { SourceConfig } from '../config/config.ts';
import type { Watcher } from '../embedded/pipeline.ts';
import { formatClock, formatNextScan, formatSpan } from './dates.ts';
import { formatNumber, pluralize, progressBar, type Terminal } from './terminal.ts';

/**
 * Lines with a time, for a service. Scans are shown only when they are a baseline, incomplete or failed. After a baseline
 * the line says when the next scan is due, because nothing is printed until something changes. Times are in one zone, which
 * the first lines of the service name.
 *
 * @param failures those that were printed before, by an earlier generation of the service
 */
export function narrate(
  terminal: Terminal,
  clock: Clock,
  sources: readonly Pick<SourceConfig, 'name' | 'resources'>[] = [],
  zone: () => string = () => 'UTC',
  failures = createFailureLog(clock),
): Required<Omit<Watcher, 'announced' | 'leftToAnother' | 'unattempted'>> {
  const print = (mark: string, text: string) =>
    terminal.out(`${terminal.paint('dim', formatClock(clock.now(), zone()))}  ${mark}  ${text}`);
  return {
    progress: showProgress(terminal),
    scanned: (report) => {
      const failed = failures.end(report);
      if (failed > 1)
        print('·', `${report.source}/${report.resource}: scanned again, after ${formatNumber(failed)} failed scans`);
      if (report.baseline || !report.complete || report.skipped > 0)
        print('·', `${formatScan(report)}${report.baseline ? nextScanAfter(report) : ''}`);
    },
    zoneUnknown: (source) =>
      print('·', `${source}: no time zone known, so no time-driven events; set timeZone in the config`),
    clockMovedBack: (source) => print('·', `${source}: the clock was put back since the last scan; scanning now`),
    scanFailed: (failed) => {
      const times = failures.add(failed);
      if (times === undefined) return;
      const again = times === 1 ? '' : ` (${formatNumber(times)} times in a row)`;
      print(terminal.paint('red', '✗'), `${formatFailedScan(failed)}${again}`);
    },
    delivered: (delivered) => print(...formatDelivered(delivered, terminal)),
  };

  function nextScanAfter({ source, resource }: ScanReport): string {
    const planned = sources
      .find(({ name }) => name === source)
      ?.resources.find((one) => one.resource.name === resource);
    if (planned === undefined) return '';
    const now = clock.now();
    return `; ${formatNextScan(plus(now, planned.cadence.every), now)}`;
  }
}

/** How long the same failure of the same resource is not printed again. */
const REPEAT_FAILURE_AFTER: Duration = HOUR;

/** Knows which failures of scans were printed: a source that is down would print nine lines with each try. */
export function createFailureLog(clock: Clock) {
  const known = new Map<string, { readonly code: string; readonly times: number; readonly printedAt: number }>();
  const keyOf = ({ source, resource }: { readonly source: string; readonly resource: string }) =>
    JSON.stringify([source, resource]);
  return {
    /** How many times in a row it failed, or undefined if that need not be printed. */
    add(failed: FailedScan): number | undefined {
      const key = keyOf(failed);
      const before = known.get(key);
      const now = toMillis(clock.now());
      const times = (before?.times ?? 0) + 1;
      const isNew = before?.code !== failed.code || now - before.printedAt >= REPEAT_FAILURE_AFTER;
      known.set(key, { code: failed.code, times, printedAt: isNew ? now : (before?.printedAt ?? now) });
      return isNew ? times : undefined;
    },
    /** How many times in a row it failed before. */
    end(scanned: Pick<ScanReport, 'source' | 'resource'>): number {
      const key = keyOf(scanned);
      const times = known.get(key)?.times ?? 0;
      known.delete(key);
      return times;
    },
  };
}

/** A progress bar that disappears when the scan is complete. */
export function showProgress(terminal: Terminal): NonNullable<Watcher['progress']> {
  let counted = 0;
  return (source, resource, seen, total) => {
    counted = Math.max(total ?? counted, seen);
    terminal.progress(seen < counted ? `${source}/${resource}  ${progressBar(seen, counted)}` : '');
    if (seen >= counted) counted = 0;
  };
}

export function formatScan(report: ScanReport): string {
  const { source, resource, kind, seen, created, changed, deleted, skipped, requests, complete } = report;
  const deletions = deleted === 0 ? '' : `, ${formatNumber(deleted)} deleted`;
  const events = report.announcesExisting
    ? 'events sent for those already due soon, overdue or past their end'
    : 'no events sent';
  const summary = report.baseline
    ? `baseline: ${pluralize(seen, 'existing record')}, ${events}`
    : `${kind}: ${formatNumber(seen)} seen, ${formatNumber(created)} new, ${formatNumber(changed)} changed${deletions}`;
  const unread = skipped === 0 ? '' : `; ${pluralize(skipped, 'unreadable row')} skipped`;
  const warning = complete ? '' : '; list changed during the scan or is incomplete, deletions skipped';
  return `${source}/${resource}: ${summary} (${pluralize(requests, 'request')})${unread}${warning}`;
}

export function formatFailedScan({ source, resource, message }: FailedScan): string {
  return `${source}/${resource}: scan failed: ${message}`;
}

/** The mark and the text of a delivery attempt. */
export function formatDelivered({ delivery, attempt, events }: DeliveryResult, { paint }: Terminal): [string, string] {
  const [change, ...more] = groupByChange(events);
  const what =
    change === undefined
      ? (delivery.events[0] ?? paint('bold', 'digest'))
      : more.length > 0
        ? `${paint('bold', `${events.length} events`)}  ${summarise(events).title}`
        : `${paint('bold', change[0].type)}  ${lineOf(change[0], change.slice(1))}`;
  if (attempt.outcome === 'skipped')
    return ['·', `${what}  ${paint('dim', `→ ${delivery.subscription}: ${attempt.message}`)}`];
  if (attempt.outcome === 'accepted') {
    const answer = attempt.status === undefined ? '' : `  ${attempt.status} in ${attempt.ms} ms`;
    return [paint('green', '✔'), `${what}  ${paint('dim', `→ ${delivery.subscription}${answer}`)}`];
  }
  const next =
    delivery.dueAt !== null
      ? `next attempt in ${formatSpan(attempt.at, delivery.dueAt)}`
      : delivery.status === 'held'
        ? 'held until the subscription is resumed'
        : 'gave up';
  const mark = isDropped(attempt) ? '·' : paint('yellow', '✗');
  return [mark, `${what}  → ${delivery.subscription}: ${attempt.message ?? attempt.code}, ${next}`];
}
