/** The details of events about people who were added to a task or removed from it, and what of them is still true later. */

import type { Fields } from '../model/record.ts';
import type { EventType } from './event-type.ts';
import { listOf, movedPeople } from './facts.ts';

const ids = { type: 'array', items: { type: 'string' } } as const;

/** The people added to and removed from a field, by id and, where the record has names, by name. */
export function detailPeople(field: string, names: string): NonNullable<EventType['details']> {
  return {
    properties: { added: ids, removed: ids, addedNames: ids, removedNames: ids },
    of: (transition) => movedPeople(transition, field, names),
    now: (details, { [field]: present }) => (Array.isArray(present) ? keepPeople(details, listOf(present)) : details),
  };
}

/** Those of the added people who are there now, and of the removed ones who are not. */
function keepPeople(details: Fields, present: readonly string[]): Fields {
  return {
    ...details,
    ...keepNamed(details, 'added', (id) => present.includes(id)),
    ...keepNamed(details, 'removed', (id) => !present.includes(id)),
  };
}

function keepNamed(details: Fields, field: string, isKept: (id: string) => boolean): Fields {
  const [ids, names] = [listOf(details[field]), listOf(details[`${field}Names`])];
  const kept = ids.filter(isKept);
  if (kept.length === ids.length) return {};
  // Names that are not beside their ids do not say who was left out.
  const isBeside = names.length === ids.length;
  return { [field]: kept, [`${field}Names`]: isBeside ? names.filter((_, at) => isKept(ids[at] ?? '')) : [] };
}

/** Whether there were such people, and it is true of none of them any more. */
export const isEveryoneBack =
  (of: 'added' | 'removed'): NonNullable<EventType['undone']> =>
  ({ record: { assigneeid: present } }, { data: { details = {} } }) =>
    Array.isArray(present) &&
    listOf(details[of]).length > 0 &&
    listOf(keepPeople(details, listOf(present))[of]).length === 0;
