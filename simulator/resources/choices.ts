/**
 * The account's own lists: groups, statuses, priorities, terms, modules, labels and types.
 * The spec names them without fields, so each has a small plausible set: id, name, order and meaning.
 */
import type { Data } from '../account/data.ts';
import type { ChoiceRow } from '../account/records.ts';
import type { Table } from '../account/table.ts';
import { ADMINISTRATORS, ALL_ROLES, amount, code, flag, number, text } from './fields.ts';
import { anyOf, flagIs } from './filters.ts';
import type { Field, Resource } from './resource.ts';

type ChoiceName =
  | 'contactdescriptor'
  | 'contacttype'
  | 'group'
  | 'invoiceterm'
  | 'module'
  | 'paymenttype'
  | 'projectlabel'
  | 'taskpriority'
  | 'taskstatus'
  | 'worktype';

interface ChoiceOptions {
  /** Field that holds the name. @default 'name' */
  named?: string;
  more?: readonly Field<ChoiceRow>[];
  /** Has no path for single records. */
  listOnly?: boolean;
}

function choices(name: ChoiceName, options: ChoiceOptions = {}): Resource<ChoiceRow> {
  return {
    name,
    rows: (data: Data): Table<ChoiceRow> => data[name],
    access: {
      list: ALL_ROLES,
      member: options.listOnly === true ? [] : ALL_ROLES,
      create: [],
      update: [],
      remove: [],
    },
    fields: [
      number('id', (row) => row.id),
      text(options.named ?? 'name', (row) => row.name),
      number('order', (row) => row.order),
      flag('active', (row) => row.active),
      ...(options.more ?? []),
    ],
    // The API cannot change these; the control API can rename one.
    settable: [
      { name: 'name', type: 'string', required: true, max: 255 },
      { name: 'active', type: 'boolean', default: 't' },
    ],
    filters: [flagIs('active', (row) => row.active)],
    sorts: { id: (row) => row.id, [options.named ?? 'name']: (row) => row.name, order: (row) => row.order },
  };
}

export const contacttype = choices('contacttype', { listOnly: true });
export const contactdescriptor: Resource<ChoiceRow> = {
  ...choices('contactdescriptor', { listOnly: true, more: [number('contacttypeid', (row) => row.value)] }),
  filters: [anyOf('contacttypeid', (row) => row.value)],
  needs: 'contacttypeid',
  sorts: {},
};
export const group: Resource<ChoiceRow> = { ...choices('group'), filters: [], sorts: {} };
export const invoiceterm = choices('invoiceterm', { named: 'term', more: [number('days', (row) => row.value)] });
export const module = choices('module');
export const paymenttype = choices('paymenttype');
export const projectlabel = choices('projectlabel', { named: 'label', more: [code('color', (row) => row.color)] });
export const taskpriority = choices('taskpriority', {
  more: [number('priority', (row) => row.order), code('color', (row) => row.color)],
});
export const taskstatus = choices('taskstatus', { more: [flag('closed', (row) => row.value === 1)] });
export const worktype = choices('worktype', {
  more: [amount('hourlyrate', (row) => row.value, { seenBy: ADMINISTRATORS })],
});
