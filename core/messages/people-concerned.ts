/** The people an event asks to do something, by name. Most events only inform, and concern no one in this sense. */

import { listOf } from '../events/facts.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Fields } from '../model/record.ts';

type FindPeople = (record: Fields, details: Fields) => readonly string[];

const workers: FindPeople = (record) =>
  listOf(record.assignees).length > 0 ? listOf(record.assignees) : listOf(record.owners);
const newcomers: FindPeople = (_, details) => listOf(details.addedNames);
/** A name may contain a comma: the whole text is tried as well as its parts. */
const managers: FindPeople = ({ manager }) =>
  typeof manager === 'string' ? [manager, ...manager.split(',')] : listOf(manager);

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

export function findPeopleConcerned({ type, data: { record, details = {} } }: TidingsEvent): readonly string[] {
  return CONCERNED[type]?.(record, details) ?? [];
}
