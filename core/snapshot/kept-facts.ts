/** What a stage keeps of the one before, so that a fact is announced once per date, whatever zone or rules make of it. Pure. */

import type { Fields } from '../model/record.ts';
import type { Stage } from '../model/snapshot.ts';

/** A record and the stage it was committed with. */
export interface StagedRecord {
  readonly record: Fields;
  readonly stage: Stage;
}

/** What was announced of a task that now counts as closed, although only the rules or a name changed. */
const ANNOUNCED: Readonly<Record<string, string>> = {
  overdue: 'announcedOverdue',
  dueSoon: 'announcedDueSoon',
  stale: 'announcedStale',
};

/** The mark of a task that was announced as overdue before its due date was moved while it counted as closed. */
const ANNOUNCED_FOR_ANOTHER_DATE = 'announcedForAnotherDate';

/** The mark of a task that counts as closed, although only the rules or a name changed, so that no event said so. */
const UNANNOUNCED_CLOSING = 'unannouncedClosing';

/** Whether the task counts as closed, and receivers know it: from an event, or because it was so when they began. */
export function isKnownAsClosed({ closed, [UNANNOUNCED_CLOSING]: isUnannounced }: Stage): boolean {
  return closed === true && isUnannounced !== true;
}

/** The stage with the facts that were announced before the task counted as closed. */
export function recallAnnounced(stage: Stage): Stage {
  const facts = Object.entries(ANNOUNCED).flatMap(([fact, mark]) =>
    stage[mark] === true ? [[fact, true] as const] : [],
  );
  return facts.length === 0 ? stage : { ...stage, ...Object.fromEntries(facts) };
}

/** Whether receivers know the task as overdue, for this due date or an earlier one. */
export function isKnownAsOverdue(stage: Stage): boolean {
  return recallAnnounced(stage).overdue === true || stage[ANNOUNCED_FOR_ANOTHER_DATE] === true;
}

/** A task that is closed by the rules and not by a person remembers what was announced, until it counts as open again. */
export function keepFacts(resource: string, stage: Stage, before: StagedRecord, record: Fields): Stage {
  const announced = { record: before.record, stage: recallAnnounced(before.stage) };
  if (stage.closed !== true) return keepTimeFacts(resource, stage, announced, record);
  const isSame = (field: string) => (record[field] ?? null) === (before.record[field] ?? null);
  // Without an id, only the name shows that the status is the same.
  const isSameStatus = record.statusid !== undefined || record.status === before.record.status;
  if (!isSameStatus || !isSame('statusid') || !isSame('dateclosed')) return stage;
  const isUntouched = isSame('datemodified') && stage.activeDay === before.stage.activeDay;
  const facts = isSame('datedue') ? Object.entries(ANNOUNCED) : [];
  const marks = facts.flatMap(([fact, mark]) =>
    announced.stage[fact] === true && (fact !== 'stale' || isUntouched) ? [[mark, true] as const] : [],
  );
  const isForAnotherDate = before.stage[ANNOUNCED_FOR_ANOTHER_DATE] === true || !isSame('datedue');
  if (isForAnotherDate && isKnownAsOverdue(before.stage)) marks.push([ANNOUNCED_FOR_ANOTHER_DATE, true]);
  // No event said that it is closed: a person may still close it.
  if (!isKnownAsClosed(before.stage)) marks.push([UNANNOUNCED_CLOSING, true]);
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
  if (isKept('stale', 'datemodified') && stage.activeDay === before.stage.activeDay)
    Object.assign(kept, { stale: true, staleFor: before.stage.staleFor ?? 0 });
  if (isSame(date) && typeof stage.reminder === 'number')
    kept.reminder = Math.max(stage.reminder, Number(before.stage.reminder ?? 0));
  return kept;
}

/** The stage without its time-driven facts: as if no moment had passed yet. */
export function clearTimeFacts(stage: Stage): Stage {
  return withoutNewTimeFacts(stage, {});
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
