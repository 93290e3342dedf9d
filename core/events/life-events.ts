/** What can happen to a record of any resource: it comes, changes, goes and comes back. */

import type { Fields } from '../model/record.ts';
import { resourceOf } from '../resources/catalogue.ts';
import type { EventType } from './event-type.ts';

export function lifeEvents(resource: string): readonly EventType[] {
  const title = (record: Fields) =>
    `${capital(resource)} “${resourceOf(resource)?.title(record) ?? String(record.id)}”`;
  return [
    {
      type: `${resource}.created`,
      meaning: `A ${resource} appeared that was not there at the last look.`,
      fires: ({ before }) => before === null,
      say: (record) => `${title(record)} was created${placeOf(record)}`,
    },
    {
      type: `${resource}.updated`,
      meaning: `A watched field of a ${resource} changed.`,
      fires: ({ before, after }, changes) =>
        before?.deletedAt === null && after.deletedAt === null && changes.length > 0,
      say: (record) => `${title(record)} was changed${placeOf(record)}`,
    },
    {
      type: `${resource}.deleted`,
      meaning: `A ${resource} is gone: a complete sweep lacked it, and the API has no such record.`,
      fires: ({ before, after }) => before?.deletedAt === null && after.deletedAt !== null,
      say: (record) => `${title(record)} was deleted${placeOf(record)}`,
    },
    {
      type: `${resource}.restored`,
      meaning: `A ${resource} that was deleted is there again.`,
      fires: ({ before, after }) => before !== null && before.deletedAt !== null && after.deletedAt === null,
      say: (record) => `${title(record)} is back${placeOf(record)}`,
    },
  ];
}

/** ` in Website relaunch for Northwind`: as much of it as the record tells. */
export function placeOf({ project, client }: Fields): string {
  const inProject = typeof project === 'string' ? ` in ${project}` : '';
  return typeof client === 'string' ? `${inProject} for ${client}` : inProject;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
