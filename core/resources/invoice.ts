/** The fields of an invoice, in the order of the API's documentation. Event types are defined in core/events. */

import { type FieldTable, MANAGERS_ONLY } from './field.ts';
import { type Resource, titleFrom } from './resource.ts';

const fields = {
  id: { type: 'id', role: 'watched' },
  projectid: { type: 'id', role: 'watched' },
  date: { type: 'date', role: 'watched' },
  termid: { type: 'id', role: 'watched' },
  termother: { type: 'text', role: 'watched', nullable: true },
  termotherdatedue: { type: 'date', role: 'watched', nullable: true },
  title: { type: 'text', role: 'watched' },
  description: { type: 'text', role: 'watched', nullable: true },
  localid: { type: 'text', role: 'watched' },
  addressfrom: { type: 'text', role: 'watched', nullable: true },
  addressto: { type: 'text', role: 'watched', nullable: true },
  purchaseorder: { type: 'text', role: 'watched', nullable: true },
  tax: { type: 'decimal', role: 'watched', nullable: true },
  disclaimer: { type: 'text', role: 'watched', nullable: true },
  datebegin: { type: 'date', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  dateend: { type: 'date', role: 'watched', nullable: true, hiddenFor: MANAGERS_ONLY },
  // The API writes them as `secondtax` and `secondtaxcompound`, but returns these names.
  second_tax: { type: 'decimal', role: 'watched', nullable: true },
  second_tax_compound: { type: 'boolean', role: 'watched', nullable: true },

  // The client belongs to the project; not every response has the client's id.
  project: { type: 'text', role: 'label' },
  client: { type: 'text', role: 'label', nullable: true },
  clientid: { type: 'id', role: 'label', nullable: true },
  // The name of termid; a custom term is in `termother`.
  term: { type: 'text', role: 'label' },

  // Payments are derived from these fields, because the names of statuses differ between accounts.
  datepaid: { type: 'date', role: 'watched', nullable: true },
  subtotal: { type: 'decimal', role: 'watched', money: true },
  taxamount: { type: 'decimal', role: 'watched', money: true, nullable: true },
  secondtaxamount: { type: 'decimal', role: 'watched', money: true, nullable: true },
  numitems: { type: 'number', role: 'watched' },
  total: { type: 'decimal', role: 'watched', money: true },
  payments: { type: 'decimal', role: 'watched', money: true },
  balance: { type: 'decimal', role: 'watched', money: true },
  datedue: { type: 'date', role: 'watched', nullable: true },

  // It increases every midnight: if watched, each late invoice would cause an event every day.
  daysoverdue: { type: 'number', role: 'volatile' },
  // Derived from datedue and datepaid.
  daysoverduepaid: { type: 'number', role: 'volatile', nullable: true },
  // It becomes overdue by time alone, and its names depend on the account. Kept up to date for messages.
  status: { type: 'text', role: 'label' },

  projectlabel: { type: 'text', role: 'label', nullable: true },
  projectlabel_order: { type: 'number', role: 'label', nullable: true },
  projectlabelid: { type: 'id', role: 'label', nullable: true },
} as const satisfies FieldTable;

export const invoice = {
  name: 'invoice',
  fields,
  unknown: 'carry',
  title: titleFrom('invoice', 'title'),
} as const satisfies Resource;
