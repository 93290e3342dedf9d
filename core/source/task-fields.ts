/** The fields of a task, as the API documents them, with the role each plays in comparing. */

import type { FieldTable } from '../snapshot/compare.ts';

export const taskFields: FieldTable = {
  id: { type: 'id', role: 'watched' },
  localid: { type: 'text', role: 'watched' },
  queueid: { type: 'id', role: 'watched' },
  title: { type: 'text', role: 'watched' },
  summary: { type: 'html', role: 'watched' },
  statusid: { type: 'id', role: 'watched' },
  projectid: { type: 'id', role: 'watched' },
  moduleid: { type: 'id', role: 'watched' },
  milestoneid: { type: 'id', role: 'watched' },
  priorityid: { type: 'id', role: 'watched' },
  assigneeid: { type: 'ids', role: 'watched' },
  followerid: { type: 'ids', role: 'watched' },
  ownerid: { type: 'ids', role: 'watched' },
  dateopen: { type: 'date', role: 'watched' },
  datedue: { type: 'date', role: 'watched' },
  dateclosed: { type: 'date', role: 'watched' },
  datecreated: { type: 'date', role: 'watched' },
  estimate: { type: 'number', role: 'watched' },
  billable: { type: 'number', role: 'watched' },
  unbillable: { type: 'number', role: 'watched' },
  actual: { type: 'number', role: 'watched' },

  // Names and colours of other records: the ids above say when something really moved.
  status: { type: 'text', role: 'label' },
  status_order: { type: 'number', role: 'label' },
  project: { type: 'text', role: 'label' },
  projectlocalid: { type: 'text', role: 'label' },
  projectlabel: { type: 'text', role: 'label' },
  projectlabelid: { type: 'id', role: 'label' },
  projectlabel_order: { type: 'number', role: 'label' },
  clientid: { type: 'id', role: 'label' },
  clientlocalid: { type: 'text', role: 'label' },
  client: { type: 'text', role: 'label' },
  milestone: { type: 'text', role: 'label' },
  module: { type: 'text', role: 'label' },
  priority: { type: 'number', role: 'label' },
  severity: { type: 'text', role: 'label' },
  color: { type: 'text', role: 'label' },
  assignees: { type: 'names', role: 'label' },
  followers: { type: 'names', role: 'label' },
  owners: { type: 'names', role: 'label' },

  // Says that something changed, never what.
  datemodified: { type: 'datetime', role: 'volatile' },
};
