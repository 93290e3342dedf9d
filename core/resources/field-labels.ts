/** What people call a field of a record. */

const LABELS: Readonly<Record<string, string>> = {
  actual: 'Hours logged',
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

const MAX_LABEL_LENGTH = 40;

/** A field without a label of its own is called by its name: `second_tax` → `Second tax`. */
export function labelOf(field: string): string {
  if (Object.hasOwn(LABELS, field)) return LABELS[field] ?? field;
  const label = field.slice(0, MAX_LABEL_LENGTH).replaceAll('_', ' ').toWellFormed();
  return `${label.slice(0, 1).toUpperCase()}${label.slice(1)}`.toWellFormed() || 'Field';
}
