/** The fields of an expense as known from its filters and sort fields. The API does not document them, so all others are watched. */

import type { FieldTable } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  // From the sort fields.
  id: { type: 'id', role: 'watched' },
  projectid: { type: 'id', role: 'watched' },
  date: { type: 'date', role: 'watched' },
  // Amounts, judging by their names; a text would be kept as it is.
  expense: { type: 'decimal', role: 'watched', nullable: true },
  fee: { type: 'decimal', role: 'watched', nullable: true },
  note: { type: 'text', role: 'watched', nullable: true },
  personid: { type: 'id', role: 'watched' },
  project: { type: 'text', role: 'label' },
  client: { type: 'text', role: 'label', nullable: true },
  person: { type: 'text', role: 'label' },

  // Assumed: fields of the project, which tasks and invoices have too.
  clientid: { type: 'id', role: 'label', nullable: true },
  clientlocalid: { type: 'text', role: 'label', nullable: true },
  managerid: { type: 'ids', role: 'label', nullable: true },
  manager: { type: 'text', role: 'label', nullable: true },
  projectlocalid: { type: 'text', role: 'label' },
  projectlabel: { type: 'text', role: 'label', nullable: true },
  projectlabel_order: { type: 'number', role: 'label', nullable: true },
  projectlabelid: { type: 'id', role: 'label', nullable: true },
  datemodified: { type: 'datetime', role: 'volatile' },
} as const satisfies FieldTable;

export const expense = {
  name: 'expense',
  fields,
  unknown: 'watch',
  title: titleFrom('expense', 'note'),
} as const satisfies Resource;
