/**
 * Derives the events that a change of a record implies: a second implementation, written from docs/fields.md and the `when`
 * texts of the catalogue. It shares no code with the implementation under test and works on the raw values of the API.
 */

import { amount, isBlank, recalled, type State } from './naive-facts.ts';
import type { RawRecord } from './observation.ts';

/** Fields whose changes emit no event: names of other records, and values that change without an edit. All others are watched. */
const UNWATCHED_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  task: fieldSet(
    'datemodified color priority severity status status_order project clientid clientlocalid client milestone module',
    'projectlocalid assignees followers owners projectlabel projectlabel_order projectlabelid',
  ),
  invoice: fieldSet(
    'project client clientid term daysoverdue daysoverduepaid status projectlabel projectlabel_order projectlabelid',
  ),
  project: fieldSet('alert_date client clientlocalid label labelcolor label_order localidunpadded manager'),
  client: fieldSet('localidunpadded datemodified'),
  person: fieldSet(
    'tips group client numlogins lastlogin timezone_offset clientlocalid calendarorientation editordisabled',
  ),
};

/** Fields that move by themselves: alone they are no reason to keep a new state. */
const VOLATILE: Readonly<Record<string, ReadonlySet<string>>> = {
  invoice: fieldSet('daysoverdue daysoverduepaid'),
  client: fieldSet('datemodified'),
  person: fieldSet('tips numlogins lastlogin timezone_offset calendarorientation editordisabled'),
};

/** Whether a scan shows anything that is kept. */
export function isKept(resource: string, before: RawRecord, after: RawRecord): boolean {
  return Object.keys(after).some((field) => {
    const [from, to] = [before[field], after[field]];
    if (VOLATILE[resource]?.has(field) || to === undefined) return false;
    return from === undefined || normalize(field, from) !== normalize(field, to);
  });
}

/** Comma lists that are sets. */
const SETS = fieldSet('assigneeid ownerid followerid managerid');

/** The events of one scan or of one midnight. `before` is null for a new record. */
export function impliedEvents(resource: string, before: State | null, after: State): string[] {
  const step = new Step(before, after);
  const news = [...(before === null ? ['created'] : []), ...(EVENT_RULES[resource]?.(step) ?? [])];
  const isChanged = before !== null && isUpdated(resource, before.fields, after.fields);
  return [...news, ...(isChanged ? ['updated'] : [])].map((name) => `${resource}.${name}`).sort();
}

/** Whether a watched field changed. A field that was never seen before has not changed when it becomes visible. */
export function isUpdated(resource: string, before: RawRecord, after: RawRecord): boolean {
  return Object.keys(after).some((field) => {
    const [from, to] = [before[field], after[field]];
    if (UNWATCHED_FIELDS[resource]?.has(field) || from === undefined || to === undefined) return false;
    return normalize(field, from) !== normalize(field, to);
  });
}

/**
 * The events of a record that a role which does not see everything shows for the first time, if it may have existed
 * before: that it is visible, and what is true of the day.
 */
export function impliedByAppearance(resource: string, after: State): string[] {
  const ofTheDay = ['due_soon', 'overdue', 'overdue_reminder', 'stale', 'ending_soon', 'past_end'];
  const types = impliedEvents(resource, null, after).filter((type) => ofTheDay.includes(type.split('.')[1] ?? ''));
  return [...types, `${resource}.became_visible`].sort();
}

/** What decides whether a record that is shown for the first time is new. */
interface FirstSight {
  readonly seesAll: boolean;
  /** The start of the last scan that would have shown it. */
  readonly lastScan: string;
  /** Whether the last complete sweep listed records that were made later. */
  readonly wasListed: boolean;
  /** Whether the last scan saw the project that it belongs to. */
  readonly wasProjectShown: boolean;
  /** Whether that project was out of sight before, and is shown again since the last scan. */
  readonly isProjectBack: boolean;
  readonly dayOf: (instant: string) => string;
}

/** Whether a record that is shown for the first time is new. `old`: it was only not shown. `unsure`: one of both. */
export function judgeNovelty(
  resource: string,
  fields: RawRecord,
  { seesAll, lastScan, wasListed, wasProjectShown, isProjectBack, dayOf }: FirstSight,
): 'new' | 'old' | 'unsure' {
  if (seesAll) return 'new';
  if (wasListed) return 'old';
  if (isBlank(fields.datecreated)) return resource === 'invoice' && wasProjectShown ? 'new' : 'unsure';
  const created = String(fields.datecreated);
  if (created < new Date(Date.parse(lastScan) - 86_400_000).toISOString().slice(0, 10)) return 'old';
  return created < dayOf(lastScan) || isProjectBack ? 'unsure' : 'new';
}

class Step {
  readonly before: State | null;
  readonly after: State;

  constructor(before: State | null, after: State) {
    this.before = before;
    this.after = after;
  }

  /** A field that was never seen before has not changed when it becomes visible. */
  changed(field: string): boolean {
    const from = this.before?.fields[field];
    const to = this.after.fields[field];
    return from !== undefined && to !== undefined && normalize(field, from) !== normalize(field, to);
  }

  /** The fact became true, or it is still true for another date. */
  begins(fact: string, date: string): boolean {
    if (this.after.facts[fact] !== true) return false;
    return !this.was(fact) || this.changed(date);
  }

  /** Whether the task itself got another status or closing date. */
  wasMoved(): boolean {
    return this.before === null || this.changed('statusid') || this.changed('dateclosed');
  }

  grew(field: string): number {
    if (this.before === null) return 0;
    return Math.round(100 * (amount(this.after.fields, field) - amount(this.before.fields, field)));
  }

  /** Whether members were added or removed; false when the earlier members are unknown. */
  members(field: string, of: 'added' | 'removed'): boolean {
    const to = this.after.fields[field];
    const from = this.before === null ? '' : this.before.fields[field];
    if (to === undefined || from === undefined) return false;
    const [some, others] = of === 'added' ? [to, from] : [from, to];
    return splitList(some).some((member) => !splitList(others).includes(member));
  }

  is(fact: string): boolean {
    return this.after.facts[fact] === true;
  }

  was(fact: string): boolean {
    return this.before !== null && recalled(this.before.facts)[fact] === true;
  }
}

const EVENT_RULES: Readonly<Record<string, (step: Step) => string[]>> = {
  task: (step) =>
    namesOfTrue({
      // A status that gets another name closes and opens its tasks without an event.
      closed: step.is('closed') && (!step.was('closed') || step.was('silentlyClosed')) && step.wasMoved(),
      reopened: step.was('closed') && !step.was('silentlyClosed') && !step.is('closed') && step.wasMoved(),
      status_changed: step.changed('statusid'),
      assigned: step.members('assigneeid', 'added'),
      unassigned: step.members('assigneeid', 'removed'),
      owner_changed: step.changed('ownerid'),
      followers_changed: step.changed('followerid'),
      priority_changed: step.changed('priorityid'),
      due_date_changed: step.changed('datedue'),
      milestone_changed: step.changed('milestoneid'),
      moved: step.changed('projectid') || step.changed('moduleid'),
      estimate_changed: step.changed('estimate'),
      time_logged: step.grew('actual') > 0,
      // For a new task, `created` contains the hours.
      over_estimate: step.before !== null && step.is('over') && !step.was('over'),
      due_soon: step.begins('dueSoon', 'datedue'),
      overdue: step.begins('overdue', 'datedue'),
      back_on_track: (step.was('overdue') || step.was('overdueEarlier')) && !step.is('overdue') && !step.is('closed'),
      stale: step.is('stale') && !step.was('stale'),
    }),
  invoice: (step) =>
    namesOfTrue({
      payment_received: receivedIn(step) > 0,
      partially_paid: receivedIn(step) > 0 && step.is('owed'),
      paid: step.is('paid') && !step.was('paid'),
      settled_late: step.is('paid') && !step.was('paid') && step.is('paidLate'),
      payment_reversed: receivedIn(step) < 0,
      amount_changed: step.changed('total'),
      due_date_changed: step.changed('datedue'),
      due_soon: step.begins('dueSoon', 'datedue'),
      overdue: step.begins('overdue', 'datedue'),
      overdue_reminder: hasNewReminder(step),
    }),
  project: (step) =>
    namesOfTrue({
      ...activation(step),
      manager_changed: step.changed('managerid'),
      budget_changed: step.changed('budget'),
      end_date_changed: step.changed('dateend'),
      ending_soon: step.begins('endingSoon', 'dateend'),
      past_end: step.begins('pastEnd', 'dateend'),
    }),
  client: (step) => namesOfTrue(activation(step)),
  person: (step) => namesOfTrue({ ...activation(step), group_changed: step.changed('groupid') }),
};

function receivedIn({ before, after }: Step): number {
  return received(before?.fields ?? {}, after.fields);
}

/** What came in since; negative: went back. What was paid out beyond that, as on a credit note, was never received. */
export function received(before: RawRecord, after: RawRecord): number {
  if (amount(after, 'total') < 0) return 0;
  const [from, to] = [before, after].map((fields) => Math.max(0, amount(fields, 'payments')));
  return Math.round(100 * ((to ?? 0) - (from ?? 0)));
}

/** A longer delay than announced, or any delay after a new due date, which resets the reminders. */
function hasNewReminder(step: Step): boolean {
  const [before, after] = [Number(step.before?.facts.reminder ?? 0), Number(step.after.facts.reminder)];
  return after > before || (after > 0 && step.changed('datedue'));
}

function activation(step: Step): Record<string, boolean> {
  const on = step.after.fields.active === 't';
  return { activated: step.changed('active') && on, deactivated: step.changed('active') && !on };
}

/** Hours need not modify the task they are logged on. */
const HOURS = ['actual', 'billable', 'unbillable'];

/**
 * The day of the last change that the task's own date does not cover, as a number such as 20261114.
 * @param shownOn the day on which the new fields were shown
 */
export function lastActiveDay(resource: string, before: State, fields: RawRecord, shownOn: string): number | undefined {
  const changed = Object.keys(fields).filter((field) => new Step(before, { fields, facts: {} }).changed(field));
  const watched = changed.filter((field) => !UNWATCHED_FIELDS[resource]?.has(field));
  // A date that went back is not that of the change.
  const isBack = String(fields.datemodified) < String(before.fields.datemodified);
  const isUndated = isBack || !changed.includes('datemodified') || watched.some((field) => HOURS.includes(field));
  if (watched.length > 0 && isUndated) return Number(shownOn.replaceAll('-', ''));
  return typeof before.facts.active === 'number' ? before.facts.active : undefined;
}

function namesOfTrue(answers: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(answers).filter((name) => answers[name] === true);
}

function normalize(field: string, value: string | null): string {
  return SETS.has(field) ? splitList(value).sort().join() : (value ?? '');
}

function splitList(value: string | null): string[] {
  return isBlank(value) ? [] : String(value).split(',');
}

function fieldSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}
