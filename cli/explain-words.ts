/** Puts an explanation into lines for people. Knows nothing of where it comes from. */

import type { ExplainedEvent, ExplainedStep, ExplainedSubscription } from '../core/delivery/explain.ts';
import { sayEvent } from '../core/events/catalogue.ts';
import { nameOf } from '../core/events/life-events.ts';
import { attemptsMade, type Delivery, type DeliveryStatus } from '../core/model/delivery.ts';
import { subjectOf, type Value } from '../core/model/record.ts';
import type { Change, Snapshot, Stage } from '../core/model/snapshot.ts';
import type { Instant } from '../core/model/time.ts';
import { SOURCE_RESOURCE } from '../core/source/health.ts';
import type { ExplainResult } from '../runtime/inspect/explain.ts';
import { ahead as inTime, sayMoment, span } from './dates.ts';
import { counted, type Terminal, table, wrap } from './terminal.ts';

/** Rules are whole sentences: broken where a line ends on most screens. */
const WIDTH = 100;

export function printExplanation(answer: ExplainResult, now: Instant, terminal: Terminal, isNext: boolean): void {
  const { out, paint } = terminal;
  const { key, snapshot, zone, ahead, steps, asked } = answer;
  if (isNext) out('');
  const name =
    snapshot === null || key.resource === SOURCE_RESOURCE ? [] : [paint('bold', nameOf(key.resource, snapshot.record))];
  out([...name, `${subjectOf(key)} of ${key.source}, times in ${zone}`].join('  '));
  const rows = [
    ['now', snapshot === null ? sayUnseen(answer) : saySnapshot(snapshot)],
    ...ahead.map(({ at, events }, index) => [
      index === 0 ? 'ahead' : '',
      `${sayMoment(zone, at)}  ${events.length === 0 ? 'bookkeeping only' : events.join(', ')}, if nothing changes`,
    ]),
    ['looked at', sayReading(answer, now)],
  ];
  for (const line of table(rows)) out(`  ${line}`);
  const told = new Set<string>();
  for (const step of steps) {
    out('');
    printStep(step, answer, told, terminal);
  }
  if (asked === null && steps.length === 1 && steps[0]?.silence?.because === 'first-look') {
    out('');
    out('  nothing that counts as a change has been seen since');
  }
}

function saySnapshot({ version, stage, deletedAt }: Snapshot): string {
  const facts = deletedAt === null ? sayStage(stage) : 'deleted';
  return `version ${version}${facts === '' ? '' : `, ${facts}`}`;
}

/** The facts that hold: `overdue, reminder 7`. */
function sayStage(stage: Stage): string {
  const held = Object.entries(stage).flatMap(([fact, value]) => {
    if (value === true) return [words(fact)];
    return typeof value === 'number' && value !== 0 ? [`${words(fact)} ${value}`] : [];
  });
  return held.join(', ') || (stage.closed === false ? 'open' : '');
}

/** `dueSoon` is `due soon`. */
function words(fact: string): string {
  return fact.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function sayUnseen({ key, reading, scan }: ExplainResult): string {
  if (reading.state === 'unknown') return `never seen: the config has no source '${key.source}'`;
  if (reading.state === 'off') return `never seen: ${key.resource} is off in the config`;
  if (reading.state === 'forbidden') return `never seen: the token may not read ${key.resource}`;
  if (scan === null || scan.baselinedAt === null) return 'never seen: the first look is not through yet';
  return 'never seen: no look has found it, though the token may see only some records';
}

function sayReading({ scan, reading, zone, key }: ExplainResult, now: Instant): string {
  if (reading.state === 'ours') return 'kept by tidings itself, at every cycle';
  const last =
    scan === null || scan.lastGoodScanAt === null
      ? 'never'
      : `${sayMoment(zone, scan.lastGoodScanAt)}${sayAgo(scan.lastGoodScanAt, now)}`;
  const next = reading.nextAt === null ? '' : `, next look ${inTime(reading.nextAt, now)}`;
  if (reading.state === 'unknown') return `${last}; the config has no source '${key.source}' any longer`;
  if (reading.state === 'off') return `${last}; ${key.resource} is off in the config`;
  if (reading.state === 'forbidden') return `${last}; the token may not read ${key.resource}`;
  const failed = scan?.lastError == null ? '' : `; the last try failed: ${scan.lastError.message}`;
  return `${last}${next}${failed}`;
}

/** A clock that was set with `--at` may be ahead of ours: then there is nothing to say. */
function sayAgo(instant: Instant, now: Instant): string {
  return instant > now ? '' : `, ${span(instant, now)} ago`;
}

function printStep(step: ExplainedStep, { zone, asked }: ExplainResult, told: Set<string>, terminal: Terminal): void {
  const { out, paint } = terminal;
  const { version, at, silence, appeared } = step;
  out(`${paint('bold', `version ${version}`)}  ${sayMoment(zone, at)}  ${paint('dim', sayCause(step, zone))}`);
  const rows = [
    ...rowsOf('changed', step.changes),
    ...rowsOf('names', step.labels),
    ...(appeared.length === 0 ? [] : [['in sight', appeared.join(', ')]]),
    ...rowsOf('stage', step.stage),
  ];
  for (const line of table(rows)) out(`  ${line}`);
  if (silence !== null) out(`  ${paint('yellow', 'no event')}  ${silence.words}`);
  for (const event of step.events) printEvent(event, zone, asked, told, terminal);
}

function sayCause({ cause, life, occurred, silence }: ExplainedStep, zone: string): string {
  if (silence?.because === 'first-look') return 'first look';
  if (cause === 'baseline') return 'silent';
  if (cause === 'tick') return 'a day came';
  const found = life === null ? 'found by a poll' : `found ${life} by a poll`;
  return occurred.after === null ? found : `${found}; happened after ${sayMoment(zone, occurred.after)}`;
}

function rowsOf(title: string, changes: readonly Change[]): string[][] {
  return changes.map(({ field, from, to }, index) => [index === 0 ? title : '', field, `${show(from)} → ${show(to)}`]);
}

function show(value: Value): string {
  if (value === null) return 'nothing';
  const text = typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function printEvent(
  { event, rule, recorded, subscriptions }: ExplainedEvent,
  zone: string,
  asked: string | null,
  told: Set<string>,
  { out, paint }: Terminal,
): void {
  const mark = event.id === asked ? '▶' : '●';
  out(`  ${mark} ${paint('bold', event.type)}  ${sayEvent(event)}  ${paint('dim', event.id)}`);
  if (event.test === true) out('      a test: made up, to see whether it arrives');
  // Once is enough: the rule is the same each time.
  if (rule !== null && event.test !== true && !told.has(event.type)) {
    told.add(event.type);
    for (const [index, line] of wrap(rule.when, WIDTH).entries())
      out(`      ${index === 0 ? 'rule  ' : '      '}${paint('dim', line)}`);
  }
  if (!recorded) out('      not announced yet: the next cycle does');
  if (subscriptions.length === 0) out('      nobody has subscribed to anything');
  const rows = subscriptions.map((one) => sayOutcome(one, recorded, zone));
  for (const line of table(rows)) out(`      ${line}`);
}

const MARKS: Readonly<Record<DeliveryStatus, string>> = {
  waiting: '…',
  pending: '…',
  held: '‖',
  gathered: '✔',
  settled: '✔',
  failed: '✗',
};

function sayOutcome({ subscription, verdict, delivery }: ExplainedSubscription, recorded: boolean, zone: string) {
  if (delivery !== null) {
    const since =
      verdict === null ? '; the subscription is gone' : verdict.wanted ? '' : '; it would not match any longer';
    return [MARKS[delivery.status], subscription, `${sayDelivery(delivery, zone)}${since}`];
  }
  if (verdict === null || verdict.wanted) {
    return ['·', subscription, recorded ? 'matches now, but did not when the event was announced' : 'matches'];
  }
  if (verdict.because === 'type') return ['–', subscription, `asks for other types: ${verdict.events.join(', ')}`];
  const mismatches = verdict.mismatches.map(
    ({ path, expected, found }) => `${path}: expected ${expected}, got ${found}`,
  );
  return ['–', subscription, `where does not match: ${mismatches.join('; ')}`];
}

function sayDelivery({ status, attempts, dueAt, events }: Delivery, zone: string): string {
  const last = attempts.at(-1);
  if (status === 'held') return 'held: the subscription is paused or disabled';
  if (status === 'waiting') return `waits to be told with others${dueAt === null ? '' : ` ${sayMoment(zone, dueAt)}`}`;
  if (last === undefined) return 'on its way, not tried yet';
  if (last.outcome === 'skipped') return `not sent: ${last.message ?? 'nothing was left to tell'}`;
  const made = attemptsMade({ attempts });
  const tries = made === 1 ? '1 attempt' : `${made} attempts`;
  const at = sayMoment(zone, last.at);
  if (status === 'settled') {
    const answer = last.status === undefined ? 'accepted' : `answered ${last.status}`;
    const others = events.length > 1 ? ` with ${counted(events.length - 1, 'other')}` : '';
    return `delivered ${at}${others}, ${tries}, ${answer} in ${last.ms} ms`;
  }
  const problem = last.message ?? last.code ?? `answered ${last.status ?? 'nothing'}`;
  if (status === 'failed') return `given up ${at} after ${tries}: ${problem}`;
  const next = dueAt === null ? '' : `; tried again ${span(last.at, dueAt)} later`;
  return `not delivered yet, ${tries}, last ${at}: ${problem}${next}`;
}
