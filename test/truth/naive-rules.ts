/**
 * What two states of a record, as the API shows them, mean by the words of the catalogue: a second opinion, written
 * from DESIGN.md, docs/fields.md and the `when` texts. Shares no code with what it judges, and works on wire values.
 */

import type { Wire } from './observation.ts';

/** A record as the oracle believes it to be known: what was seen of it, and what the day makes of that. */
export interface State {
  readonly fields: Wire;
  readonly facts: Facts;
}

export type Facts = Readonly<Record<string, boolean | number>>;

/** The default rules of a config, in days. */
const TASK_DUE_SOON = 1;
const TASK_STALE = 30;
const INVOICE_DUE_SOON = 7;
const INVOICE_REMINDERS = [7, 14, 30];
const PROJECT_ENDING_SOON = 7;

/** Fields whose change is no news: names of other records, and what moves by itself. All others are watched. */
const NO_NEWS: Readonly<Record<string, ReadonlySet<string>>> = {
  task: names(
    'datemodified color priority severity status status_order project clientid clientlocalid client milestone module',
    'projectlocalid assignees followers owners projectlabel projectlabel_order projectlabelid',
  ),
  invoice: names(
    'project client clientid term daysoverdue daysoverduepaid status projectlabel projectlabel_order projectlabelid',
  ),
  project: names('alert_date client clientlocalid label labelcolor label_order localidunpadded manager'),
  client: names('localidunpadded datemodified'),
  person: names(
    'tips group client numlogins lastlogin timezone_offset clientlocalid calendarorientation editordisabled',
  ),
};

/** Comma lists that are sets. */
const SETS = names('assigneeid ownerid followerid managerid');

/** The events of one look, or of one midnight: `before` is null for a new record. */
export function meaningOf(resource: string, before: State | null, after: State): string[] {
  const step = new Step(before, after);
  const news = [...(before === null ? ['created'] : []), ...(MEANINGS[resource]?.(step) ?? [])];
  const moved = Object.keys(after.fields).some((field) => !NO_NEWS[resource]?.has(field) && step.changed(field));
  return [...news, ...(moved ? ['updated'] : [])].map((name) => `${resource}.${name}`).sort();
}

class Step {
  readonly before: State | null;
  readonly after: State;

  constructor(before: State | null, after: State) {
    this.before = before;
    this.after = after;
  }

  /** What was never seen did not change when it comes into view. */
  changed(field: string): boolean {
    const from = this.before?.fields[field];
    const to = this.after.fields[field];
    return from !== undefined && to !== undefined && plain(field, from) !== plain(field, to);
  }

  /** Becomes true; or is so still, of another date. */
  begins(fact: string, date: string): boolean {
    if (this.after.facts[fact] !== true) return false;
    return this.before?.facts[fact] !== true || this.changed(date);
  }

  grew(field: string): number {
    if (this.before === null) return 0;
    return Math.round(100 * (amount(this.after.fields, field) - amount(this.before.fields, field)));
  }

  /** Those who came and those who went; empty where the earlier people are unknown. */
  members(field: string, of: 'came' | 'went'): boolean {
    const to = this.after.fields[field];
    const from = this.before === null ? '' : this.before.fields[field];
    if (to === undefined || from === undefined) return false;
    const [some, others] = of === 'came' ? [to, from] : [from, to];
    return list(some).some((member) => !list(others).includes(member));
  }

  is(fact: string): boolean {
    return this.after.facts[fact] === true;
  }

  was(fact: string): boolean {
    return this.before?.facts[fact] === true;
  }
}

const MEANINGS: Readonly<Record<string, (step: Step) => string[]>> = {
  task: (step) =>
    chosen({
      closed: step.is('closed') && !step.was('closed'),
      reopened: step.was('closed') && !step.is('closed'),
      status_changed: step.changed('statusid'),
      assigned: step.members('assigneeid', 'came'),
      unassigned: step.members('assigneeid', 'went'),
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
    chosen({
      payment_received: step.grew('payments') > 0 && !step.is('credit'),
      partially_paid: step.grew('payments') > 0 && step.is('owed'),
      paid: step.is('paid') && !step.was('paid'),
      settled_late: step.is('paid') && !step.was('paid') && step.is('paidLate'),
      payment_reversed: step.grew('payments') < 0 && !step.is('credit'),
      amount_changed: step.changed('total'),
      due_date_changed: step.changed('datedue'),
      due_soon: step.begins('dueSoon', 'datedue'),
      overdue: step.begins('overdue', 'datedue'),
      overdue_reminder: remindsAnew(step),
    }),
  project: (step) =>
    chosen({
      ...switched(step),
      manager_changed: step.changed('managerid'),
      budget_changed: step.changed('budget'),
      end_date_changed: step.changed('dateend'),
      ending_soon: step.begins('endingSoon', 'dateend'),
      past_end: step.begins('pastEnd', 'dateend'),
    }),
  client: (step) => chosen(switched(step)),
  person: (step) => chosen({ ...switched(step), group_changed: step.changed('groupid') }),
};

/** A longer delay than announced, or any delay after a new due date, which resets the reminders. */
function remindsAnew(step: Step): boolean {
  const [before, after] = [Number(step.before?.facts.reminder ?? 0), Number(step.after.facts.reminder)];
  return after > before || (after > 0 && step.changed('datedue'));
}

function switched(step: Step): Record<string, boolean> {
  const on = step.after.fields.active === 't';
  return { activated: step.changed('active') && on, deactivated: step.changed('active') && !on };
}

/** What a day of the account makes of a record. */
export function factsOf(resource: string, fields: Wire, today: string, dayOf: (instant: string) => string): Facts {
  const due = blank(fields.datedue) ? null : String(fields.datedue);
  if (resource === 'task') {
    const closed = !blank(fields.dateclosed) || fields.status === 'Closed';
    const touched = blank(fields.datemodified)
      ? null
      : dayOf(`${String(fields.datemodified).replace(' ', 'T').slice(0, 19)}Z`);
    return {
      closed,
      over: amount(fields, 'estimate') > 0 && amount(fields, 'actual') > amount(fields, 'estimate'),
      dueSoon: !closed && due !== null && within(today, due, TASK_DUE_SOON),
      overdue: !closed && due !== null && daysFrom(due, today) > 0,
      stale: !closed && touched !== null && daysFrom(touched, today) >= TASK_STALE,
    };
  }
  if (resource === 'invoice') {
    const owed = amount(fields, 'balance') > 0;
    const late = owed && due !== null ? daysFrom(due, today) : 0;
    return {
      owed,
      paid: !owed && amount(fields, 'total') > 0 && (amount(fields, 'payments') > 0 || !blank(fields.datepaid)),
      credit: amount(fields, 'total') < 0,
      paidLate: !blank(fields.datepaid) && due !== null && daysFrom(due, String(fields.datepaid)) > 0,
      dueSoon: owed && due !== null && within(today, due, INVOICE_DUE_SOON),
      overdue: late > 0,
      reminder: Math.max(0, ...INVOICE_REMINDERS.filter((days) => days <= late)),
    };
  }
  if (resource !== 'project') return {};
  const end = blank(fields.dateend) ? null : String(fields.dateend);
  const active = fields.active === 't';
  return {
    endingSoon: active && end !== null && within(today, end, PROJECT_ENDING_SOON),
    pastEnd: active && end !== null && daysFrom(end, today) > 0,
  };
}

/** From so many days before that day up to the day itself. */
function within(today: string, day: string, days: number): boolean {
  const left = daysFrom(today, day);
  return left >= 0 && left <= days;
}

function daysFrom(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T12:00:00Z`) - Date.parse(`${from}T12:00:00Z`)) / 86_400_000);
}

function chosen(answers: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(answers).filter((name) => answers[name] === true);
}

function plain(field: string, value: string | null): string {
  return SETS.has(field) ? list(value).sort().join() : (value ?? '');
}

function list(value: string | null): string[] {
  return blank(value) ? [] : String(value).split(',');
}

function blank(value: string | null | undefined): boolean {
  return value === null || value === undefined || value === '';
}

function amount(fields: Wire, field: string): number {
  return Number(fields[field] ?? 0);
}

function names(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}
