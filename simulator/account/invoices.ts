/**
 * The arithmetic of invoices: totals, two taxes, payments, due date, days overdue and status, in whole cents and days.
 * Works out facts from an invoice, its items and its payments; changes nothing.
 */
import type { Data } from './data.ts';
import type { Day } from './days.ts';
import { percentOf, times } from './decimals.ts';
import type { InvoiceItemRow, InvoiceRow, InvoiceSums, PaymentRow } from './records.ts';

/** The term that brings its own due date. */
export const TERM_OTHER = 6;

export const NO_SUMS: InvoiceSums = { items: 0, subtotal: 0, tax: 0, secondtax: 0, total: 0, payments: 0, paid: null };

export function sumUp(
  invoice: Pick<InvoiceRow, 'tax' | 'secondtax' | 'secondtaxcompound'>,
  items: readonly Pick<InvoiceItemRow, 'quantity' | 'rate'>[],
  payments: readonly Pick<PaymentRow, 'id' | 'date' | 'amount'>[],
): InvoiceSums {
  const subtotal = items.reduce((sum, item) => sum + times(item.quantity, item.rate), 0);
  const tax = percentOf(subtotal, invoice.tax ?? 0);
  // A compounded second tax is also taken on the first; an added one on the subtotal alone.
  const secondtax = percentOf(invoice.secondtaxcompound ? subtotal + tax : subtotal, invoice.secondtax ?? 0);
  const total = subtotal + tax + secondtax;
  const received = payments.reduce((sum, payment) => sum + payment.amount, 0);
  return {
    items: items.length,
    subtotal,
    tax,
    secondtax,
    total,
    payments: received,
    paid: dayPaid(total, received, payments),
  };
}

/** The day the balance came to zero and stayed there; null while something is owed, or nothing was ever billed. */
function dayPaid(total: number, received: number, payments: readonly Pick<PaymentRow, 'id' | 'date' | 'amount'>[]) {
  if (received < total || payments.length === 0) return null;
  let paid: Day | null = null;
  let sum = 0;
  for (const payment of [...payments].sort((a, b) => a.date - b.date || a.id - b.id)) {
    const before = sum;
    sum += payment.amount;
    if (sum < total) paid = null;
    else if (before < total || paid === null) paid = payment.date;
  }
  return paid;
}

/** Days a term allows; term 6 names its own day. */
export function dueDay(invoice: InvoiceRow, data: Data): Day | null {
  if (invoice.termid === TERM_OTHER) return invoice.termotherdatedue;
  return invoice.date + (data.invoiceterm.get(invoice.termid)?.value ?? 0);
}

export function isPaid(invoice: InvoiceRow): boolean {
  return invoice.sums.paid !== null;
}

export function balance(invoice: InvoiceRow): number {
  return invoice.sums.total - invoice.sums.payments;
}

export function daysOverdue(invoice: InvoiceRow, data: Data): number {
  const due = dueDay(invoice, data);
  if (due === null || balance(invoice) <= 0) return 0;
  return Math.max(0, data.today() - due);
}

/** How late it was paid; null while unpaid and when it was paid in time. */
export function daysOverduePaid(invoice: InvoiceRow, data: Data): number | null {
  const due = dueDay(invoice, data);
  const { paid } = invoice.sums;
  return due === null || paid === null || paid <= due ? null : paid - due;
}

export function statusOf(invoice: InvoiceRow, data: Data): 'paid' | 'overdue' | 'outstanding' {
  if (isPaid(invoice)) return 'paid';
  return daysOverdue(invoice, data) > 0 ? 'overdue' : 'outstanding';
}

/** Works the kept sums out again after an item, a payment or a tax changed. */
export function refreshSums(invoice: InvoiceRow, data: Data): void {
  invoice.sums = sumUp(invoice, data.itemsOfInvoice.of(invoice.id), data.paymentsOfInvoice.of(invoice.id));
}
