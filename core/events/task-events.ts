/** The catalogue of what can happen to a task. */

import type { EventType } from './event-type.ts';
import { lifeEvents, placeOf } from './life-events.ts';

const [created, ...others] = lifeEvents('task');

export const taskEvents: readonly EventType[] = [
  ...(created === undefined ? [] : [created]),
  {
    type: 'task.closed',
    meaning: 'A task was closed: it got a closing date or a status that counts as closed.',
    // A task created and closed between two looks is both: a terminal fact is never swallowed.
    fires: ({ before, after }) =>
      after.deletedAt === null && after.stage.closed === true && before?.stage.closed !== true,
    say: (record) => `Task “${String(record.title ?? record.id)}” was closed${placeOf(record)}`,
  },
  // What it means comes first, that something changed last.
  ...others,
];
