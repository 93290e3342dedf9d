/** ScanStateStore on DynamoDB: one item per resource, written on the condition of its version. */

import { isSameValue } from '../../core/model/json.ts';
import { initialScanState, type ScanState } from '../../core/model/scan.ts';
import type { Instant } from '../../core/model/time.ts';
import type { ScanStateStore } from '../../core/ports/scan-state-store.ts';
import { type StoredItem, scanKey, scanRequestKey } from './keys.ts';
import type { Table } from './table.ts';

export function dynamoScanStateStore(table: Table): ScanStateStore {
  return {
    // Consistent: it is read again under the lease, to see what the last holder wrote.
    async get(source, resource) {
      const item = await table.get(scanKey(source, resource), true);
      return item === undefined ? undefined : scanStateFromItem(source, resource, item);
    },

    async save(state) {
      const { source, resource, version } = state;
      const key = scanKey(source, resource);
      const outcome = await table.put({ ...key, version, state }, { version: version === 1 ? undefined : version - 1 });
      if (outcome !== 'unsure') return outcome === 'written';
      return isSameValue((await table.get(key, true))?.state, state);
    },

    async requestScan(source, at) {
      await table.put({ ...scanRequestKey(source), at });
    },

    async ofSource(source, consistent) {
      const { pk, sk: requestKey } = scanRequestKey(source);
      const states = new Map<string, ScanState>();
      let requestedAt: Instant | undefined;
      for await (const item of table.query({ partition: ['pk', pk], consistent })) {
        const sk = String(item.sk);
        if (sk !== requestKey) states.set(sk, scanStateFromItem(source, sk, item));
        else if (typeof item.at === 'string') requestedAt = item.at;
      }
      return requestedAt === undefined ? { states } : { states, requestedAt };
    },
  };
}

export function scanStateFromItem(source: string, resource: string, { state, version }: StoredItem): ScanState {
  // A state written by an earlier version lacks newer fields.
  const complete = { ...initialScanState(source, resource), ...(state as Partial<ScanState>) };
  // The version of the item decides about the next save; early versions wrote none.
  return { ...complete, version: Number(version ?? 0) };
}
