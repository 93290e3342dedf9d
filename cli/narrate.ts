/** Tells a person what happens, a line each: polls, events on their way, what went wrong. */

import type { DeliveryResult } from '../core/delivery/deliver.ts';
import { sayEvent } from '../core/events/catalogue.ts';
import { onePerTransition, summarise } from '../core/messages/summary.ts';
import type { Clock } from '../core/model/time.ts';
import type { FailedScan } from '../core/source/poll.ts';
import type { ScanReport } from '../core/source/scan.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { sayClock } from './dates.ts';
import { counted, number, progressBar, type Terminal } from './terminal.ts';

/** Lines that carry a clock time, for a service that runs on. Of scans only the first is told, and what went wrong. */
export function narrate(terminal: Terminal, clock: Clock): Required<Omit<Watcher, 'announced' | 'leftToAnother'>> {
  const say = (mark: string, text: string) =>
    terminal.out(`${terminal.paint('dim', sayClock(clock.now()))}  ${mark}  ${text}`);
  return {
    progress: tellProgress(terminal),
    scanned: (report) => {
      if (report.baseline || !report.complete) say('·', sayScan(report));
    },
    scanFailed: (failed) => say(terminal.paint('red', '✗'), sayFailedScan(failed)),
    delivered: (delivered) => say(...sayDelivered(delivered, terminal)),
  };
}

/** A bar that stays on its line, and goes when the scan is through. */
export function tellProgress(terminal: Terminal): NonNullable<Watcher['progress']> {
  let known = 0;
  return (source, resource, seen, total) => {
    known = Math.max(total ?? known, seen);
    terminal.progress(seen < known ? `${source}/${resource}  ${progressBar(seen, known)}` : '');
    if (seen >= known) known = 0;
  };
}

export function sayScan(report: ScanReport): string {
  const { source, resource, kind, baseline, seen, created, changed, deleted, requests, complete } = report;
  const gone = deleted === 0 ? '' : `, ${number(deleted)} deleted`;
  const found = baseline
    ? `first look: ${number(seen)} there already, taken as they are`
    : `${kind}: ${number(seen)} seen, ${number(created)} new, ${number(changed)} changed${gone}`;
  const moved = complete ? '' : '; the list moved while it was read, so nothing is called deleted';
  return `${source}/${resource}: ${found} (${counted(requests, 'request')})${moved}`;
}

export function sayFailedScan({ source, resource, message }: FailedScan): string {
  return `${source}/${resource} could not be read: ${message}`;
}

/** The mark and the line of an attempt. */
export function sayDelivered({ delivery, attempt, events }: DeliveryResult, { paint }: Terminal): [string, string] {
  const [event] = onePerTransition(events);
  const what =
    event === undefined
      ? (delivery.events[0] ?? '')
      : onePerTransition(events).length > 1
        ? `${paint('bold', `${events.length} events`)}  ${summarise(events).title}`
        : `${paint('bold', event.type)}  ${sayEvent(event)}`;
  if (attempt.outcome === 'skipped')
    return ['·', `${what}  ${paint('dim', `→ ${delivery.subscription}: ${attempt.message}`)}`];
  if (attempt.outcome === 'accepted') {
    const answer = attempt.status === undefined ? '' : `  ${attempt.status} in ${attempt.ms} ms`;
    return [paint('green', '✔'), `${what}  ${paint('dim', `→ ${delivery.subscription}${answer}`)}`];
  }
  const next = delivery.dueAt === null ? 'given up' : `again at ${sayClock(delivery.dueAt)}`;
  return [paint('yellow', '✗'), `${what}  → ${delivery.subscription}: ${attempt.message ?? attempt.code}, ${next}`];
}
