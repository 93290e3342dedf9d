/**
 * The expense resource. Its filters and roles are the spec's; its fields, which the spec does not show, follow from what it filters and sorts by.
 * Only the table; the rules implement writes.
 */
import type { Data } from '../account/data.ts';
import type { ExpenseRow } from '../account/records.ts';
import { ADMINISTRATORS, amount, day, flag, number, STAFF, text } from './fields.ts';
import { anyOf, onDay, onOrAfter, onOrBefore } from './filters.ts';
import type { Resource, Role } from './resource.ts';

const READERS: readonly Role[] = ['Administrator', 'Manager', 'Executive'];
const project = (e: ExpenseRow, data: Data) => data.project.get(e.projectid);
const client = (e: ExpenseRow, data: Data) => data.clientOf(e.projectid);

export const expense: Resource<ExpenseRow> = {
  name: 'expense',
  rows: (data) => data.expense,
  access: { list: READERS, member: READERS, create: STAFF, update: STAFF, remove: ADMINISTRATORS },
  fields: [
    number('id', (e) => e.id),
    number('projectid', (e) => e.projectid),
    text('project', (e, data) => project(e, data)?.name),
    number('clientid', (e, data) => client(e, data)?.id),
    text('client', (e, data) => client(e, data)?.name),
    number('personid', (e) => e.personid),
    text('person', (e, data) => data.name(e.personid)),
    day('date', (e) => e.date),
    text('expense', (e) => e.expense),
    amount('fee', (e) => e.fee),
    text('note', (e) => e.note, { blank: '' }),
    flag('billable', (e) => e.billable),
  ],
  settable: [
    { name: 'projectid', type: 'integer', required: true, refers: 'project' },
    { name: 'personid', type: 'integer', refers: 'person' },
    { name: 'date', type: 'date', required: true },
    { name: 'expense', type: 'string', required: true, max: 255 },
    { name: 'fee', type: 'double', required: true },
    { name: 'note', type: 'string' },
    { name: 'billable', type: 'boolean', default: 't' },
  ],
  filters: [
    anyOf('projectid', (e) => e.projectid),
    anyOf('personid', (e) => e.personid),
    anyOf('clientid', (e, data) => client(e, data)?.id ?? null),
    anyOf('managerid', (e, data) => project(e, data)?.managers ?? []),
    onOrAfter('datebegin', (e) => e.date),
    onOrBefore('dateend', (e) => e.date),
    onDay('date', (e) => e.date),
  ],
  sorts: {
    id: (e) => e.id,
    projectid: (e) => e.projectid,
    date: (e) => e.date,
    expense: (e) => e.expense,
    fee: (e) => e.fee,
    note: (e) => e.note,
    personid: (e) => e.personid,
    project: (e, data) => project(e, data)?.name ?? null,
    client: (e, data) => client(e, data)?.name ?? null,
    person: (e, data) => data.name(e.personid),
  },
};
