/** The event types of people. */

import type { EventType } from './event-type.ts';
import { onChangeOf, textField } from './facts.ts';
import { activeEvents, createdEvent, laterEvents, nameOf } from './life-events.ts';
import { countOf } from './phrases.ts';

const hasRole = (role: string | null) => (role === null ? 'no role' : `the role ${role}`);

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
    say: ({ record }) => `${nameOf('person', record)} now has ${hasRole(textField(record, 'group'))}`,
    sayMany: (count) => `role changed for ${countOf(count, 'person')}`,
    example: { before: { groupid: '2', group: 'Manager' }, after: {} },
  },
  ...laterEvents('person'),
];
