/**
 * Finds the ids of the people whom a personal subscription sends an event to. Ids only: the address of a person is looked up
 * when a message is sent.
 */

import { listOf } from '../events/facts.ts';
import { sourceName, type TidingsEvent } from '../model/event.ts';
import type { Fields } from '../model/record.ts';
import type { PersonRole } from '../model/subscription.ts';
import type { PersonalTarget } from '../ports/channel.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';

export interface ConcernedPorts {
  readonly snapshots: Pick<SnapshotStore, 'getMany'>;
}

type PeopleChange = 'added' | 'removed';

/** The events about a change of people concern those who were added or removed. */
const CHANGED_PEOPLE: Readonly<Partial<Record<PersonRole, Readonly<Record<string, readonly PeopleChange[]>>>>> = {
  assignees: { 'task.assigned': ['added'], 'task.unassigned': ['removed'] },
  owners: { 'task.owner_changed': ['added', 'removed'] },
  followers: { 'task.followers_changed': ['added', 'removed'] },
};

/** The field with the ids of the people in a role. */
export const PERSON_FIELDS: Readonly<Record<Exclude<PersonRole, 'projectmanager'>, string>> = {
  assignees: 'assigneeid',
  owners: 'ownerid',
  followers: 'followerid',
};

/**
 * `main/5` for each person; if the event concerns no one, `main/` for the fallback, or none without one. Reads the project
 * of a record for its managers, once for each project.
 */
export function createPeopleLookup(
  ports: ConcernedPorts,
): (target: PersonalTarget, event: TidingsEvent) => Promise<readonly string[]> {
  const managers = new Map<string, Promise<readonly string[]>>();
  const managersOf = (source: string, project: string) => {
    const ids = managers.get(`${source}/${project}`) ?? readManagers(ports, source, project);
    managers.set(`${source}/${project}`, ids);
    return ids;
  };
  return async ({ role, fallback }, event) => {
    const source = sourceName(event);
    const ids = role === 'projectmanager' ? await findManagers(event, managersOf) : findByField(role, event);
    const unique = [...new Set(ids)].filter((id) => id !== '');
    if (unique.length === 0) return fallback === undefined ? [] : [noOneOf(event)];
    return unique.map((id) => `${source}/${id}`);
  };
}

/** The reader of what concerns no one: `main/`. */
export const noOneOf = (event: TidingsEvent) => `${sourceName(event)}/`;

function findByField(role: Exclude<PersonRole, 'projectmanager'>, { type, data }: TidingsEvent): readonly string[] {
  const { record, details = {} } = data;
  const changed = CHANGED_PEOPLE[role]?.[type];
  return changed === undefined
    ? listOf(record[PERSON_FIELDS[role]])
    : changed.flatMap((field) => listOf(details[field]));
}

/**
 * Whether a change of people that concerned this person has been undone since: who was added is not there any more, or who was
 * removed is there again. False for other events, and if the people are unknown.
 *
 * @param event with the present record
 */
export function isUndone(role: PersonRole, { type, data }: TidingsEvent, person: string): boolean {
  const changed = CHANGED_PEOPLE[role]?.[type];
  const present = role === 'projectmanager' ? undefined : data.record[PERSON_FIELDS[role]];
  if (changed === undefined || !Array.isArray(present)) return false;
  const id = person.slice(person.indexOf('/') + 1);
  const isThere = listOf(present).includes(id);
  const own = changed.filter((field) => listOf(data.details?.[field]).includes(id));
  return own.length > 0 && own.every((field) => isThere !== (field === 'added'));
}

async function findManagers(
  event: TidingsEvent,
  managersOf: (source: string, project: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { record } = event.data;
  if (event.subject.startsWith('project/')) return idsOfManagers(record);
  const { projectid } = record;
  const project = typeof projectid === 'string' ? projectid : undefined;
  return project === undefined ? [] : managersOf(sourceName(event), project);
}

async function readManagers({ snapshots }: ConcernedPorts, source: string, id: string): Promise<readonly string[]> {
  const project = (await snapshots.getMany(source, 'project', [id])).get(id);
  return project === undefined ? [] : idsOfManagers(project.record);
}

const idsOfManagers = ({ managerid }: Fields) =>
  typeof managerid === 'string' ? [managerid] : listOf(managerid ?? null);
