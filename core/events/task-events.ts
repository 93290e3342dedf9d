/** The catalogue of what can happen to a task. */

import type { Fields } from '../model/record.ts';
import type { EventType } from './event-type.ts';

export const taskEvents: readonly EventType[] = [
  {
    type: 'task.created',
    meaning: 'A task appeared that was not there at the last look.',
    fires: ({ before }) => before === null,
    say: (record) => `${titleOf(record)} was created${placeOf(record)}`,
  },
  {
    type: 'task.closed',
    meaning: 'A task was closed: it got a closing date or a status that counts as closed.',
    // A task created and closed between two looks is both: a terminal fact is never swallowed.
    fires: ({ before, after }) => after.stage.closed === true && before?.stage.closed !== true,
    say: (record) => `${titleOf(record)} was closed${placeOf(record)}`,
  },
];

function titleOf({ title, id }: Fields): string {
  return typeof title === 'string' ? `“${title}”` : `Task ${String(id)}`;
}

/** ` in Website relaunch for Northwind`: as much of it as the record tells. */
function placeOf({ project, client }: Fields): string {
  const inProject = typeof project === 'string' ? ` in ${project}` : '';
  return typeof client === 'string' ? `${inProject} for ${client}` : inProject;
}
