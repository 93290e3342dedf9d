/** Finds the people who should act on an event, and the names of those who work on its record. */

import { listOf } from '../events/facts.ts';
import { sourceName, type TidingsEvent } from '../model/event.ts';
import type { Fields, Value } from '../model/record.ts';
import type { ChatPerson, KnownPerson } from '../ports/channel.ts';

/** People by id, and the names that the event has for them. */
interface FoundPeople {
  readonly ids: readonly string[];
  readonly names: readonly string[];
}

type FindPeople = (record: Fields, details: Fields) => FoundPeople;

const assignees: FindPeople = (record) => ({ ids: listOf(record.assigneeid), names: listOf(record.assignees) });
const owners: FindPeople = (record) => ({ ids: listOf(record.ownerid), names: listOf(record.owners) });
const workers: FindPeople = (record, details) => {
  const found = assignees(record, details);
  const isAssigned = found.names.length > 0 || (record.assignees === undefined && found.ids.length > 0);
  return isAssigned ? found : owners(record, details);
};
/** Those who were added. A person who has left the task has nothing to do. */
const newcomers =
  (field: 'assigneeid' | 'ownerid'): FindPeople =>
  ({ [field]: present }, { added, addedNames }) => {
    const ids = listOf(added);
    if (!Array.isArray(present)) return { ids, names: listOf(addedNames) };
    const current = listOf(present);
    const left = ids.filter((id) => current.includes(id));
    return { ids: left, names: ids.length > 0 && left.length === 0 ? [] : listOf(addedNames) };
  };
/** Without their names by id: a text may have several names with commas, or one name with a comma. Returns it and its parts. */
const managers: FindPeople = ({ managers: names, manager, managerid }) => ({
  ids: typeof managerid === 'string' ? [managerid] : listOf(managerid),
  names: names === undefined ? namesInText(manager) : listOf(names),
});

const namesInText = (text: Value | undefined) => (typeof text === 'string' ? [text, ...text.split(',')] : listOf(text));

const CONCERNED: Readonly<Record<string, FindPeople>> = {
  'task.assigned': newcomers('assigneeid'),
  'task.owner_changed': newcomers('ownerid'),
  'task.reopened': workers,
  'task.due_soon': workers,
  'task.overdue': workers,
  'task.over_estimate': owners,
  'task.stale': workers,
  'project.manager_changed': managers,
  'project.ending_soon': managers,
  'project.past_end': managers,
};

/**
 * Most events only inform, and concern no one.
 *
 * @param known the people of the account, whom their ids find. @default - none: people have the names of the event only
 */
export function findPeopleConcerned(event: TidingsEvent, known: readonly KnownPerson[] = []): readonly ChatPerson[] {
  const { record, details = {} } = event.data;
  const { ids, names } = CONCERNED[event.type]?.(record, details) ?? { ids: [], names: [] };
  const source = sourceName(event);
  const byId = new Map(known.map((one) => [one.person, one]));
  const found = ids.flatMap((id) => byId.get(`${source}/${id}`) ?? []);
  if (ids.length > 0 && found.length === ids.length) return found;
  // The names do not say whose they are: those of the people found by id are left out, each once.
  const rest = [...names];
  for (const { name } of found) if (rest.includes(name)) rest.splice(rest.indexOf(name), 1);
  return [...found, ...rest.map((name) => ({ name, address: null }))];
}

/** A person who works on a record. */
export interface Worker {
  /** `main/5`. Undefined if the record does not say whose name it is. */
  readonly person: string | undefined;
  readonly name: string;
}

/** The people who work on the record; undefined if it has no such field, or the token's role hides it. */
export function findWorkers(event: TidingsEvent): readonly Worker[] | undefined {
  const { subject, data } = event;
  const { assigneeid, assignees, managerid, managers, manager } = data.record;
  const source = sourceName(event);
  if (subject.startsWith('task/'))
    return assignees === undefined ? undefined : nameWorkers(source, assigneeid, assignees);
  if (!subject.startsWith('project/')) return undefined;
  if (managers !== undefined) return nameWorkers(source, managerid, managers);
  return typeof manager === 'string' && manager !== '' ? [{ person: undefined, name: manager }] : undefined;
}

/** Lists of different lengths do not say whose name is whose: a name may contain a comma. */
function nameWorkers(source: string, ids: Value | undefined, names: Value): readonly Worker[] {
  const [people, spelled] = [typeof ids === 'string' ? [ids] : listOf(ids), listOf(names)];
  const isParallel = people.length === spelled.length;
  return spelled.map((name, at) => ({ person: isParallel ? `${source}/${people[at]}` : undefined, name }));
}
