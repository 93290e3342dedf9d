/** Computes the stage of a record, the facts that depend on the day, and when it changes next. Pure. */

import { addDays, type Day, dayIn, daysBetween, isDay, startOfDay } from '../model/calendar.ts';
import type { Fields } from '../model/record.ts';
import type { Snapshot, Stage } from '../model/snapshot.ts';
import { type Instant, parseInstant } from '../model/time.ts';
import { isOwed } from '../resources/invoice-amounts.ts';

export interface StageRules {
  /** Names of the task statuses that count as closed. */
  readonly closedStatuses: readonly string[];
  /** Ids of statuses that had one of these names before they were renamed. @default - none */
  readonly closedStatusIds?: readonly string[];
  /** Days before its due date from which a task is due soon. */
  readonly taskDueSoon: number;
  /** Days without a change after which an open task is stale; 0: never. */
  readonly taskStale: number;
  /** Days before its due date from which an invoice is due soon. */
  readonly invoiceDueSoon: number;
  /** Days overdue at which an unpaid invoice gets a reminder, ascending. */
  readonly invoiceOverdueReminders: readonly number[];
  /** Days before its end from which a project is ending soon. */
  readonly projectEndingSoon: number;
}

export const defaultRules: StageRules = {
  closedStatuses: ['Closed'],
  taskDueSoon: 1,
  taskStale: 30,
  invoiceDueSoon: 7,
  invoiceOverdueReminders: [7, 14, 30],
  projectEndingSoon: 7,
};

/** How a resource is staged: the facts on a day, and the days on which they may change. */
interface Staging {
  readonly stage: (record: Fields, today: Day, rules: StageRules) => Stage;
  readonly boundaries: (record: Fields, rules: StageRules) => readonly Day[];
}

const stagings: Readonly<Record<string, Staging>> = {
  task: {
    stage(record, today, rules) {
      const closed = isClosed(record, rules);
      const due = dayOf(record.datedue);
      const modified = dayOf(record.datemodified);
      const stale = !closed && rules.taskStale > 0 && modified !== null && today >= addDays(modified, rules.taskStale);
      return {
        closed,
        dueSoon: !closed && due !== null && today >= addDays(due, -rules.taskDueSoon) && today <= due,
        overdue: !closed && due !== null && today > due,
        stale,
        // The rule's number of days, not the actual one: the stage must not change every day.
        staleFor: stale ? rules.taskStale : 0,
      };
    },
    boundaries(record, rules) {
      // Closed tasks do not change with time, and most tasks are closed.
      if (isClosed(record, rules)) return [];
      const { datedue, datemodified } = record;
      const due = dayOf(datedue);
      const modified = dayOf(datemodified);
      return [
        ...(due === null ? [] : [addDays(due, -rules.taskDueSoon), addDays(due, 1)]),
        ...(modified === null || rules.taskStale === 0 ? [] : [addDays(modified, rules.taskStale)]),
      ];
    },
  },

  invoice: {
    stage(record, today, rules) {
      const owed = isOwed(record);
      const due = dayOf(record.datedue);
      const late = owed && due !== null ? Math.max(0, daysBetween(due, today)) : 0;
      return {
        owed,
        dueSoon: owed && due !== null && today >= addDays(due, -rules.invoiceDueSoon) && today <= due,
        overdue: late > 0,
        reminder: Math.max(0, ...rules.invoiceOverdueReminders.filter((days) => days <= late)),
      };
    },
    boundaries(record, rules) {
      const due = dayOf(record.datedue);
      if (due === null || !isOwed(record)) return [];
      const reminders = rules.invoiceOverdueReminders.map((days) => addDays(due, days));
      return [addDays(due, -rules.invoiceDueSoon), addDays(due, 1), ...reminders];
    },
  },

  project: {
    stage(record, today, rules) {
      const active = record.active === true;
      const end = dayOf(record.dateend);
      return {
        active,
        endingSoon: active && end !== null && today >= addDays(end, -rules.projectEndingSoon) && today <= end,
        pastEnd: active && end !== null && today > end,
      };
    },
    boundaries({ dateend }, rules) {
      const end = dayOf(dateend);
      return end === null ? [] : [addDays(end, -rules.projectEndingSoon), addDays(end, 1)];
    },
  },
};

/** Whether time alone changes records of this resource. */
export function isTimeDriven(resource: string): boolean {
  return Object.hasOwn(stagings, resource);
}

export function stageOnDay(resource: string, record: Fields, today: Day, rules: StageRules): Stage {
  return stagings[resource]?.stage(record, today, rules) ?? {};
}

/** The next day on which time alone changes the stage; null: never. */
export function nextStageDay(resource: string, record: Fields, today: Day, rules: StageRules): Day | null {
  const staging = stagings[resource];
  if (staging === undefined) return null;
  const days = staging.boundaries(record, rules).filter((day) => day > today);
  if (days.length === 0) return null;
  const now = staging.stage(record, today, rules);
  return days.sort().find((day) => !sameStage(staging.stage(record, day, rules), now)) ?? null;
}

/** Both belong to one resource, so they have the same keys. */
function sameStage(a: Stage, b: Stage): boolean {
  for (const fact in a) if (a[fact] !== b[fact]) return false;
  return true;
}

/** A record and the stage it was committed with. */
interface StagedRecord {
  readonly record: Fields;
  readonly stage: Stage;
}

interface StageOptions {
  /** null: unknown. */
  readonly timeZone: string | null;
  readonly at: Instant;
  readonly rules: StageRules;
  /** @default - the record is new */
  readonly before?: StagedRecord;
}

/**
 * The stage of a record at an instant, and when time alone changes it next. Without a zone no day is known: no
 * time-driven fact holds. What was true of the same date before stays true, whatever zone or rule makes of it now, so that
 * no event is sent twice.
 */
export function computeStage(
  resource: string,
  record: Fields,
  { timeZone, at, rules, before }: StageOptions,
): { readonly stage: Stage; readonly nextMoment: Instant | null } {
  if (timeZone === null)
    return { stage: clearTimeFacts(stageOnDay(resource, record, dayIn('UTC', at), rules)), nextMoment: null };
  const today = dayIn(timeZone, at);
  // Closed tasks do not depend on their modification time, and most tasks are closed.
  const here = resource === 'task' && !isClosed(record, rules) ? withLocalDays(record, timeZone) : record;
  const next = nextStageDay(resource, here, today, rules);
  const stage = stageOnDay(resource, here, today, rules);
  return {
    stage: before === undefined ? stage : keepFacts(resource, stage, before, record),
    nextMoment: next === null ? null : startOfDay(timeZone, next),
  };
}

/** What was announced of a task that now counts as closed, although only the rules or a name changed. */
const ANNOUNCED: Readonly<Record<string, string>> = {
  overdue: 'announcedOverdue',
  dueSoon: 'announcedDueSoon',
  stale: 'announcedStale',
};

/** The stage with the facts that were announced before the task counted as closed. */
export function recallAnnounced(stage: Stage): Stage {
  const facts = Object.entries(ANNOUNCED).flatMap(([fact, mark]) =>
    stage[mark] === true ? [[fact, true] as const] : [],
  );
  return facts.length === 0 ? stage : { ...stage, ...Object.fromEntries(facts) };
}

/** A task that is closed by the rules and not by a person remembers what was announced, until it counts as open again. */
function keepFacts(resource: string, stage: Stage, before: StagedRecord, record: Fields): Stage {
  const announced = { record: before.record, stage: recallAnnounced(before.stage) };
  if (stage.closed !== true) return keepTimeFacts(resource, stage, announced, record);
  const isSame = (field: string) => (record[field] ?? null) === (before.record[field] ?? null);
  const isClosedByRules = ['statusid', 'dateclosed', 'datedue'].every(isSame);
  // Without an id, only the name shows that the status is the same.
  const isSameStatus = record.statusid !== undefined || record.status === before.record.status;
  if (!isClosedByRules || !isSameStatus) return stage;
  const marks = Object.entries(ANNOUNCED).flatMap(([fact, mark]) =>
    announced.stage[fact] === true && (fact !== 'stale' || isSame('datemodified')) ? [[mark, true] as const] : [],
  );
  return marks.length === 0 ? stage : { ...stage, ...Object.fromEntries(marks) };
}

/** The field that the time-driven facts of each resource are about. */
const DATE_FIELDS: Readonly<Record<string, string>> = { task: 'datedue', invoice: 'datedue', project: 'dateend' };

function keepTimeFacts(resource: string, stage: Stage, before: StagedRecord, record: Fields): Stage {
  const isOpen = stage.closed !== true && stage.owed !== false && stage.active !== false;
  const date = DATE_FIELDS[resource];
  if (!isOpen || date === undefined) return stage;
  const isSame = (field: string) => record[field] === before.record[field];
  const isKept = (fact: string, field: string) => before.stage[fact] === true && stage[fact] === false && isSame(field);
  const kept: Record<string, boolean | number | null> = { ...stage };
  for (const [late, soon] of [
    ['overdue', 'dueSoon'],
    ['pastEnd', 'endingSoon'],
  ] as const) {
    if (isKept(late, date)) Object.assign(kept, { [late]: true, [soon]: false });
    else if (isKept(soon, date) && stage[late] === false) kept[soon] = true;
  }
  if (isKept('stale', 'datemodified')) Object.assign(kept, { stale: true, staleFor: before.stage.staleFor ?? 0 });
  if (isSame(date) && typeof stage.reminder === 'number')
    kept.reminder = Math.max(stage.reminder, Number(before.stage.reminder ?? 0));
  return kept;
}

/** The API's timestamps are in UTC, so their day differs from the account's near midnight. */
function withLocalDays(record: Fields, zone: string): Fields {
  const modified = typeof record.datemodified === 'string' ? parseInstant(record.datemodified) : undefined;
  if (modified === undefined) return record;
  // Only the fields that the stage depends on: copying all of them would cost more than staging.
  const { statusid = null, status = null, dateclosed = null, datedue = null } = record;
  return { statusid, status, dateclosed, datedue, datemodified: dayIn(zone, modified) };
}

/** The stage without its time-driven facts: as if no moment had passed yet. */
export function clearTimeFacts(stage: Stage): Stage {
  return withoutNewTimeFacts(stage, {});
}

/** Facts that a digest lists for as long as they hold. Stores index the snapshots that have one. */
const OPEN_FACTS = ['overdue', 'dueSoon', 'pastEnd', 'endingSoon'];

/** Whether a digest may list the record. */
export function isOpenItem({ deletedAt, stage }: Pick<Snapshot, 'deletedAt' | 'stage'>): boolean {
  return deletedAt === null && OPEN_FACTS.some((fact) => stage[fact] === true);
}

const TIME_FACTS = ['dueSoon', 'overdue', 'stale', 'reminder', 'endingSoon', 'pastEnd'];

/** The stage without the time-driven facts that did not hold before. */
export function withoutNewTimeFacts(stage: Stage, before: Stage): Stage {
  const kept: Record<string, boolean | number | null> = { ...stage };
  for (const fact of TIME_FACTS) {
    const value = stage[fact];
    if (typeof value === 'number') kept[fact] = Math.min(value, Number(before[fact] ?? 0));
    else if (value === true) kept[fact] = before[fact] === true;
  }
  if ('staleFor' in kept && kept.stale !== true) kept.staleFor = 0;
  return kept;
}

/** Accounts mark closed tasks by a date, by a status, or by both. */
function isClosed({ dateclosed, status, statusid }: Fields, { closedStatuses, closedStatusIds }: StageRules): boolean {
  if (isDay(dateclosed) || (typeof status === 'string' && closedStatuses.includes(status))) return true;
  return closedStatusIds !== undefined && typeof statusid === 'string' && closedStatusIds.includes(statusid);
}

/** The calendar day of a date or date-time; null when there is none. */
function dayOf(value: Fields[string] | undefined): Day | null {
  const day = typeof value === 'string' ? value.slice(0, 10) : null;
  return isDay(day) ? day : null;
}
