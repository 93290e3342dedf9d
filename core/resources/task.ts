/** The fields of a task, in the order of the API's description. Says how they are read, not what a change means. */

import { type FieldTable, NOT_EXECUTIVES } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  id: { type: 'id', role: 'watched' },
  localid: { type: 'text', role: 'watched' },
  queueid: { type: 'id', role: 'watched', nullable: true },
  assigneeid: { type: 'ids', role: 'watched', nullable: true, hiddenFor: NOT_EXECUTIVES },
  statusid: { type: 'id', role: 'watched' },
  projectid: { type: 'id', role: 'watched' },
  moduleid: { type: 'id', role: 'watched' },
  title: { type: 'text', role: 'watched' },
  summary: { type: 'html', role: 'watched', nullable: true },
  dateopen: { type: 'date', role: 'watched' },
  datedue: { type: 'date', role: 'watched', nullable: true },
  dateclosed: { type: 'date', role: 'watched', nullable: true },
  estimate: { type: 'decimal', role: 'watched' },
  ownerid: { type: 'ids', role: 'watched', hiddenFor: NOT_EXECUTIVES },
  priorityid: { type: 'id', role: 'watched' },

  // Says that something changed, never what; it also moves for changes we cannot see. No news, but kept fresh: a task that
  // somebody touched is not stale.
  datemodified: { type: 'datetime', role: 'label' },

  // Names, ranks and colours of the priority, status, project, client and module: the ids tell when the task moved.
  color: { type: 'text', role: 'label' },
  priority: { type: 'number', role: 'label' },
  severity: { type: 'text', role: 'label' },
  status: { type: 'text', role: 'label' },
  status_order: { type: 'number', role: 'label' },
  project: { type: 'text', role: 'label' },
  // A task has its client through its project: another client is news of the project, once.
  clientid: { type: 'id', role: 'label', nullable: true },
  clientlocalid: { type: 'text', role: 'label', nullable: true },
  client: { type: 'text', role: 'label', nullable: true },
  milestoneid: { type: 'id', role: 'watched', nullable: true },
  milestone: { type: 'text', role: 'label', nullable: true },
  module: { type: 'text', role: 'label' },
  projectlocalid: { type: 'text', role: 'label' },

  // People's names, which change when people do.
  assignees: { type: 'names', role: 'label', nullable: true, hiddenFor: NOT_EXECUTIVES },
  followers: { type: 'names', role: 'label', nullable: true, hiddenFor: NOT_EXECUTIVES },
  followerid: { type: 'ids', role: 'watched', nullable: true, hiddenFor: NOT_EXECUTIVES },
  owners: { type: 'names', role: 'label', hiddenFor: NOT_EXECUTIVES },

  // Hours logged. They count up, but only because somebody worked: that is news.
  billable: { type: 'decimal', role: 'watched' },
  unbillable: { type: 'decimal', role: 'watched' },
  actual: { type: 'decimal', role: 'watched' },
  datecreated: { type: 'date', role: 'watched' },

  // The project's label, its place in the account's settings included.
  projectlabel: { type: 'text', role: 'label', nullable: true },
  projectlabel_order: { type: 'number', role: 'label', nullable: true },
  projectlabelid: { type: 'id', role: 'label', nullable: true },
} as const satisfies FieldTable;

export const task = {
  name: 'task',
  fields,
  unknown: 'carry',
  sortsById: true,
  modifiedSince: true,
  localIdFilter: true,
  listsAll: true,
  title: titleFrom('task', 'title'),
} as const satisfies Resource;
