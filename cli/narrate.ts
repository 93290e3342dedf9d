/** Tells a person what happens, a line each: polls, events on their way, what went wrong. */

import type { Delivered } from '../core/delivery/deliver.ts';
import { sayEvent } from '../core/events/catalogue.ts';
import { messageOf } from '../core/model/errors.ts';
import type { Clock } from '../core/model/time.ts';
import type { PollReport } from '../core/source/poll.ts';
import type { Watcher } from '../runtime/work.ts';
import { counted, number, progressBar, type Terminal } from './terminal.ts';

/** Lines that carry a clock time, for a service that runs on. Polls that found nothing are not told. */
export function narrate(terminal: Terminal, clock: Clock): Required<Omit<Watcher, 'announced'>> {
  const say = (mark: string, text: string) =>
    terminal.out(`${terminal.paint('dim', clock.now().slice(11, 19))}  ${mark}  ${text}`);
  return {
    progress: (source, resource, seen, total) =>
      terminal.progress(seen < total ? `${source}/${resource}  ${progressBar(seen, total)}` : ''),
    polled: (report) => {
      if (report.baseline || report.created + report.changed > 0) say('·', sayPoll(report));
    },
    pollFailed: (source, resource, error) =>
      say(terminal.paint('red', '✗'), `${source}/${resource} could not be read: ${messageOf(error)}`),
    delivered: (delivered) => say(...sayDelivered(delivered, terminal)),
  };
}

export function sayPoll({ source, resource, baseline, seen, created, changed, requests }: PollReport): string {
  const found = baseline
    ? `first look: ${number(seen)} there already, taken as they are`
    : `${number(seen)} seen, ${number(created)} new, ${number(changed)} changed`;
  return `${source}/${resource}: ${found} (${counted(requests, 'request')})`;
}

/** The mark and the line of an attempt. */
export function sayDelivered({ delivery, attempt, event }: Delivered, { paint }: Terminal): [string, string] {
  const what = event === undefined ? (delivery.events[0] ?? '') : `${paint('bold', event.type)}  ${sayEvent(event)}`;
  if (attempt.outcome === 'accepted') {
    const answer = attempt.status === undefined ? '' : `  ${attempt.status} in ${attempt.ms} ms`;
    return [paint('green', '✔'), `${what}  ${paint('dim', `→ ${delivery.subscription}${answer}`)}`];
  }
  const next = delivery.dueAt === null ? 'given up' : `again at ${delivery.dueAt.slice(11, 19)}`;
  return [paint('yellow', '✗'), `${what}  → ${delivery.subscription}: ${attempt.message ?? attempt.code}, ${next}`];
}
