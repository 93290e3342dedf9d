/**
 * Derives the events that a change of a record implies: a second implementation, written from docs/fields.md and the `when`
 * texts of the catalogue. It shares no code with the implementation under test and works on the raw values of the API.
 */

import type { Calendar } from './calendar.ts';
import type { RawRecord } from './observation.ts';

/** A record as Tidings should know it: the fields it has seen, and the facts that follow from them on the current day. */
export interface State {
  readonly fields: RawRecord;
  readonly facts: Facts;
}

export type Facts = Readonly<Record<string, boolean | number>>;

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
      back_on_track: step.was('overdue') && !step.is('overdue') && !step.is('closed'),
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

/**
 * Facts after other rules or in another zone. What was announced for a date is not announced again for it, so it stays
 * true while the record is open.
 */
export function keepAnnounced({ fields, facts: factsBefore }: State, after: State): Facts {
  const { facts } = after;
  const before = { fields, facts: recalled(factsBefore) };
  if (facts.closed === true) return { ...facts, ...marksOf(before, after) };
  if (facts.owed === false || after.fields.active === 'f') return facts;
  const isSame = (field: string) => (before.fields[field] ?? null) === (after.fields[field] ?? null);
  const kept = (fact: string, field: string) => facts[fact] === true || (before.facts[fact] === true && isSame(field));
  const result: Record<string, boolean | number> = { ...facts };
  if ('overdue' in facts) result.overdue = kept('overdue', 'datedue');
  if ('dueSoon' in facts) result.dueSoon = kept('dueSoon', 'datedue') && result.overdue !== true;
  if ('pastEnd' in facts) result.pastEnd = kept('pastEnd', 'dateend');
  if ('endingSoon' in facts) result.endingSoon = kept('endingSoon', 'dateend') && result.pastEnd !== true;
  // A change without a date ends staleness as well.
  if ('stale' in facts && facts.active === before.facts.active) result.stale = kept('stale', 'datemodified');
  if (typeof facts.reminder === 'number' && isSame('datedue'))
    result.reminder = Math.max(facts.reminder, Number(before.facts.reminder));
  return result;
}

/** A task that only the rules close keeps a mark of each fact that was announced, until they no longer close it. */
function marksOf(before: State, after: State): Facts {
  const isSame = (field: string) => (before.fields[field] ?? null) === (after.fields[field] ?? null);
  if (!['statusid', 'dateclosed'].every(isSame)) return {};
  const isSilent = before.facts.closed !== true || before.facts.silentlyClosed === true;
  const silent: Facts = isSilent ? { silentlyClosed: true } : {};
  if (!isSame('datedue')) return silent;
  const announced = ['overdue', 'dueSoon', 'stale'].filter((fact) => before.facts[fact] === true);
  const isUntouched = isSame('datemodified') && after.facts.active === before.facts.active;
  const kept = announced.filter((fact) => fact !== 'stale' || isUntouched);
  return { ...silent, ...Object.fromEntries(kept.map((fact) => [`announced ${fact}`, true])) };
}

/** The facts with those that were announced before the rules closed the task. */
function recalled(facts: Facts): Facts {
  const marked = Object.keys(facts).filter((name) => name.startsWith('announced '));
  return { ...facts, ...Object.fromEntries(marked.map((name) => [name.slice('announced '.length), true])) };
}

/** The facts that hold by both; the smaller of two numbers. */
export function keepFacts(factsBefore: Facts, after: Facts): Facts {
  const before = recalled(factsBefore);
  const both = ([name, value]: [string, boolean | number]) => [
    name,
    name === 'active'
      ? value
      : typeof value === 'number'
        ? Math.min(value, Number(before[name]))
        : TIME_FACTS.has(name)
          ? value && before[name]
          : value,
  ];
  return Object.fromEntries(Object.entries(after).map(both));
}

const TIME_FACTS = new Set(['dueSoon', 'overdue', 'stale', 'endingSoon', 'pastEnd']);

/** Hours need not modify the task they are logged on. */
const HOURS = ['actual', 'billable', 'unbillable'];

/**
 * The day of the last change that the task's own date does not cover, as a number such as 20261114.
 * @param shownOn the day on which the new fields were shown
 */
export function lastActiveDay(resource: string, before: State, fields: RawRecord, shownOn: string): number | undefined {
  const changed = Object.keys(fields).filter((field) => new Step(before, { fields, facts: {} }).changed(field));
  const watched = changed.filter((field) => !UNWATCHED_FIELDS[resource]?.has(field));
  const isUndated = !changed.includes('datemodified') || watched.some((field) => HOURS.includes(field));
  if (watched.length > 0 && isUndated) return Number(shownOn.replaceAll('-', ''));
  return typeof before.facts.active === 'number' ? before.facts.active : undefined;
}

/**
 * The facts that follow from a record on a day of the account's calendar.
 * @param lastActive see lastActiveDay. @default - no such change was shown
 */
export function deriveFacts(
  resource: string,
  fields: RawRecord,
  today: string,
  { dayOf, rules }: Calendar,
  lastActive?: number,
): Facts {
  const due = isBlank(fields.datedue) ? null : String(fields.datedue);
  if (resource === 'task') {
    const closed = !isBlank(fields.dateclosed) || rules.closedStatuses.includes(String(fields.status));
    const modified = isBlank(fields.datemodified)
      ? null
      : dayOf(`${String(fields.datemodified).replace(' ', 'T').slice(0, 19)}Z`);
    const activeDay = String(lastActive).replace(/^(....)(..)/, '$1-$2-');
    const isActiveLater = lastActive !== undefined && modified !== null && activeDay > modified;
    const touched = isActiveLater ? activeDay : modified;
    return {
      closed,
      over: amount(fields, 'estimate') > 0 && amount(fields, 'actual') > amount(fields, 'estimate'),
      dueSoon: !closed && due !== null && within(today, due, rules.taskDueSoon),
      overdue: !closed && due !== null && daysFrom(due, today) > 0,
      stale: !closed && touched !== null && daysFrom(touched, today) >= rules.taskStale,
      ...(isActiveLater ? { active: lastActive } : {}),
    };
  }
  if (resource === 'invoice') {
    const owed = amount(fields, 'balance') > 0;
    const late = owed && due !== null ? daysFrom(due, today) : 0;
    return {
      owed,
      paid: !owed && amount(fields, 'total') > 0 && (amount(fields, 'payments') > 0 || !isBlank(fields.datepaid)),
      credit: amount(fields, 'total') < 0,
      paidLate: !isBlank(fields.datepaid) && due !== null && daysFrom(due, String(fields.datepaid)) > 0,
      dueSoon: owed && due !== null && within(today, due, rules.invoiceDueSoon),
      overdue: late > 0,
      reminder: Math.max(0, ...rules.invoiceOverdueReminders.filter((days) => days <= late)),
    };
  }
  if (resource !== 'project') return {};
  const end = isBlank(fields.dateend) ? null : String(fields.dateend);
  const active = fields.active === 't';
  return {
    endingSoon: active && end !== null && within(today, end, rules.projectEndingSoon),
    pastEnd: active && end !== null && daysFrom(end, today) > 0,
  };
}

/** Whether today is the day itself or at most `days` days before it. */
function within(today: string, day: string, days: number): boolean {
  const left = daysFrom(today, day);
  return left >= 0 && left <= days;
}

function daysFrom(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T12:00:00Z`) - Date.parse(`${from}T12:00:00Z`)) / 86_400_000);
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

function isBlank(value: string | null | undefined): boolean {
  return value === null || value === undefined || value === '';
}

function amount(fields: RawRecord, field: string): number {
  return Number(fields[field] ?? 0);
}

function fieldSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

export function sameFacts(a: Facts, b: Facts): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
