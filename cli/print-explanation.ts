/** Prints an explanation for people. */

import { sayReader } from '../core/delivery/describe-reader.ts';
import type { ExplainedEvent, ExplainedSubscription } from '../core/delivery/explain-event.ts';
import { type Delay, sayDelay } from '../core/delivery/explain-wait.ts';
import { sayEvent } from '../core/events/catalogue.ts';
import { nameOf } from '../core/events/life-events.ts';
import { clip } from '../core/messages/clip.ts';
import { attemptsMade, type Delivery, type DeliveryStatus, skipReason } from '../core/model/delivery.ts';
import { SOURCE_RESOURCE, type TidingsEvent } from '../core/model/event.ts';
import { subjectOf, type Value } from '../core/model/record.ts';
import type { Change, Stage } from '../core/model/snapshot.ts';
import type { Instant } from '../core/model/time.ts';
import { type IdNames, nameValue } from '../runtime/inspect/id-names.ts';
import { formatCadence, formatMoment, formatNextScan, formatSpan } from '../runtime/terminal/dates.ts';
import { pluralize, type Terminal, table, wrap } from '../runtime/terminal/terminal.ts';
import type { ShownExplanation, ShownStep } from './backend/backend.ts';

/** Line width for the wrapped text of rules. */
/** A receiver, or the template of a key, decides what an attempt says. */
const MAX_REMARK = 500;

const WIDTH = 100;

export function printExplanation(answer: ShownExplanation, now: Instant, terminal: Terminal, isNext: boolean): void {
  const { out, paint } = terminal;
  const { key, snapshot, zone, ahead, steps, asked } = answer;
  if (isNext) out('');
  const name =
    snapshot === null || key.resource === SOURCE_RESOURCE ? [] : [paint('bold', nameOf(key.resource, snapshot.record))];
  out([...name, `${subjectOf(key)} of ${key.source}, times in ${zone}`].join('  '));
  const rows = [
    ['now', snapshot === null ? formatUnseen(answer) : formatSnapshot(snapshot)],
    ...ahead.map(({ at, events }, index) => [
      index === 0 ? 'next' : '',
      `${formatMoment(zone, at)}  ${events.length === 0 ? 'no event' : events.join(', ')}, if nothing changes`,
    ]),
    ['scanned', formatReading(answer, now)],
  ];
  for (const line of table(rows)) out(`  ${line}`);
  const explained = new Set<string>();
  for (const step of steps) {
    out('');
    printStep(step, answer, explained, terminal);
  }
  const [first, ...others] = steps;
  if (asked === null && first !== undefined && others.length === 0 && isBaseline(first)) {
    out('');
    out('  no changes since then');
  }
}

function formatSnapshot({ version, stage, deletedAt }: NonNullable<ShownExplanation['snapshot']>): string {
  const facts = deletedAt === null ? formatStage(stage) : 'deleted';
  return `version ${version}${facts === '' ? '' : `, ${facts}`}`;
}

/** The facts that apply: `overdue, reminder 7`. */
function formatStage(stage: Stage): string {
  const held = Object.entries(stage).flatMap(([fact, value]) => {
    if (value === true) return [splitWords(fact)];
    return typeof value === 'number' && value !== 0 ? [`${splitWords(fact)} ${value}`] : [];
  });
  return held.join(', ') || (stage.closed === false ? 'open' : '');
}

/** `dueSoon` is `due soon`. */
function splitWords(fact: string): string {
  return fact.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function formatUnseen({ key, reading, scan }: ShownExplanation): string {
  if (reading.state === 'ours') return 'not shown by the API';
  if (reading.state === 'unknown') return `never seen: the config has no source '${key.source}'`;
  if (reading.state === 'off') return `never seen: ${key.resource} is off in the config`;
  if (reading.state === 'forbidden') return `never seen: the token may not read ${key.resource}`;
  if (scan === null || scan.baselinedAt === null) return 'never seen: the baseline scan is not complete yet';
  return 'never seen: no scan found it; the token may not have access to it';
}

function formatReading({ scan, reading, zone, key }: ShownExplanation, now: Instant): string {
  if (reading.state === 'ours') return 'maintained by Tidings in every cycle';
  const last =
    scan === null || scan.lastGoodScanAt === null
      ? 'never'
      : `${formatMoment(zone, scan.lastGoodScanAt)}${formatAgo(scan.lastGoodScanAt, now)}`;
  const next = `, ${formatNextScan(reading.nextAt, now)}`;
  if (reading.state === 'unknown') return `${last}; source '${key.source}' is no longer in the config`;
  if (reading.state === 'off') return `${last}; ${key.resource} is off in the config`;
  if (reading.state === 'forbidden') return `${last}; the token may not read ${key.resource}`;
  const failed = scan?.lastError == null ? '' : `; the last scan failed: ${scan.lastError.message}`;
  const { cadence: planned } = reading;
  const cadence = planned === null ? '' : ` (${formatCadence(planned.light, planned)})`;
  return `${last}${next}${cadence}${failed}`;
}

/** Empty for a time in the future, which `--at` can cause. */
function formatAgo(instant: Instant, now: Instant): string {
  return instant > now ? '' : `, ${formatSpan(instant, now)} ago`;
}

function printStep(
  step: ShownStep,
  { zone, asked, names }: ShownExplanation,
  explained: Set<string>,
  terminal: Terminal,
): void {
  const { out, paint } = terminal;
  const { version, at, silence, appeared } = step;
  const isTest = step.events.some(({ event }) => event.test === true);
  const title = isTest ? 'test event' : `version ${version}`;
  const cause = isTest ? 'sent on request; the record did not change' : formatCause(step, zone);
  out(`${paint('bold', title)}  ${formatMoment(zone, at)}  ${paint('dim', cause)}`);
  const rows = [
    ...rowsOf('changed', step.changes, names),
    ...rowsOf('other', step.labels),
    ...(appeared.length === 0 ? [] : [['visible', appeared.join(', ')]]),
    ...rowsOf(
      'stage',
      step.stage.map((change) => ({ ...change, field: splitWords(change.field) })),
    ),
  ];
  if (!isTest) for (const line of table(rows)) out(`  ${line}`);
  if (silence !== null) out(`  ${paint('yellow', 'no event')}  ${silence.words}`);
  for (const event of step.events) printEvent(event, zone, asked, explained, terminal);
}

/** Whether the record existed when its source was first read. */
function isBaseline({ cause, version, silence }: ShownStep): boolean {
  return silence !== null && cause === 'baseline' && version === 1;
}

function formatCause(step: ShownStep, zone: string): string {
  const { cause, life, occurred } = step;
  if (isBaseline(step)) return 'baseline';
  if (cause === 'baseline') return 'restaged without events';
  if (cause === 'tick') return 'by the passing of time';
  const origin = life === null ? 'found by a poll' : `found ${life} by a poll`;
  return occurred.after === null ? origin : `${origin}; changed after ${formatMoment(zone, occurred.after)}`;
}

function rowsOf(title: string, changes: readonly Change[], names: IdNames = {}): string[][] {
  return changes.map(({ field, from, to }, index) => [
    index === 0 ? title : '',
    field,
    `${formatValue(nameValue(names, field, from) as Value)} → ${formatValue(nameValue(names, field, to) as Value)}`,
  ]);
}

function formatValue(value: Value): string {
  if (value === null) return 'nothing';
  const text = typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function printEvent(
  { event, rule, recorded, subscriptions }: ExplainedEvent,
  zone: string,
  asked: string | null,
  explained: Set<string>,
  { out, paint }: Terminal,
): void {
  const mark = event.id === asked ? '▶' : '●';
  out(`  ${mark} ${paint('bold', event.type)}  ${sayEvent(event)}  ${paint('dim', event.id)}`);
  // Print the rule of a type once.
  if (rule !== null && event.test !== true && !explained.has(event.type)) {
    explained.add(event.type);
    for (const [index, line] of wrap(rule.when, WIDTH).entries())
      out(`      ${index === 0 ? 'rule  ' : '      '}${paint('dim', line)}`);
  }
  if (!recorded) out('      not announced yet; the next cycle announces it');
  if (subscriptions.length === 0) out('      no subscriptions');
  const rows = subscriptions.flatMap((one) => [
    formatOutcome(one, event, recorded, zone),
    ...one.earlier.toReversed().map((before) => ['', '', `before that: ${formatDelivery(before, zone)}`]),
  ]);
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

function formatOutcome(
  { subscription, verdict, delivery, reader, wait }: ExplainedSubscription,
  { test }: TidingsEvent,
  recorded: boolean,
  zone: string,
) {
  if (delivery !== null) {
    const since =
      verdict === null
        ? '; the subscription was removed'
        : verdict.wanted || test === true
          ? ''
          : '; it would not match now';
    const to = reader === undefined ? '' : `${sayReader(reader)}: `;
    const mark = skipReason(delivery) === undefined ? MARKS[delivery.status] : '–';
    return [mark, subscription, `${to}${formatDelivery(delivery, zone, wait)}${since}`];
  }
  if (verdict === null || verdict.wanted) {
    return ['·', subscription, recorded ? 'matches now, but did not match when the event was announced' : 'matches'];
  }
  if (verdict.because === 'type') return ['–', subscription, `other event types: ${verdict.events.join(', ')}`];
  const mismatches = verdict.mismatches.map(
    ({ path, expected, found }) => `${path}: expected ${expected}, got ${found}`,
  );
  return ['–', subscription, `where does not match: ${mismatches.join('; ')}`];
}

function formatDelivery(delivery: Delivery, zone: string, wait?: Delay): string {
  const { status, attempts, events } = delivery;
  const count = attemptsMade(delivery);
  const tries = count === 1 ? '1 attempt' : `${count} attempts`;
  if (wait !== undefined) {
    const words = sayDelay(wait, (at) => formatMoment(zone, at));
    return `waits: ${words}${count === 0 ? '' : `; ${tries} so far`}`;
  }
  const skipped = skipReason(delivery);
  if (skipped !== undefined) return `skipped: ${skipped}`;
  const last = attempts.at(-1);
  if (status === 'held') return 'held: the subscription was paused or disabled, and is being resumed';
  if (last === undefined) return status === 'gathered' ? 'sent as a part of another message' : 'no attempt yet';
  const at = formatMoment(zone, last.at);
  if (status === 'settled') {
    const answer = last.status === undefined ? 'accepted' : `response ${last.status}`;
    const others = events.length > 1 ? ` with ${pluralize(events.length - 1, 'other')}` : '';
    const remark = last.message === undefined ? '' : `; ${clip(last.message, MAX_REMARK)}`;
    return `delivered ${at}${others}, ${tries}, ${answer} in ${last.ms} ms${remark}`;
  }
  const problem = (last.message && clip(last.message, MAX_REMARK)) ?? last.code ?? `response ${last.status ?? 'none'}`;
  if (status === 'failed') return `failed ${at} after ${tries}: ${problem}`;
  return `due now; ${tries} so far, last ${at}: ${problem}`;
}
