/**
 * The agency's invoices in every state, with items, taxes and payments, and its expenses and documents.
 * Fills tables directly: a generated account has no journal yet.
 */
import type { Data } from '../account/data.ts';
import type { Day } from '../account/days.ts';
import { dueDay, NO_SUMS, refreshSums } from '../account/invoices.ts';
import type { InvoiceRow } from '../account/records.ts';
import { addItem } from '../account/rules/invoice-rules.ts';
import type { Random } from './random.ts';
import type { Size } from './size.ts';
import * as vocabulary from './vocabulary.ts';

/** How an invoice fares; the first twelve go through all of these, so that the smallest account shows every state. */
const OUTCOMES = ['in time', 'late', 'in parts', 'part only', 'overdue', 'not due', 'empty', 'own term'] as const;
type InvoiceOutcome = (typeof OUTCOMES)[number];

/** First tax, second tax, compounded: thousandths of a percent. */
const TAXES: readonly (readonly [number | null, number | null, boolean])[] = [
  [19_000, null, false],
  [20_000, null, false],
  [5_000, 9_975, false],
  [5_000, 7_500, true],
  [8_250, null, false],
  [null, null, false],
];

const ITEMS = [
  'Concept & design',
  'Photography, one day',
  'Hosting per month',
  'Printing',
  'Licence',
  'Project management',
  'Travel',
];

export function generateBilling(data: Data, size: Size, history: number, random: Random): void {
  const today = data.today();
  const plans: { fate: InvoiceOutcome; date: Day }[] = [];
  for (let i = 0; i < size.invoices; i++) {
    const fate = i < 12 ? (OUTCOMES[i % OUTCOMES.length] ?? 'in time') : laterFate(random);
    const oldest = fate === 'not due' || fate === 'empty' ? 9 : history;
    const youngest = fate === 'not due' || fate === 'empty' ? 0 : fate === 'overdue' || fate === 'late' ? 40 : 20;
    plans.push({ fate, date: today - random.between(youngest, Math.max(youngest, oldest)) });
  }
  plans.sort((a, b) => a.date - b.date);
  for (const plan of plans) addInvoice(data, plan.fate, plan.date, random);
  generateExpenses(data, size, history, random);
  generateDocuments(data, size, history, random);
}

function laterFate(random: Random): InvoiceOutcome {
  return random.weighted<InvoiceOutcome>([
    ['in time', 50],
    ['late', 18],
    ['in parts', 9],
    ['part only', 4],
    ['overdue', 6],
    ['not due', 8],
    ['empty', 1],
    ['own term', 4],
  ]);
}

function addInvoice(data: Data, fate: InvoiceOutcome, date: Day, random: Random): void {
  const projectid = random.between(1, data.project.count);
  const client = data.clientOf(projectid);
  const [tax, secondtax, secondtaxcompound] = random.pick(TAXES);
  const termid = fate === 'own term' ? 6 : fate === 'not due' ? random.pick([4, 5]) : random.pick([1, 2, 3, 4]);
  const prefilled = fate !== 'empty' && random.chance(0.55);
  const invoice = data.invoice.add({
    localid: data.invoice.count + 1,
    projectid,
    date,
    termid,
    termother: termid === 6 ? 'End of next month' : '',
    termotherdatedue: termid === 6 ? date + random.between(20, 50) : null,
    title: `${data.project.get(projectid)?.name ?? 'Work'}: ${random.pick(['work as agreed', 'instalment', 'monthly statement', 'final invoice'])}`,
    description: random.chance(0.3) ? 'Thank you for working with us.' : '',
    addressfrom: 'The Agency\r\nInvalidenstraße 12\r\n10115 Berlin',
    addressto: client === undefined ? '' : `${client.name}\r\nAccounts Payable`,
    purchaseorder: random.chance(0.4) ? `PO-${random.between(10_000, 99_999)}` : '',
    tax,
    secondtax,
    secondtaxcompound,
    disclaimer: random.chance(0.5) ? 'Payable without deduction.' : '',
    prefilled,
    datebegin: prefilled ? date - 31 : null,
    dateend: prefilled ? date - 1 : null,
    sums: NO_SUMS,
  });
  if (fate !== 'empty') addItems(data, invoice, random);
  refreshSums(invoice, data);
  pay(data, invoice, fate, random);
  if (random.chance(0.05)) {
    const note = '<p>Sent by mail, too.</p>';
    data.invoicenote.add({ on: invoice.id, personid: 1, note, public: true, modified: date * 86_400 + 36_000 });
  }
}

function addItems(data: Data, invoice: InvoiceRow, random: Random): void {
  if (invoice.prefilled) {
    const begin = invoice.datebegin ?? 0;
    const end = invoice.dateend ?? 0;
    for (const entry of data.timeOfProject.of(invoice.projectid)) {
      if (entry.date >= begin && entry.date <= end) addItem(invoice, entry, data);
    }
  }
  const custom = random.between(1, 3);
  for (let n = 0; n < custom; n++) {
    data.invoiceitem.add({
      invoiceid: invoice.id,
      description: random.pick(ITEMS),
      quantity: random.pick([100, 100, 200, 50, 150, 800]),
      rate: random.between(80, 1500) * 100 + random.pick([0, 0, 50, 99]),
      timeid: null,
    });
  }
}

function pay(data: Data, invoice: InvoiceRow, fate: InvoiceOutcome, random: Random): void {
  const today = data.today();
  const { total } = invoice.sums;
  const due = dueDay(invoice, data) ?? invoice.date;
  const on = (date: Day, amount: number) => {
    const paymenttypeid = random.pick([2, 3, 3, 3, 5]);
    data.payment.add({
      invoiceid: invoice.id,
      date: Math.min(today, Math.max(invoice.date, date)),
      amount,
      paymenttypeid,
      note: '',
    });
  };
  const half = Math.floor(total / 2);
  if (fate === 'in time' || (fate === 'own term' && random.chance(0.5))) on(due - random.between(0, 8), total);
  if (fate === 'late') on(due + random.between(1, 25), total);
  if (fate === 'part only') on(due - 1, half);
  if (fate === 'in parts') {
    on(due - random.between(1, 10), half);
    on(due + random.between(0, 10), total - half);
  }
  refreshSums(invoice, data);
}

function generateExpenses(data: Data, size: Size, history: number, random: Random): void {
  const today = data.today();
  for (let i = 0; i < size.expenses; i++) {
    const projectid = random.between(1, data.project.count);
    data.expense.add({
      projectid,
      personid: random.pick(data.teamOfProject.of(projectid)).otherid,
      date: today - Math.floor(random.unit() * history),
      expense: random.pick(vocabulary.EXPENSES),
      fee: random.between(5, 900) * 100 + random.pick([0, 50, 90, 99]),
      note: random.chance(0.3) ? 'Receipt & ticket attached' : '',
      billable: random.chance(0.7),
    });
  }
}

function generateDocuments(data: Data, size: Size, history: number, random: Random): void {
  const today = data.today();
  for (let i = 0; i < size.documents; i++) {
    const [title, filename, tags] = random.pick(vocabulary.DOCUMENTS);
    const home = random.weighted<'task' | 'milestone' | 'request' | 'project'>([
      ['task', 5],
      ['milestone', 1],
      ['request', 1],
      ['project', 3],
    ]);
    const uploaded = today - Math.floor(random.unit() * history);
    const onRequest = home === 'request' && data.request.count > 0;
    data.document.add({
      personid: random.between(1, data.person.count),
      title,
      notes: random.chance(0.4) ? 'Please use this version & no other.' : '',
      filename,
      tags,
      public: random.chance(0.4),
      active: random.chance(0.95),
      version: random.between(1, 4),
      uploaded,
      modified: Math.min(data.seconds(), uploaded * 86_400 + random.between(30_000, 60_000)),
      taskid: home === 'task' && data.task.count > 0 ? random.between(1, data.task.count) : null,
      milestoneid: home === 'milestone' ? random.between(1, data.milestone.count) : null,
      queueid: onRequest ? random.between(1, data.request.count) : null,
      projectid: home === 'project' || onRequest ? random.between(1, data.project.count) : null,
    });
  }
  for (const project of data.project) {
    if (!random.chance(0.3)) continue;
    const note = random.pick([
      '<p>The client likes the second draft.</p>',
      '<p>Budget is tight: ask before you start.</p>',
    ]);
    const modified = Math.min(data.seconds(), (project.datestart + random.between(1, 30)) * 86_400 + 40_000);
    data.projectnote.add({
      on: project.id,
      personid: project.managers[0] ?? 1,
      note,
      public: random.chance(0.5),
      modified,
    });
  }
}
