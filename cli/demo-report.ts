/**
 * What the demo prints without --verbose: the first message of each subscription, large groups, failures and recoveries. The
 * rest is counted. Decides only about lines; the deliveries go on as usual.
 */

import type { DeliveryResult } from '../core/delivery/deliver.ts';
import type { Clock } from '../core/model/time.ts';
import type { Watcher } from '../runtime/embedded/pipeline.ts';
import { formatClock } from '../runtime/terminal/dates.ts';
import { formatDelivered, formatFailedScan } from '../runtime/terminal/narrate.ts';
import { pluralize, type Terminal } from '../runtime/terminal/terminal.ts';
import type { Received } from './receiver.ts';

/** A group of at least this many events is worth a line: it is a bulk edit or a digest. */
const LARGE_GROUP = 20;

/** The subscriptions of examples/agency.yaml by the kind of their receiver, for the count. */
const KINDS: Readonly<Record<string, 'webhooks' | 'chat' | 'mail'>> = {
  'ops-hook': 'webhooks',
  erp: 'webhooks',
  'team-chat': 'chat',
  operators: 'chat',
  finance: 'mail',
  morning: 'mail',
};

export interface DemoReport {
  readonly watcher: Watcher;
  /** Called for each request to the receiver of ops-hook. */
  received(received: Received): void;
  /** `214 webhooks verified, 12 chat messages, 9 mails` */
  summary(): string;
}

export function createDemoReport(terminal: Terminal, clock: Clock): DemoReport {
  const counts = { webhooks: 0, chat: 0, mail: 0 };
  const reported = new Set<string>();
  const failing = new Set<string>();
  const print = (mark: string, text: string) =>
    terminal.out(`${terminal.paint('dim', formatClock(clock.now()))}  ${mark}  ${text}`);
  const summary = () =>
    [
      `${pluralize(counts.webhooks, 'webhook')} verified`,
      pluralize(counts.chat, 'chat message'),
      pluralize(counts.mail, 'mail'),
    ].join(', ');

  function delivered(result: DeliveryResult): void {
    const { delivery, attempt, events } = result;
    const name = delivery.subscription;
    if (attempt.outcome === 'accepted') {
      const kind = KINDS[name];
      if (kind !== undefined) counts[kind] += 1;
    }
    const isFailure = attempt.outcome !== 'accepted' && attempt.outcome !== 'skipped';
    const isNews = isFailure ? !failing.has(name) : attempt.outcome === 'accepted' && !reported.has(name);
    if (isFailure) failing.add(name);
    if (attempt.outcome === 'accepted') {
      reported.add(name);
      failing.delete(name);
    }
    if (isNews || events.length >= LARGE_GROUP) print(...formatDelivered(result, terminal));
    // The digest ends the story.
    if (isNews && name === 'morning' && !isFailure) {
      const end = `the story ends with the digest: ${summary()} so far. The agency goes on; the pages show the rest`;
      terminal.out(terminal.paint('magenta', `▶ ${end}`));
    }
    terminal.progress(summary());
  }

  return {
    watcher: {
      delivered,
      scanFailed: (failed) => print(terminal.paint('red', '✗'), formatFailedScan(failed)),
    },
    received: (received) => {
      if (!received.verified) print(terminal.paint('red', '✗'), `not verified: ${received.message}`);
    },
    summary,
  };
}
