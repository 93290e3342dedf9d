/** How tasks are stored: in columns, with lists and texts as numbers. */

import type { InternedLists, PhrasedTexts } from './interned.ts';

/** Stands for null in a column of days. */
export const NO_DAY = -0x8000_0000;

/** One typed array per value; 0 stands for null in a column of ids. */
export function emptyColumns(size: number) {
  return {
    localid: new Uint32Array(size),
    queueid: new Uint32Array(size),
    assignees: new Uint32Array(size),
    followers: new Uint32Array(size),
    owners: new Uint32Array(size),
    statusid: new Uint16Array(size),
    projectid: new Uint32Array(size),
    moduleid: new Uint16Array(size),
    milestoneid: new Uint32Array(size),
    priorityid: new Uint16Array(size),
    title: new Uint32Array(size),
    summary: new Uint32Array(size),
    dateopen: new Int32Array(size),
    datedue: new Int32Array(size),
    dateclosed: new Int32Array(size),
    datecreated: new Int32Array(size),
    estimate: new Uint32Array(size),
    billable: new Uint32Array(size),
    unbillable: new Uint32Array(size),
    modified: new Uint32Array(size),
  };
}

/** What a view of one task reads and changes. */
export interface StoredTasks {
  readonly columns: ReturnType<typeof emptyColumns>;
  readonly lists: InternedLists;
  readonly titles: PhrasedTexts;
  readonly summaries: PhrasedTexts;
}
