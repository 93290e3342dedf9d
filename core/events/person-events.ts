/** The catalogue of what can happen to a person. */

import type { EventType } from './event-type.ts';
import { changes, textField } from './facts.ts';
import { activeEvents, createdEvent, laterEvents, nameOf } from './life-events.ts';

export const personEvents: readonly EventType[] = [
  createdEvent('person'),
  ...activeEvents('person'),
  {
    type: 'person.group_changed',
    meaning: 'A person has another role.',
    when: 'Fires when the group is another one. Not when a group is renamed.',
    urgency: 'plain',
    fires: changes('groupid'),
    say: ({ record }) => `${nameOf('person', record)} is now ${textField(record, 'group') ?? 'in no group'}`,
    example: { before: { groupid: '2', group: 'Manager' }, after: {} },
  },
  ...laterEvents('person'),
];
