/** The event types of people. */

import type { Fields } from '../model/record.ts';
import type { EventType } from './event-type.ts';
import { onChangeOf, textField } from './facts.ts';
import { activeEvents, createdEvent, laterEvents, nameOf } from './life-events.ts';
import { countOf } from './phrases.ts';

/** The API may name no group although there is one. */
function sayRole(record: Fields): string {
  const role = textField(record, 'group');
  return role === null ? (record.groupid == null ? 'no role' : 'another role') : `the role ${role}`;
}

export const personEvents: readonly EventType[] = [
  {
    ...createdEvent('person'),
    say: ({ record }) => `${nameOf('person', record)} was added`,
    sayMany: (count) => `${countOf(count, 'person')} added`,
  },
  ...activeEvents('person'),
  {
    type: 'person.group_changed',
    meaning: 'The group of a person changed.',
    when: 'Fires when the group, which is the person’s role in the account, changes. Does not fire when a group is renamed.',
    urgency: 'plain',
    ...onChangeOf('groupid'),
    say: ({ record }) => `${nameOf('person', record)} now has ${sayRole(record)}`,
    sayMany: (count) => `role changed for ${countOf(count, 'person')}`,
    example: { before: { groupid: '2', group: 'Manager' }, after: {} },
  },
  ...laterEvents('person'),
];
