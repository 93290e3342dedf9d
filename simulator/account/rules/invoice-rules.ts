/**
 * What happens when invoices, their items and their payments change: kinds, imports, terms, and the sums that follow.
 * Decides and changes; the arithmetic itself is in invoices.ts.
 */
import { invalid } from '../../request-error.ts';
import type { WriteContext } from '../changes.ts';
import type { Data } from '../data.ts';
import { NO_SUMS, refreshSums, TERM_OTHER } from '../invoices.ts';
import type { InvoiceItemRow, InvoiceRow, PaymentRow, Row, TimeRow } from '../records.ts';
import { nextLocalid, plainRules, sentValues, type WriteRules } from './rules.ts';

export const invoiceRules: WriteRules<InvoiceRow> = {
  create(input, act) {
    const { data } = act;
    const fresh: Omit<InvoiceRow, 'id'> = {
      localid: nextLocalid(data.invoice),
      projectid: 0,
      date: 0,
      termid: 0,
      termother: '',
      termotherdatedue: null,
      title: '',
      description: '',
      addressfrom: '',
      addressto: '',
      purchaseorder: '',
      tax: null,
      secondtax: null,
      secondtaxcompound: false,
      disclaimer: '',
      datebegin: null,
      dateend: null,
      prefilled: input.number('datebegin') !== null || input.number('dateend') !== null,
      sums: NO_SUMS,
    };
    const values = { ...fresh, ...sentValues<InvoiceRow>(input, fresh) };
    check(values);
    const invoice = data.invoice.add(values);
    const items = invoice.prefilled ? importable(invoice, data).map((entry) => addItem(invoice, entry, data)) : [];
    refreshSums(invoice, data);
    act.changes.created('invoice', invoice, act);
    for (const item of items) act.changes.created('invoiceitem', item, act);
    return invoice;
  },

  update(invoice, input, act) {
    const { data } = act;
    const sent = sentValues<InvoiceRow>(input, invoice);
    const next = { ...invoice, ...sent };
    check(next);
    if (!invoice.prefilled && (next.datebegin !== null || next.dateend !== null)) {
      throw invalid('datebegin', 'a freeform invoice cannot become a prefilled one: leave datebegin and dateend blank');
    }
    if (invoice.prefilled && next.datebegin === null && next.dateend === null) {
      throw invalid('datebegin', 'a prefilled invoice cannot become a freeform one: datebegin or dateend is needed');
    }
    const moved = next.datebegin !== invoice.datebegin || next.dateend !== invoice.dateend;
    act.changes.updated('invoice', invoice, act, () => {
      Object.assign(invoice, sent);
      if (moved) reimport(invoice, act);
      refreshSums(invoice, data);
    });
  },

  remove(invoice, act) {
    const { data, changes } = act;
    for (const item of data.itemsOfInvoice.of(invoice.id)) changes.deleted('invoiceitem', item, act);
    for (const payment of data.paymentsOfInvoice.of(invoice.id)) changes.deleted('payment', payment, act);
    for (const note of [...data.invoicenote]) if (note.on === invoice.id) changes.deleted('invoicenote', note, act);
    changes.deleted('invoice', invoice, act);
  },
};

function check(invoice: Omit<InvoiceRow, 'id'>): void {
  if (invoice.termid === TERM_OTHER && invoice.termotherdatedue === null) {
    throw invalid('termotherdatedue', `is required when termid is ${TERM_OTHER}`);
  }
  const { datebegin, dateend } = invoice;
  if (datebegin !== null && dateend !== null && dateend < datebegin) {
    throw invalid('dateend', 'may not be earlier than datebegin');
  }
}

/** All time entries of the project in the range; a blank end leaves it open on that side. */
function importable(invoice: InvoiceRow, data: Data): TimeRow[] {
  const begin = invoice.datebegin ?? Number.NEGATIVE_INFINITY;
  const end = invoice.dateend ?? Number.POSITIVE_INFINITY;
  return data.timeOfProject.of(invoice.projectid).filter((entry) => entry.date >= begin && entry.date <= end);
}

export function addItem(invoice: InvoiceRow, entry: TimeRow, data: Data): InvoiceItemRow {
  const rate = data.person.get(entry.personid)?.hourlyrate ?? data.worktype.get(entry.worktypeid)?.value ?? 0;
  const work = data.worktype.get(entry.worktypeid)?.name ?? 'Work';
  return data.invoiceitem.add({
    invoiceid: invoice.id,
    description: `${work}: ${entry.description}`,
    quantity: entry.time,
    rate: entry.billable ? rate : 0,
    timeid: entry.id,
  });
}

/** Imported items are replaced by those of the new range; custom ones stay. */
function reimport(invoice: InvoiceRow, act: WriteContext): void {
  for (const item of act.data.itemsOfInvoice.of(invoice.id)) {
    if (item.timeid !== null) act.changes.deleted('invoiceitem', item, act);
  }
  for (const entry of importable(invoice, act.data)) {
    act.changes.created('invoiceitem', addItem(invoice, entry, act.data), act);
  }
}

/** Rules of a part of an invoice: the part changes first, then the invoice with it. */
function partRules<R extends Row & { invoiceid: number }>(plain: WriteRules<R>): WriteRules<R> {
  const refresh = (invoiceid: number, act: WriteContext) => {
    const invoice = act.data.invoice.get(invoiceid);
    if (invoice === undefined) return;
    act.changes.updated('invoice', invoice, act, () => refreshSums(invoice, act.data));
  };
  return {
    create(input, act) {
      const part = plain.create(input, act);
      refresh(part.invoiceid, act);
      return part;
    },
    update(part, input, act) {
      const from = part.invoiceid;
      plain.update(part, input, act);
      refresh(from, act);
      if (part.invoiceid !== from) refresh(part.invoiceid, act);
    },
    remove(part, act) {
      plain.remove(part, act);
      refresh(part.invoiceid, act);
    },
  };
}

export const invoiceItemRules = partRules<InvoiceItemRow>(
  plainRules('invoiceitem', () => ({ invoiceid: 0, description: '', quantity: 100, rate: 0, timeid: null })),
);

export const paymentRules = partRules<PaymentRow>(
  plainRules('payment', (act) => ({ invoiceid: 0, date: act.data.today(), amount: 0, paymenttypeid: 3, note: '' })),
);
