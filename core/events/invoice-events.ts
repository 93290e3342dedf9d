/** The event types of invoices. */

import { daysBetween } from '../model/calendar.ts';
import type { EventData } from '../model/event.ts';
import type { Fields } from '../model/record.ts';
import type { Snapshot, Transition } from '../model/snapshot.ts';
import { isOwed, isPaid, receivedCents, toCents } from '../resources/invoice-amounts.ts';
import type { EventType } from './event-type.ts';
import { amount, becomesTrue, dayOf, isChanged, numberOf, onChangeOf, stillTrue, textField } from './facts.ts';
import { createdEvent, laterEvents, nameOf } from './life-events.ts';
import { countOf, formatDayField, formatFirstDayOverdue, lowerFirst } from './phrases.ts';

const invoice = ({ record }: Pick<EventData, 'record'>) => nameOf('invoice', record);
const client = ({ record }: Pick<EventData, 'record'>) => {
  const name = textField(record, 'client');
  return name === null ? '' : ` for ${name}`;
};

const becomesPaid = ({ before, after }: Transition) =>
  isPaid(after.record) && (before === null || !isPaid(before.record));

/** Days between the due date and the payment; 0 if it was paid in time or a date is unknown. */
function daysLate(record: Fields): number {
  const [due, paid] = [dayOf(record, 'datedue'), dayOf(record, 'datepaid')];
  return due === null || paid === null ? 0 : Math.max(0, daysBetween(due, paid));
}

/** True at a longer delay than the previous reminder, or at any delay of a new due date. */
function reachesReminder(transition: Transition): boolean {
  const { before, after } = transition;
  const days = Number(after.stage.reminder ?? 0);
  return days > Number(before?.stage.reminder ?? 0) || (days > 0 && isChanged(transition, 'datedue'));
}

/** In cents. A new invoice has received all its payments since the last poll: there was nothing to pay before. */
const received = ({ before, after }: Transition) =>
  receivedCents(before === null ? { payments: 0 } : before.record, after.record);

/** Whether as much was reversed since as came in, or came in since as was reversed. */
const isReturned: NonNullable<EventType['undone']> = ({ record }, { data }) => {
  const cents = toCents(data.details?.amount) ?? 0;
  const since = receivedCents(data.record, record);
  return cents > 0 ? since <= -cents : cents < 0 && since >= -cents;
};
const isUnpaid = ({ record }: Snapshot) => !isPaid(record);

const paidAmount: NonNullable<EventType['details']> = {
  properties: { amount: { type: 'number' } },
  of: (transition) => ({ amount: received(transition) / 100 }),
};

const paidText = (data: EventData) =>
  amount(typeof data.details?.amount === 'number' ? Math.abs(data.details.amount) : null);
const daysText = ({ details }: EventData) => `${String(details?.days ?? 0)} ${details?.days === 1 ? 'day' : 'days'}`;
const balanceText = ({ record }: EventData) => amount(numberOf(record, 'balance'));

export const invoiceEvents: readonly EventType[] = [
  createdEvent('invoice'),
  {
    type: 'invoice.payment_received',
    meaning: 'A payment for an invoice was received.',
    when: 'Fires when the sum of payments increases, or a new invoice has payments; `details.amount` is the increase. Several payments between two polls are one event.',
    urgency: 'good',
    fires: (transition) => received(transition) > 0,
    undone: isReturned,
    details: paidAmount,
    say: (data) => `Payment of ${paidText(data)} received on ${lowerFirst(invoice(data))}${client(data)}`,
    sayMany: (records, events) => `${events === 1 ? 'payment' : 'payments'} received on ${countOf(records, 'invoice')}`,
    add: (data) => `payment of ${paidText(data)} received`,
    example: { before: {}, after: { payments: 500, balance: 700.5 } },
  },
  {
    type: 'invoice.partially_paid',
    meaning: 'An invoice was partially paid.',
    when: 'Fires together with `invoice.payment_received` when a balance remains.',
    urgency: 'plain',
    fires: (transition) => received(transition) > 0 && isOwed(transition.after.record),
    undone: isReturned,
    details: paidAmount,
    // A message describes the present: the rest may have come in since.
    say: (data) =>
      isOwed(data.record)
        ? `${invoice(data)}${client(data)} is partially paid: ${paidText(data)} received, ${balanceText(data)} still due`
        : `${invoice(data)}${client(data)}: ${paidText(data)} received, nothing is due any more`,
    add: (data) => (isOwed(data.record) ? `${balanceText(data)} still due` : 'nothing is due any more'),
    // Before `invoice.created`: what came in is the greater news of a new invoice.
    weight: 120,
    example: { before: {}, after: { payments: 500, balance: 700.5 } },
  },
  {
    type: 'invoice.paid',
    meaning: 'An invoice is fully paid.',
    when: 'Fires when payments bring the balance to zero, a date of payment appears, or the status becomes paid. Fires again if a payment is reversed and the invoice is paid again. Never fires for an empty or voided invoice or a credit note: their total is zero or negative. Amounts are compared in cents.',
    urgency: 'good',
    fires: becomesPaid,
    undone: isUnpaid,
    say: (data) => `${invoice(data)}${client(data)} has been paid in full: ${amount(numberOf(data.record, 'total'))}`,
    // Before `invoice.payment_received`, which is good news too.
    weight: 210,
    example: { before: {}, after: { payments: 1200.5, balance: 0, datepaid: '2026-11-14', status: 'paid' } },
  },
  {
    type: 'invoice.settled_late',
    meaning: 'An invoice was paid after its due date.',
    when: 'Fires together with `invoice.paid` when the date of payment is after the due date; `details.days` is the delay in days.',
    urgency: 'plain',
    fires: (transition) => becomesPaid(transition) && daysLate(transition.after.record) > 0,
    // The due date may have been moved since, or the date of payment corrected.
    undone: (now) => isUnpaid(now) || daysLate(now.record) === 0,
    details: {
      properties: { days: { type: 'integer' } },
      of: ({ after }) => ({ days: daysLate(after.record) }),
      now: (_, record) => ({ days: daysLate(record) }),
    },
    say: (data) => `${invoice(data)}${client(data)} was paid ${daysText(data)} late`,
    weight: 110,
    example: {
      before: { datedue: '2026-11-05' },
      after: { datedue: '2026-11-05', payments: 1200.5, balance: 0, datepaid: '2026-11-14', status: 'paid' },
    },
  },
  {
    type: 'invoice.payment_reversed',
    meaning: 'A payment for an invoice was reversed.',
    when: 'Fires when the sum of payments decreases, and the invoice itself, read once more, shows it; `details.amount` is the negative difference. Does not fire for the refund of a credit note.',
    urgency: 'late',
    fires: (transition) => received(transition) < 0,
    undone: isReturned,
    details: paidAmount,
    say: (data) =>
      `Payment of ${paidText(data)} on ${lowerFirst(invoice(data))}${client(data)} was reversed${isOwed(data.record) ? `: ${balanceText(data)} is due again` : ''}`,
    sayMany: (records, events) => `${events === 1 ? 'payment' : 'payments'} reversed on ${countOf(records, 'invoice')}`,
    add: (data) => `payment of ${paidText(data)} reversed`,
    example: { before: { payments: 500, balance: 700.5 }, after: {} },
  },
  {
    type: 'invoice.amount_changed',
    meaning: 'The total of an invoice changed.',
    when: 'Fires when the total changes. Payments do not change the total.',
    urgency: 'plain',
    ...onChangeOf('total'),
    fires: (transition) =>
      isChanged(transition, 'total') &&
      toCents(transition.before?.record.total) !== toCents(transition.after.record.total),
    say: (data) => `${invoice(data)}${client(data)} now totals ${amount(numberOf(data.record, 'total'))}`,
    example: { before: { total: 1100, balance: 1100 }, after: {} },
  },
  {
    type: 'invoice.due_date_changed',
    meaning: 'The due date of an invoice changed.',
    when: 'Fires when the due date is set, moved or removed. `invoice.due_soon`, `invoice.overdue` and reminders can then fire again.',
    urgency: 'plain',
    ...onChangeOf('datedue'),
    say: (data) => {
      const due = formatDayField(data, 'datedue');
      return `${invoice(data)}${client(data)} ${due === undefined ? 'no longer has a due date' : `is now due ${due}`}`;
    },
    example: { before: { datedue: '2026-11-28' }, after: {} },
  },
  {
    type: 'invoice.due_soon',
    meaning: 'An unpaid invoice is due soon.',
    when: 'Fires once per due date, `rules.invoiceDueSoon` before it, at midnight in the account’s time zone, if the invoice has an open balance.',
    byTime: true,
    urgency: 'soon',
    fires: becomesTrue('dueSoon', 'datedue'),
    holds: stillTrue('dueSoon', 'datedue'),
    open: { fact: 'dueSoon', byDefault: false },
    say: (data) =>
      `${invoice(data)}${client(data)} is due ${formatDayField(data, 'datedue') ?? 'soon'}: ${balanceText(data)}`,
    example: { before: {}, after: {}, on: '2026-11-23' },
  },
  {
    type: 'invoice.overdue',
    meaning: 'An invoice is overdue.',
    when: 'Fires once per due date, when the day after it begins in the account’s time zone and the invoice has an open balance. Fires again if the due date is moved and passes again, or if a payment is reversed.',
    byTime: true,
    urgency: 'late',
    fires: becomesTrue('overdue', 'datedue'),
    holds: stillTrue('overdue', 'datedue'),
    open: { fact: 'overdue', byDefault: true },
    say: (data) =>
      `${invoice(data)}${client(data)} has been overdue since ${formatFirstDayOverdue(data) ?? 'its due date'}: ${balanceText(data)} unpaid`,
    covers: ['invoice.overdue_reminder'],
    example: { before: {}, after: {}, on: '2026-12-01' },
  },
  {
    type: 'invoice.overdue_reminder',
    meaning: 'An invoice is still overdue.',
    when: 'Fires at each number of days overdue in `rules.invoiceOverdueReminders` (7, 14 and 30 by default) while the invoice has an open balance; `details.days` is that number.',
    byTime: true,
    urgency: 'late',
    fires: reachesReminder,
    holds: stillTrue('overdue', 'datedue'),
    details: {
      properties: { days: { type: 'integer' } },
      of: ({ after }) => ({ days: Number(after.stage.reminder ?? 0) }),
    },
    say: (data) => `${invoice(data)}${client(data)} is at least ${daysText(data)} overdue: ${balanceText(data)} unpaid`,
    sayMany: (count) => `${countOf(count, 'invoice')} still overdue`,
    example: { before: {}, after: {}, on: '2026-12-07' },
  },
  ...laterEvents('invoice'),
];
