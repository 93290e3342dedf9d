/** The event types of people. */

import type { EventType } from './event-type.ts';
import { changes, textField } from './facts.ts';
import { activeEvents, createdEvent, laterEvents, nameOf } from './life-events.ts';

export const personEvents: readonly EventType[] = [
  createdEvent('person'),
  ...activeEvents('person'),
  {
    type: 'person.group_changed',
    meaning: 'The group of a person changed.',
    when: 'Fires when the group, which is the person’s role in the account, changes. Does not fire when a group is renamed.',
    urgency: 'plain',
    fires: changes('groupid'),
    say: ({ record }) => `${nameOf('person', record)} is now ${textField(record, 'group') ?? 'in no group'}`,
    example: { before: { groupid: '2', group: 'Manager' }, after: {} },
  },
  ...laterEvents('person'),
];
