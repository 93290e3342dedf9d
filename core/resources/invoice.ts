/** The fields of an invoice, in the order of the API's description. Says how they are read, not what a change means. */

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
  // Written as `secondtax` and `secondtaxcompound`, but read under these names.
  second_tax: { type: 'decimal', role: 'watched', nullable: true },
  second_tax_compound: { type: 'boolean', role: 'watched', nullable: true },

  // An invoice has its client through its project; not every answer has the client's id.
  project: { type: 'text', role: 'label' },
  client: { type: 'text', role: 'label', nullable: true },
  clientid: { type: 'id', role: 'label', nullable: true },
  // The name of termid; a term of the invoice's own is `termother`.
  term: { type: 'text', role: 'label' },

  // These tell of payment: whoever waits for money reads it from here, whatever the status is called.
  datepaid: { type: 'date', role: 'watched', nullable: true },
  subtotal: { type: 'decimal', role: 'watched' },
  taxamount: { type: 'decimal', role: 'watched', nullable: true },
  secondtaxamount: { type: 'decimal', role: 'watched', nullable: true },
  numitems: { type: 'number', role: 'watched' },
  total: { type: 'decimal', role: 'watched' },
  payments: { type: 'decimal', role: 'watched' },
  balance: { type: 'decimal', role: 'watched' },
  datedue: { type: 'date', role: 'watched', nullable: true },

  // Grows every midnight: a watched one would make an event of each late invoice each day.
  daysoverdue: { type: 'number', role: 'volatile' },
  // Follows from datedue and datepaid, and arrives with them; should it count meanwhile, that is no news either.
  daysoverduepaid: { type: 'number', role: 'volatile', nullable: true },
  // Turns to overdue by time alone, and its names depend on the account. Kept fresh, because people read it.
  status: { type: 'text', role: 'label' },

  projectlabel: { type: 'text', role: 'label', nullable: true },
  projectlabel_order: { type: 'number', role: 'label', nullable: true },
  projectlabelid: { type: 'id', role: 'label', nullable: true },
} as const satisfies FieldTable;

export const invoice = {
  name: 'invoice',
  fields,
  unknown: 'carry',
  sortsById: true,
  modifiedSince: false,
  localIdFilter: true,
  listsAll: true,
  openFilter: { status: 'outstanding' },
  title: titleFrom('invoice', 'title'),
} as const satisfies Resource;
