/** The facts that follow from a record and a day, in the words of the catalogue. They share no code with the product. */

import type { Calendar } from './calendar.ts';
import type { RawRecord } from './observation.ts';

/** A record as Tidings should know it: the fields it has seen, and the facts that follow from them on the current day. */
export interface State {
  readonly fields: RawRecord;
  readonly facts: Facts;
}

export type Facts = Readonly<Record<string, boolean | number>>;

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
  const wasOverdue = before.facts.overdue === true || before.facts.overdueEarlier === true;
  if (!isSame('datedue')) return wasOverdue ? { ...silent, overdueEarlier: true } : silent;
  const announced = ['overdue', 'dueSoon', 'stale'].filter((fact) => before.facts[fact] === true);
  const isUntouched = isSame('datemodified') && after.facts.active === before.facts.active;
  const kept = announced.filter((fact) => fact !== 'stale' || isUntouched);
  const earlier: Facts = before.facts.overdueEarlier === true ? { overdueEarlier: true } : {};
  return { ...silent, ...earlier, ...Object.fromEntries(kept.map((fact) => [`announced ${fact}`, true])) };
}

/** The facts with those that were announced before the rules closed the task. */
export function recalled(facts: Facts): Facts {
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

export function isBlank(value: string | null | undefined): boolean {
  return value === null || value === undefined || value === '';
}

export function amount(fields: RawRecord, field: string): number {
  return Number(fields[field] ?? 0);
}

export function sameFacts(a: Facts, b: Facts): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
