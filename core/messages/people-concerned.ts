/** Finds the names of the people who should act on an event, and of those who work on its record. */

import { listOf } from '../events/facts.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Fields } from '../model/record.ts';

type FindPeople = (record: Fields, details: Fields) => readonly string[];

const workers: FindPeople = (record) =>
  listOf(record.assignees).length > 0 ? listOf(record.assignees) : listOf(record.owners);
const newcomers: FindPeople = (_, details) => listOf(details.addedNames);
/** Without their names by id: a text may have several names with commas, or one name with a comma. Returns it and its parts. */
const managers: FindPeople = ({ managers: names, manager }) => {
  if (names !== undefined) return listOf(names);
  return typeof manager === 'string' ? [manager, ...manager.split(',')] : listOf(manager);
};

const CONCERNED: Readonly<Record<string, FindPeople>> = {
  'task.assigned': newcomers,
  'task.owner_changed': newcomers,
  'task.reopened': workers,
  'task.due_soon': workers,
  'task.overdue': workers,
  'task.over_estimate': (record) => listOf(record.owners),
  'task.stale': workers,
  'project.manager_changed': managers,
  'project.ending_soon': managers,
  'project.past_end': managers,
};

/** Most events only inform, and concern no one. */
export function findPeopleConcerned({ type, data: { record, details = {} } }: TidingsEvent): readonly string[] {
  return CONCERNED[type]?.(record, details) ?? [];
}

/** The names of the people who work on the record; undefined if it has no such field, or the token's role hides it. */
export function findWorkers({ subject, data: { record } }: TidingsEvent): readonly string[] | undefined {
  if (subject.startsWith('task/')) return record.assignees === undefined ? undefined : listOf(record.assignees);
  if (subject.startsWith('project/') && record.managers !== undefined) return listOf(record.managers);
  if (subject.startsWith('project/') && typeof record.manager === 'string' && record.manager !== '')
    return [record.manager];
  return undefined;
}
