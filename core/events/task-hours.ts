/** What the estimated and logged hours of a task mean. Pure. */

import type { Fields } from '../model/record.ts';
import { numberOf } from './facts.ts';

/** What was not removed again: hours that were logged by mistake are no longer part of the sum. */
export function remainingHours(details: Fields, now: Fields, then: Fields): Fields {
  const [hours, sum, sumThen] = [numberOf(details, 'hours'), numberOf(now, 'actual'), numberOf(then, 'actual')];
  if (hours === null || sum === null || sumThen === null) return details;
  return { ...details, hours: Math.min(hours, Math.round((sum - sumThen + hours) * 100) / 100) };
}

export function isOver(record: Fields): boolean {
  const estimate = numberOf(record, 'estimate') ?? 0;
  return estimate > 0 && (numberOf(record, 'actual') ?? 0) > estimate;
}
