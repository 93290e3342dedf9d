/** IdempotencyStore on DynamoDB: one item per request, which expires. */

import type { IdempotencyStore, IdempotentRequest } from '../../core/ports/idempotency-store.ts';
import { idempotencyKey } from './keys.ts';
import type { StoredItem, Table } from './table.ts';
import { toSeconds } from './timeline.ts';

export function dynamoIdempotencyStore(table: Table): IdempotencyStore {
  return {
    async begin(id, { fingerprint, startedAt }, { staleBefore, expiresAt }) {
      const item = { ...idempotencyKey(id), fingerprint, startedAt, until: expiresAt, expiresAt: toSeconds(expiresAt) };
      if ((await table.put(item, { pk: undefined })) === 'written') return undefined;
      const stored = await table.get(idempotencyKey(id), true);
      const request = stored === undefined ? undefined : requestFromItem(stored);
      // Deleted items stay for up to two days after their expiry.
      const isExpired = String(stored?.until ?? '') <= startedAt;
      if (request !== undefined && !isExpired && (request.response !== null || request.startedAt >= staleBefore)) {
        return request;
      }
      const condition = { startedAt: stored?.startedAt, response: stored?.response };
      const outcome = await table.put(item, stored === undefined ? { pk: undefined } : condition);
      // Another process was faster: its request is in progress.
      return outcome === 'written' ? undefined : { fingerprint, startedAt, response: null };
    },

    async finish(id, response) {
      await table.update(idempotencyKey(id), { set: { response } }, { sk: 'request' });
    },

    async forget(id) {
      await table.remove(idempotencyKey(id));
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
