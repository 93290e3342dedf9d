/** What people call a field of a record: as the label of a value, and as a noun in a sentence. */

import { BEYOND_MODEL } from './field-role.ts';

const LABELS: Readonly<Record<string, string>> = {
  actual: 'Total logged',
  assigneeid: 'Assigned to',
  assignees: 'Assigned to',
  balance: 'Left to pay',
  clientid: 'Client',
  date: 'Date',
  dateclosed: 'Closed on',
  datedue: 'Due',
  dateend: 'End',
  dateopen: 'Start',
  datepaid: 'Paid on',
  datestart: 'Start',
  failingSince: 'Failing since',
  firstname: 'First name',
  followerid: 'Followers',
  group: 'Role',
  groupid: 'Role',
  labelid: 'Label',
  lastname: 'Last name',
  managerid: 'Manager',
  milestoneid: 'Milestone',
  moduleid: 'Module',
  ownerid: 'Owned by',
  owners: 'Owned by',
  payments: 'Paid so far',
  personid: 'Person',
  priorityid: 'Priority',
  projectid: 'Project',
  severity: 'Priority',
  statusid: 'Status',
  summary: 'Description',
  taxamount: 'Tax amount',
  term: 'Terms',
  termid: 'Terms',
};

/** Fields whose label is no noun: `Due` fits `Due: Fri 20 Nov`, but not `The task was updated: due`. */
const NOUNS: Readonly<Record<string, string>> = {
  actual: 'hours logged',
  assigneeid: 'assignees',
  assignees: 'assignees',
  balance: 'balance',
  billable: 'billable hours',
  dateclosed: 'closing date',
  datedue: 'due date',
  dateend: 'end date',
  dateopen: 'start date',
  datepaid: 'payment date',
  datestart: 'start date',
  ownerid: 'owners',
  owners: 'owners',
  payments: 'payments',
  unbillable: 'unbillable hours',
};

const MAX_LABEL_LENGTH = 40;

/** A field without a label of its own is called by its name: `second_tax` → `Second tax`, `x_trackerid` → `Tracker`. */
export function labelOf(field: string): string {
  if (Object.hasOwn(LABELS, field)) return LABELS[field] ?? field;
  const name = field.startsWith(BEYOND_MODEL) ? field.slice(BEYOND_MODEL.length).replace(/id$/, '') : field;
  const label = name.slice(0, MAX_LABEL_LENGTH).replaceAll('_', ' ').toWellFormed();
  return `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`.toWellFormed() || 'Field';
}

/** In a sentence: `due date`. */
export function nounOfField(field: string): string {
  return (Object.hasOwn(NOUNS, field) ? NOUNS[field] : undefined) ?? labelOf(field).toLowerCase();
}
