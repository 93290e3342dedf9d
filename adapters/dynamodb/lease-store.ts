/** LeaseStore on DynamoDB. */

import { DAY, plus } from '../../core/model/time.ts';
import type { LeaseStore } from '../../core/ports/lease-store.ts';
import { nextFormat } from './format.ts';
import { leaseKey } from './keys.ts';
import type { Table } from './table.ts';
import { toSeconds } from './timeline.ts';

/** A lease is written about once a minute, so conflicts are rare. */
const MAX_TRIES = 5;

export function dynamoLeaseStore(table: Table): LeaseStore {
  return {
    async acquire(name, holder, now, duration, { isTemporary = false } = {}) {
      let isTakenOver = false;
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const held = await table.get(leaseKey(name), true);
        const until = String(held?.until ?? '');
        // A lease that ends too far in the future is due to a clock that ran ahead.
        const isExpired = held === undefined || until <= now || until > plus(now, 2 * duration);
        if (!isExpired && held.holder !== holder) return undefined;
        // A later try that finds this holder sees its own write.
        if (tries === 0 || held?.holder !== holder) isTakenOver = until !== '';
        const fence = Number(held?.fence ?? 0) + (isExpired ? 1 : 0);
        const end = plus(now, duration);
        const expiresAt = isTemporary ? toSeconds(plus(end, DAY)) : undefined;
        const set = { holder, fence, until: end, format: nextFormat(held, fence), expiresAt };
        const condition = { holder: held?.holder, fence: held?.fence, until: held?.until };
        if ((await table.update(leaseKey(name), { set }, condition)) === 'written')
          return { name, holder, fence, isTakenOver };
        // A conflict. The other writer may have been this very call, whose response was lost: then the next try finds its
        // own lease and extends it.
      }
      return undefined;
    },

    async release({ name, holder, fence }) {
      await table.update(leaseKey(name), { set: { until: '' } }, { holder, fence });
    },
  };
}
