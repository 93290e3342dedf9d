/** Computes the stage of a record, the facts that depend on the day, and when it changes next. Pure. */

import { addDays, type Day, dayIn, daysBetween, isDay, startOfDay } from '../model/calendar.ts';
import type { Fields } from '../model/record.ts';
import type { Stage } from '../model/snapshot.ts';
import { type Instant, parseInstant } from '../model/time.ts';
import { isOwed } from '../resources/invoice-amounts.ts';
import { clearTimeFacts, keepFacts, type StagedRecord } from './kept-facts.ts';

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

interface StageOptions {
  /** null: unknown. */
  readonly timeZone: string | null;
  readonly at: Instant;
  readonly rules: StageRules;
  /** @default - the record is new */
  readonly before?: StagedRecord;
  /** When a change was found that the API does not date, such as logged hours. @default - none was found */
  readonly undatedChangeAt?: Instant;
}

/**
 * The stage of a record at an instant, and when time alone changes it next. Without a zone no day is known: no
 * time-driven fact holds. What was true of the same date before stays true, whatever zone or rule makes of it now, so that
 * no event is sent twice.
 */
export function computeStage(
  resource: string,
  record: Fields,
  { timeZone, at, rules, before, undatedChangeAt }: StageOptions,
): { readonly stage: Stage; readonly nextMoment: Instant | null } {
  const zone = timeZone ?? 'UTC';
  const today = dayIn(zone, at);
  const marks = resource === 'task' ? findTaskMarks(record, { zone, rules, before, undatedChangeAt }) : {};
  const judged = marks.reopened === true ? { ...record, dateclosed: null } : record;
  // Closed tasks do not depend on their modification time, and most tasks are closed.
  const here = resource === 'task' && !isClosed(judged, rules) ? withLocalDays(judged, zone, marks.activeDay) : judged;
  const stage = { ...stageOnDay(resource, here, today, rules), ...marks };
  if (timeZone === null) return { stage: clearTimeFacts(stage), nextMoment: null };
  const next = nextStageDay(resource, here, today, rules);
  return {
    stage: before === undefined ? stage : keepFacts(resource, stage, before, record),
    nextMoment: next === null ? null : startOfDay(timeZone, next),
  };
}

/** What the record of a task does not say, and the stage remembers. */
interface TaskMarks {
  /** The status no longer is a closed one, but the closing date stays. */
  readonly reopened?: true;
  /** The day of the last change without a date, if it is later than the modification date. A number: a stage has no texts. */
  readonly activeDay?: number;
}

const EPOCH: Day = '1970-01-01';

function findTaskMarks(
  record: Fields,
  { zone, rules, before, undatedChangeAt }: Omit<StageOptions, 'timeZone' | 'at'> & { readonly zone: string },
): TaskMarks {
  const activeDay =
    undatedChangeAt === undefined ? before?.stage.activeDay : daysBetween(EPOCH, dayIn(zone, undatedChangeAt));
  const modified = dayOf(withLocalDays(record, zone).datemodified);
  const isLater = typeof activeDay === 'number' && modified !== null && addDays(EPOCH, activeDay) > modified;
  return {
    ...(before !== undefined && isReopened(record, before, rules) ? { reopened: true } : {}),
    ...(isLater ? { activeDay } : {}),
  };
}

/** The API's closed state is that of the status. A status that is as complete as the closed one may be closed as well. */
function isReopened(record: Fields, before: StagedRecord, rules: StageRules): boolean {
  const { dateclosed, status_order: order, statusid } = record;
  if (!isDay(dateclosed) || dateclosed !== before.record.dateclosed || hasClosedStatus(record, rules)) return false;
  if (before.stage.reopened === true) return true;
  const { status_order: orderBefore, statusid: statusBefore } = before.record;
  const isEarlier = typeof order === 'number' && typeof orderBefore === 'number' && order < orderBefore;
  return isEarlier && statusid !== statusBefore && hasClosedStatus(before.record, rules);
}

/** The API's timestamps are in UTC, so their day differs from the account's near midnight. */
function withLocalDays(record: Fields, zone: string, activeDay?: number): Fields {
  const modified = typeof record.datemodified === 'string' ? parseInstant(record.datemodified) : undefined;
  if (modified === undefined) return record;
  const lastChange = activeDay === undefined ? dayIn(zone, modified) : addDays(EPOCH, activeDay);
  // Only the fields that the stage depends on: copying all of them would cost more than staging.
  const { statusid = null, status = null, dateclosed = null, datedue = null } = record;
  return { statusid, status, dateclosed, datedue, datemodified: lastChange };
}

/** Accounts mark closed tasks by a date, by a status, or by both. */
function isClosed(record: Fields, rules: StageRules): boolean {
  return isDay(record.dateclosed) || hasClosedStatus(record, rules);
}

function hasClosedStatus({ status, statusid }: Fields, { closedStatuses, closedStatusIds }: StageRules): boolean {
  if (typeof status === 'string' && closedStatuses.includes(status)) return true;
  return closedStatusIds !== undefined && typeof statusid === 'string' && closedStatusIds.includes(statusid);
}

/** The calendar day of a date or date-time; null when there is none. */
function dayOf(value: Fields[string] | undefined): Day | null {
  const day = typeof value === 'string' ? value.slice(0, 10) : null;
  return isDay(day) ? day : null;
}
