/**
 * User actions on invoices, payments and expenses.
 * Every action goes through the account's rules.
 */
import type { Account } from '../account/account.ts';
import { formatDay } from '../account/days.ts';
import { formatHundredths } from '../account/decimals.ts';
import { balance } from '../account/invoices.ts';
import type { InvoiceRow } from '../account/records.ts';
import { type Action, pickRecent } from './action.ts';
import type { Random } from './random.ts';
import * as vocabulary from './vocabulary.ts';

export const billingActions: readonly (readonly [Action, number])[] = [
  [createInvoice, 3],
  [payInFull, 2.8],
  [payInPart, 1.5],
  [reversePayment, 0.4],
  [deferInvoice, 0.5],
  [addItem, 0.5],
  [deleteInvoice, 0.1],
  [createExpense, 2],
];

export function createInvoice(account: Account, random: Random): boolean {
  const { data } = account;
  const slot = pickRecent(random, data.project.slots, (at) => data.project.has(at) && data.project.at(at).billable);
  const project = slot === undefined ? undefined : data.project.get(slot + 1);
  if (project === undefined) return false;
  const by = project.managers[0] ?? 1;
  const today = data.today();
  const prefilled = random.chance(0.6);
  const invoice = account.create(
    'invoice',
    {
      projectid: project.id,
      date: formatDay(today),
      termid: random.between(1, 5),
      title: `${project.name}: ${random.pick(['work as agreed', 'instalment', 'monthly statement'])}`.slice(0, 255),
      tax: random.pick(['19', '20', '8.25', '']),
      ...(prefilled ? { datebegin: formatDay(today - 30), dateend: formatDay(today) } : {}),
    },
    { by },
  );
  if (!prefilled || invoice.numitems === '0') {
    const rate = random.between(200, 4000);
    account.create(
      'invoiceitem',
      { invoiceid: invoice.id, description: 'Concept & design', quantity: 1, rate },
      { by },
    );
  }
  return true;
}

function payInFull(account: Account, random: Random): boolean {
  const invoice = pickInvoice(account, random, (candidate) => balance(candidate) > 0);
  if (invoice === undefined) return false;
  account.pay(invoice.id, undefined, { by: 1 });
  return true;
}

function payInPart(account: Account, random: Random): boolean {
  const invoice = pickInvoice(account, random, (candidate) => balance(candidate) > 100);
  if (invoice === undefined) return false;
  account.pay(invoice.id, formatHundredths(Math.floor(balance(invoice) * (0.2 + random.unit() * 0.6)) || 1), { by: 1 });
  return true;
}

/** A payment that bounced: a negative payment of the same amount. */
function reversePayment(account: Account, random: Random): boolean {
  const invoice = pickInvoice(account, random, (candidate) => candidate.sums.paid !== null);
  const payments = invoice === undefined ? [] : account.data.paymentsOfInvoice.of(invoice.id);
  const last = payments.findLast((payment) => payment.amount > 0);
  if (invoice === undefined || last === undefined) return false;
  account.pay(invoice.id, formatHundredths(-last.amount), { by: 1 });
  return true;
}

function deferInvoice(account: Account, random: Random): boolean {
  const invoice = pickInvoice(account, random, (candidate) => balance(candidate) > 0 && candidate.termid !== 6);
  if (invoice === undefined) return false;
  const termotherdatedue = formatDay(account.data.today() + random.between(5, 30));
  account.update('invoice', invoice.id, { termid: 6, termother: 'As agreed by phone', termotherdatedue }, { by: 1 });
  return true;
}

function addItem(account: Account, random: Random): boolean {
  const invoice = pickInvoice(account, random, (candidate) => candidate.sums.paid === null);
  if (invoice === undefined) return false;
  const body = { invoiceid: invoice.id, description: 'Corrections', quantity: 1, rate: random.between(50, 400) };
  account.create('invoiceitem', body, { by: 1 });
  return true;
}

function deleteInvoice(account: Account, random: Random): boolean {
  const invoice = pickInvoice(account, random, (candidate) => candidate.sums.payments === 0);
  if (invoice === undefined || account.data.invoice.count < 5) return false;
  account.remove('invoice', invoice.id, { by: 1 });
  return true;
}

export function createExpense(account: Account, random: Random): boolean {
  const { data } = account;
  const slot = pickRecent(random, data.project.slots, (at) => data.project.has(at) && data.project.at(at).active);
  if (slot === undefined) return false;
  const by = data.project.at(slot).managers[0] ?? 1;
  const fee = formatHundredths(random.between(500, 60_000));
  account.create(
    'expense',
    { projectid: slot + 1, date: account.today(), expense: random.pick(vocabulary.EXPENSES), fee },
    { by },
  );
  return true;
}

function pickInvoice(account: Account, random: Random, test: (invoice: InvoiceRow) => boolean): InvoiceRow | undefined {
  const { invoice } = account.data;
  const slot = pickRecent(random, invoice.slots, (at) => invoice.has(at) && test(invoice.at(at)));
  return slot === undefined ? undefined : invoice.at(slot);
}
