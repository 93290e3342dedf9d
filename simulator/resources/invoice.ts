/**
 * The invoice resource as in the spec's tables, with its items and payments, which the spec only names.
 * Only the tables; the account computes sums, and the rules implement writes.
 */
import type { Data } from '../account/data.ts';
import { formatDay } from '../account/days.ts';
import { times } from '../account/decimals.ts';
import { balance, daysOverdue, daysOverduePaid, dueDay, isPaid, statusOf, TERM_OTHER } from '../account/invoices.ts';
import type { InvoiceItemRow, InvoiceRow, PaymentRow } from '../account/records.ts';
import { invalid } from '../request-error.ts';
import { amount, day, flag, number, padded, percent, STAFF, text } from './fields.ts';
import { anyOf, contains, meaning, onOrAfter, onOrBefore } from './filters.ts';
import type { Resource, Role } from './resource.ts';

const project = (i: InvoiceRow, data: Data) => data.project.get(i.projectid);
const client = (i: InvoiceRow, data: Data) => data.clientOf(i.projectid);
const label = (i: InvoiceRow, data: Data) => data.labelOf(i.projectid);

/** Resource users see no invoices. */
const READERS: readonly Role[] = ['Administrator', 'Manager', 'Executive'];
const access = { list: READERS, member: READERS, create: STAFF, update: STAFF, remove: STAFF };

export const invoice: Resource<InvoiceRow> = {
  name: 'invoice',
  rows: (data) => data.invoice,
  access,
  fields: [
    number('id', (i) => i.id),
    number('projectid', (i) => i.projectid),
    day('date', (i) => i.date),
    number('termid', (i) => i.termid),
    text('termother', (i) => (i.termid === TERM_OTHER ? i.termother : null), { blank: '' }),
    day('termotherdatedue', (i) => (i.termid === TERM_OTHER ? i.termotherdatedue : null)),
    text('title', (i) => i.title),
    text('description', (i) => i.description, { blank: '' }),
    padded('localid', (i) => i.localid),
    text('addressfrom', (i) => i.addressfrom, { blank: '' }),
    text('addressto', (i) => i.addressto, { blank: '' }),
    text('purchaseorder', (i) => i.purchaseorder, { blank: '' }),
    percent('tax', (i) => i.tax),
    text('disclaimer', (i) => i.disclaimer, { blank: '' }),
    day('datebegin', (i) => i.datebegin, { seenBy: STAFF }),
    day('dateend', (i) => i.dateend, { seenBy: STAFF }),
    percent('second_tax', (i) => i.secondtax),
    flag('second_tax_compound', (i) => i.secondtaxcompound),
    text('project', (i, data) => project(i, data)?.name),
    text('client', (i, data) => client(i, data)?.name),
    number('clientid', (i, data) => client(i, data)?.id),
    text('term', (i, data) => (i.termid === TERM_OTHER && i.termother) || data.invoiceterm.get(i.termid)?.name),
    day('datepaid', (i) => i.sums.paid, { blank: '' }),
    amount('subtotal', (i) => i.sums.subtotal),
    amount('taxamount', (i) => i.sums.tax),
    amount('secondtaxamount', (i) => i.sums.secondtax),
    number('numitems', (i) => i.sums.items),
    amount('total', (i) => i.sums.total),
    amount('payments', (i) => i.sums.payments),
    amount('balance', balance),
    day('datedue', dueDay),
    number('daysoverdue', daysOverdue),
    number('daysoverduepaid', daysOverduePaid, { blank: '' }),
    text('status', statusOf),
    text('projectlabel', (i, data) => label(i, data)?.name),
    number('projectlabel_order', (i, data) => label(i, data)?.order),
    number('projectlabelid', (i, data) => label(i, data)?.id),
  ],
  settable: [
    { name: 'projectid', type: 'integer', required: true, refers: 'project' },
    { name: 'date', type: 'date', required: true },
    { name: 'termid', type: 'integer', required: true, refers: 'invoiceterm' },
    { name: 'termother', type: 'string', max: 255 },
    { name: 'termotherdatedue', type: 'date' },
    { name: 'title', type: 'string', required: true, max: 255 },
    { name: 'description', type: 'string' },
    { name: 'addressfrom', type: 'string' },
    { name: 'addressto', type: 'string' },
    { name: 'purchaseorder', type: 'string', max: 55 },
    { name: 'tax', type: 'double', places: 3 },
    { name: 'secondtax', type: 'double', places: 3 },
    { name: 'secondtaxcompound', type: 'boolean', default: 'f' },
    { name: 'disclaimer', type: 'string' },
    { name: 'datebegin', type: 'date' },
    { name: 'dateend', type: 'date' },
  ],
  filters: [
    anyOf('localid', (i) => i.localid),
    anyOf('clientid', (i, data) => client(i, data)?.id ?? null),
    anyOf('projectid', (i) => i.projectid),
    onOrAfter('datebegin', (i) => i.date),
    onOrBefore('dateend', (i) => i.date),
    meaning('status', 'string', (value) => {
      if (value === 'paid') return isPaid;
      if (value === 'outstanding') return (i) => !isPaid(i);
      throw invalid('status', `expected 'outstanding' or 'paid', got '${value}'`);
    }),
    contains('search', (i) => [
      i.title,
      i.description,
      String(i.localid).padStart(5, '0'),
      i.purchaseorder,
      i.addressfrom,
      i.addressto,
    ]),
  ],
  sorts: {
    id: (i) => i.id,
    projectid: (i) => i.projectid,
    date: (i) => i.date,
    title: (i) => i.title,
    description: (i) => i.description,
    localid: (i) => i.localid,
    purchaseorder: (i) => i.purchaseorder,
    project: (i, data) => project(i, data)?.name ?? null,
    client: (i, data) => client(i, data)?.name ?? null,
    datepaid: (i) => i.sums.paid,
    subtotal: (i) => i.sums.subtotal,
    total: (i) => i.sums.total,
    payments: (i) => i.sums.payments,
    balance,
    datedue: dueDay,
    daysoverdue: daysOverdue,
    projectlabelid: (i, data) => label(i, data)?.id ?? null,
    projectlabel: (i, data) => label(i, data)?.name ?? null,
    // Spelled as in the spec.
    projectabel_order: (i, data) => label(i, data)?.order ?? null,
  },
};

export const invoiceitem: Resource<InvoiceItemRow> = {
  name: 'invoiceitem',
  rows: (data) => data.invoiceitem,
  access,
  fields: [
    number('id', (item) => item.id),
    number('invoiceid', (item) => item.invoiceid),
    text('description', (item) => item.description, { blank: '' }),
    amount('quantity', (item) => item.quantity),
    amount('rate', (item) => item.rate),
    amount('amount', (item) => times(item.quantity, item.rate)),
    number('timeid', (item) => item.timeid),
  ],
  settable: [
    { name: 'invoiceid', type: 'integer', required: true, refers: 'invoice' },
    { name: 'description', type: 'string', required: true },
    { name: 'quantity', type: 'double', required: true, default: '1' },
    { name: 'rate', type: 'double', required: true },
  ],
  filters: [anyOf('invoiceid', (item) => item.invoiceid)],
  sorts: { id: (item) => item.id, invoiceid: (item) => item.invoiceid },
};

export const payment: Resource<PaymentRow> = {
  name: 'payment',
  rows: (data) => data.payment,
  access,
  fields: [
    number('id', (p) => p.id),
    number('invoiceid', (p) => p.invoiceid),
    text('invoice', (p, data) => data.invoice.get(p.invoiceid)?.title),
    day('date', (p) => p.date),
    amount('amount', (p) => p.amount),
    number('paymenttypeid', (p) => p.paymenttypeid),
    text('paymenttype', (p, data) => data.paymenttype.get(p.paymenttypeid)?.name),
    text('note', (p) => p.note, { blank: '' }),
  ],
  settable: [
    { name: 'invoiceid', type: 'integer', required: true, refers: 'invoice' },
    { name: 'date', type: 'date', required: true },
    { name: 'amount', type: 'double', required: true },
    { name: 'paymenttypeid', type: 'integer', required: true, default: '3', refers: 'paymenttype' },
    { name: 'note', type: 'string', max: 255 },
  ],
  filters: [
    anyOf('invoiceid', (p) => p.invoiceid),
    onOrAfter('datebegin', (p) => p.date),
    onOrBefore('dateend', (p) => p.date),
  ],
  sorts: { id: (p) => p.id, invoiceid: (p) => p.invoiceid, date: (p) => formatDay(p.date), amount: (p) => p.amount },
};
