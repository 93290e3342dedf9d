/** The catalogue of what can happen to a task. */

import type { EventType } from './event-type.ts';

export const taskEvents: readonly EventType[] = [
  {
    type: 'task.created',
    meaning: 'A task appeared that was not there at the last look.',
    fires: ({ before }) => before === null,
  },
  {
    type: 'task.closed',
    meaning: 'A task was closed: it got a closing date or a status that counts as closed.',
    // A task created and closed between two looks is both: a terminal fact is never swallowed.
    fires: ({ before, after }) => after.stage.closed === true && before?.stage.closed !== true,
  },
];
