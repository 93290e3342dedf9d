/** What the amounts of an invoice mean: owed, paid, received. Amounts are compared in whole cents. */

import { isDay } from '../model/calendar.ts';
import type { Fields, Value } from '../model/record.ts';

/** An amount in whole cents; null when it is unknown. */
export function toCents(value: Value | undefined): number | null {
  // Adding 0 turns -0 into 0.
  return typeof value === 'number' ? Math.round(value * 100) + 0 : null;
}

/**
 * The balance is positive, also where refunds on a voided invoice made it so. Without a balance, there must be something
 * to pay and no date of payment.
 */
export function isOwed({ total, balance, datepaid }: Fields): boolean {
  const open = toCents(balance);
  return open === null ? !hasNothingToPay(total) && !isDay(datepaid) : open > 0;
}

/**
 * Fully paid: payments left no balance, or the API gives a date of payment or the status `paid`. An empty or voided
 * invoice and a credit note are never paid, whatever the API calls them: there is nothing to pay.
 */
export function isPaid({ total, balance, payments, datepaid, status }: Fields): boolean {
  const open = toCents(balance);
  if (hasNothingToPay(total) || (open !== null && open > 0)) return false;
  return (open !== null && (toCents(payments) ?? 0) > 0) || isDay(datepaid) || status === 'paid';
}

/**
 * The increase of what was received, in cents; negative when a payment was reversed. The payments of a credit note are
 * refunds, which are neither received nor reversed.
 */
export function receivedCents(before: Fields, after: Fields): number {
  const [from, to] = [toCents(before.payments), toCents(after.payments)];
  if (from === null || to === null || (toCents(after.total) ?? 0) < 0) return 0;
  return Math.max(0, to) - Math.max(0, from);
}

function hasNothingToPay(total: Value | undefined): boolean {
  const cents = toCents(total);
  return cents !== null && cents <= 0;
}
