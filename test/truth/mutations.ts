/**
 * Defects of the product that a truth run must find: the run `year` is repeated with each of them, and must fail. A run that
 * passes with a defect proves nothing about it.
 */

import type { RareActionName } from './rare-actions.ts';
import type { YearReport } from './year.ts';

export interface Mutation {
  readonly name: string;
  /** The file of the product, and the text in it that is replaced. It occurs once. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What must be found. */
  readonly finds: readonly (keyof YearReport)[];
  /** Faults of the run that show the defect. @default - none */
  readonly faults?: readonly string[];
  /** Minutes between two actions of people. Each edit proves that the rows of its response are up to date. @default 45 */
  readonly lifePace?: number;
  /** The rare actions that show it. */
  readonly actions: readonly RareActionName[];
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'rows of a lagging replica count',
    file: 'core/source/scan/replica-lag.ts',
    find: 'if (row === undefined || stored === undefined || row >= stored) return false;',
    replace: 'return false;',
    actions: ['backdate'],
    finds: ['surplus'],
    faults: ['replicas lag by seconds'],
  },
  {
    name: 'a date that goes back is ignored for a day',
    file: 'core/source/scan/replica-lag.ts',
    find: 'if (lastEdit !== null && lastEdit > plus(known, EDIT_ORDER_MARGIN)) return false;',
    replace: '',
    actions: ['backdate'],
    finds: ['missing'],
  },
  {
    name: 'a task whose date went back is not confirmed when it is due',
    file: 'core/source/scan/commit-rows.ts',
    find: 'return before !== undefined && confirmsDue(record, before, batch.now) ? record.id : [];',
    replace: 'return before !== undefined && confirmsDue(record, before, batch.now) ? [] : [];',
    actions: ['fallDue'],
    lifePace: 3_000,
    finds: ['missing', 'lateEvents', 'scanGaps'],
  },
  {
    name: 'the new name of a person is a change of their tasks',
    file: 'core/resources/task.ts',
    find: "assignees: { type: 'names', role: 'label'",
    replace: "assignees: { type: 'names', role: 'watched'",
    actions: ['renamePerson'],
    finds: ['surplus'],
  },
  {
    name: 'the new name of a client is a change of its projects',
    file: 'core/resources/project.ts',
    find: "client: { type: 'text', role: 'label'",
    replace: "client: { type: 'text', role: 'watched'",
    actions: ['moveProject'],
    finds: ['surplus'],
  },
  {
    name: 'tasks of a project that moved to another client are not read again',
    file: 'core/source/scan/commit-rows.ts',
    find: 'if (moved.length > 0) await context.rereadTasks?.(moved);',
    replace: '',
    actions: ['moveProject'],
    finds: ['wrongClients'],
  },
];
