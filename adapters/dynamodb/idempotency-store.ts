/** IdempotencyStore on DynamoDB: one item per request, which expires. */

import type { Instant } from '../../core/model/time.ts';
import type { IdempotencyStore, IdempotentRequest } from '../../core/ports/idempotency-store.ts';
import { idempotencyKey, type StoredItem } from './keys.ts';
import type { Table } from './table.ts';
import { toSeconds } from './timeline.ts';

export function dynamoIdempotencyStore(table: Table): IdempotencyStore {
  return {
    async begin(id, { fingerprint, startedAt }, { staleBefore, expiresAt }) {
      const itemUntil = (until: Instant) => {
        return { ...idempotencyKey(id), fingerprint, startedAt, until, expiresAt: toSeconds(until) };
      };
      if ((await table.put(itemUntil(expiresAt), { pk: undefined })) === 'written') return { isNew: true, expiresAt };
      const stored = await table.get(idempotencyKey(id), true);
      const request = stored === undefined ? undefined : requestFromItem(stored);
      // Deleted items stay for up to two days after their expiry.
      const isExpired = String(stored?.until ?? '') <= startedAt;
      const end = isExpired ? expiresAt : String(stored?.until);
      if (request !== undefined && !isExpired && (request.response !== null || request.startedAt >= staleBefore)) {
        return { earlier: request, isNew: false, expiresAt: end };
      }
      const condition = { startedAt: stored?.startedAt, response: stored?.response };
      const outcome = await table.put(itemUntil(end), stored === undefined ? { pk: undefined } : condition);
      // Another process was faster: its request is in progress.
      const earlier = outcome === 'written' ? undefined : { fingerprint, startedAt, response: null };
      return { ...(earlier === undefined ? {} : { earlier }), isNew: false, expiresAt: end };
    },

    async finish(id, response) {
      await table.update(idempotencyKey(id), { set: { response } }, { sk: 'request' });
    },

    async release(id) {
      await table.update(idempotencyKey(id), { set: { startedAt: '' } }, { sk: 'request' });
    },

    async forget(id) {
      await table.remove(idempotencyKey(id), { response: undefined });
    },

    /** DynamoDB deletes old items by their time to live. */
    async prune() {},
  };
}

/** Unchecked: only this store writes these items. */
function requestFromItem({ fingerprint, startedAt, response }: StoredItem): IdempotentRequest {
  return {
    fingerprint: String(fingerprint),
    startedAt: String(startedAt),
    response: typeof response === 'string' ? response : null,
  };
}
