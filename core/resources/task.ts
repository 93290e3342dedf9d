/** The fields of a task, in the order of the API's documentation. Event types are defined in core/events. */

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

  // It also changes for reasons that the API does not show, so it causes no events. Kept up to date, because a recently
  // modified task is not stale.
  datemodified: { type: 'datetime', role: 'label' },

  // Names, ranks and colours of other records. The ids show when the task itself changed.
  color: { type: 'text', role: 'label' },
  priority: { type: 'number', role: 'label' },
  severity: { type: 'text', role: 'label' },
  status: { type: 'text', role: 'label' },
  status_order: { type: 'number', role: 'label' },
  project: { type: 'text', role: 'label' },
  // The client belongs to the project: a new client causes one event of the project.
  clientid: { type: 'id', role: 'label', nullable: true },
  clientlocalid: { type: 'text', role: 'label', nullable: true },
  client: { type: 'text', role: 'label', nullable: true },
  milestoneid: { type: 'id', role: 'watched', nullable: true },
  milestone: { type: 'text', role: 'label', nullable: true },
  module: { type: 'text', role: 'label' },
  projectlocalid: { type: 'text', role: 'label' },

  // Names of people, which belong to the person records.
  assignees: { type: 'names', role: 'label', nullable: true, hiddenFor: NOT_EXECUTIVES },
  followers: { type: 'names', role: 'label', nullable: true, hiddenFor: NOT_EXECUTIVES },
  followerid: { type: 'ids', role: 'watched', nullable: true, hiddenFor: NOT_EXECUTIVES },
  owners: { type: 'names', role: 'label', hiddenFor: NOT_EXECUTIVES },

  // Logged hours. They change only when people log time, so they are watched.
  billable: { type: 'decimal', role: 'watched' },
  unbillable: { type: 'decimal', role: 'watched' },
  actual: { type: 'decimal', role: 'watched' },
  datecreated: { type: 'date', role: 'watched' },

  // The label of the project.
  projectlabel: { type: 'text', role: 'label', nullable: true },
  projectlabel_order: { type: 'number', role: 'label', nullable: true },
  projectlabelid: { type: 'id', role: 'label', nullable: true },
} as const satisfies FieldTable;

export const task = {
  name: 'task',
  fields,
  unknown: 'carry',
  title: titleFrom('task', 'title'),
} as const satisfies Resource;
