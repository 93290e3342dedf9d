/** Predicates and formats that several event types share. Pure. */

import { isDay } from '../model/calendar.ts';
import { isSameValue } from '../model/json.ts';
import type { Fields, Value } from '../model/record.ts';
import type { Change, Transition } from '../model/snapshot.ts';
import { recallAnnounced } from '../snapshot/kept-facts.ts';
import type { EventType } from './event-type.ts';

type Fires = EventType['fires'];

/** Whether a field changed. A field that was not visible before did not change. */
export function isChanged({ before, after }: Transition, field: string): boolean {
  const from = before?.record[field];
  const to = after.record[field];
  return from !== undefined && to !== undefined && !isSameValue(from, to);
}

type ActRule = Pick<EventType, 'fires'> & Required<Pick<EventType, 'undone'>>;

/** Fires when one of the fields changes. Undone once all that changed have their former values. */
export function onChangeOf(...fields: readonly string[]): ActRule {
  return {
    fires: (transition) => fields.some((field) => isChanged(transition, field)),
    undone: ({ record }, { data }) =>
      isBack(
        data.changes.filter(({ field }) => fields.includes(field)),
        record,
      ),
  };
}

/** Whether there were changes, and every field has its former value again. A field that is hidden now may have any. */
export function isBack(changes: readonly Change[], record: Fields): boolean {
  return (
    changes.length > 0 &&
    changes.every(({ field, from }) => record[field] !== undefined && isSameValue(record[field], from))
  );
}

/** A fact of the stage becomes true, or stays true for another date, which counts as a new occurrence. */
export const becomesTrue =
  (fact: string, dateField?: string): Fires =>
  (transition) => {
    const { before, after } = transition;
    if (after.stage[fact] !== true) return false;
    // What was announced before a rule closed the record for a while is not announced again.
    if (before === null || recallAnnounced(before.stage)[fact] !== true) return true;
    return dateField !== undefined && isChanged(transition, dateField);
  };

/** The fact of the stage is still true for the same date. */
export const stillTrue =
  (fact: string, dateField?: string): NonNullable<EventType['holds']> =>
  ({ stage, record }, { data }) =>
    stage[fact] === true && (dateField === undefined || record[dateField] === data.record[dateField]);

/** A field changes from one given value to another. Undone once it has the first value again. */
export function onTurnOf(field: string, from: Value, to: Value): ActRule {
  return {
    fires: ({ before, after }) => before?.record[field] === from && after.record[field] === to,
    undone: ({ record }) => record[field] === from,
  };
}

/** The members added to and removed from a list. A list that was not visible before counts as unchanged. */
export function moved({ before, after }: Transition, field: string): { added: string[]; removed: string[] } {
  const valueBefore = before?.record[field];
  if (before !== null && valueBefore === undefined) return { added: [], removed: [] };
  const [from, to] = [listOf(valueBefore), listOf(after.record[field])];
  return {
    added: to.filter((member) => !from.includes(member)),
    removed: after.record[field] === undefined ? [] : from.filter((member) => !to.includes(member)),
  };
}

/** The people added to and removed from a field of ids, with their names as far as the record has them. */
export function movedPeople(transition: Transition, field: string, names: string) {
  const { added, removed } = moved(transition, field);
  const named = moved(transition, names);
  const { before, after } = transition;
  return {
    added,
    removed,
    addedNames: matchNames(added, named.added, [after.record[field], after.record[names]]),
    removedNames: matchNames(removed, named.removed, [before?.record[field], before?.record[names]]),
  };
}

/**
 * The names that came or went are those of the ids, unless someone was renamed or has a namesake. Then both lists of the record
 * are read in parallel, unless a name with a comma makes them differ in length.
 */
function matchNames(
  ids: readonly string[],
  movedNames: string[],
  [allIds, allNames]: readonly [Value | undefined, Value | undefined],
): string[] {
  if (movedNames.length === ids.length) return movedNames;
  const [list, names] = [listOf(allIds), listOf(allNames)];
  return list.length === names.length ? ids.flatMap((id) => names[list.indexOf(id)] ?? []) : [];
}

export function listOf(value: Value | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** How much a number increased; 0 if unknown. Rounded to cents and hundredths of hours, to hide floating-point noise. */
export function grownBy({ before, after }: Transition, field: string): number {
  const from = before?.record[field];
  const to = after.record[field];
  if (typeof to !== 'number') return 0;
  if (before !== null && typeof from !== 'number') return 0;
  return Math.round((to - (typeof from === 'number' ? from : 0)) * 100) / 100;
}

export function numberOf(record: Fields | undefined, field: string): number | null {
  const value = record?.[field];
  return typeof value === 'number' ? value : null;
}

export function textField(record: Fields, field: string): string | null {
  const value = record[field];
  return typeof value === 'string' && value !== '' ? value : null;
}

export function dayOf(record: Fields | undefined, field: string): string | null {
  const value = record?.[field];
  return isDay(value) ? value : null;
}

/** `1,200.50` */
export function amount(value: number | null): string {
  return (value ?? 0).toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** ` (Website relaunch, Northwind Traders)`: as much of it as the record has. */
export function placeOf(record: Fields): string {
  const names = ['project', 'client'].flatMap((field) => textField(record, field) ?? []);
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

/** `Ann, Ben and Zoë` */
export function joinNames(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The people of a field of ids, by the names beside it: `Ann and Ben`, or `2 people` if the names are unknown. */
export function sayPeople(record: Fields, field: string, names: string): string {
  const ids = typeof record[field] === 'string' ? [record[field]] : listOf(record[field]);
  const text = textField(record, names);
  const known = text === null ? listOf(record[names]) : [text];
  if (known.length === 0) return ids.length === 0 ? 'no one' : ids.length === 1 ? 'someone' : `${ids.length} people`;
  return joinNames(known);
}

/** `Ann and 1 more`: the API names the first manager only. With a comma it may be all of them. */
export function sayManagers(record: Fields): string {
  const said = sayPeople(record, 'managerid', 'manager');
  const others = listOf(record.managerid).length - 1;
  const isComplete = record.managers !== undefined || record.manager == null || said.includes(',');
  return isComplete || others < 1 ? said : `${said} and ${others} more`;
}
