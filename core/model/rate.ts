/** Rates as people write them: '30/m'. Pure. */

import type { Rate } from './subscription.ts';
import { formatDuration, parseDuration, SECOND } from './time.ts';

/** At most 999,999 per second, minute or hour. */
export const RATE_PATTERN = /^[1-9]\d{0,5}\/[smh]$/;

/** @param text that matches `RATE_PATTERN` */
export function parseRate(text: string): Rate {
  const [count = '1', unit = 's'] = text.split('/');
  return { count: Number(count), per: parseDuration(`1${unit}`) ?? SECOND };
}

export function formatRate({ count, per }: Rate): string {
  return `${count}/${formatDuration(per).replace(/^1/, '')}`;
}
