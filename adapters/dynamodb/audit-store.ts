/** AuditStore on DynamoDB: one item per entry, in partitions by month, sorted by time. Entries expire with the events. */

import type { AuditEntry } from '../../core/model/audit.ts';
import { createByteBudget } from '../../core/model/byte-budget.ts';
import { plus } from '../../core/model/time.ts';
import type { AuditStore } from '../../core/ports/audit-store.ts';
import { auditPartition } from './keys.ts';
import type { LedgerTable } from './ledger-table.ts';
import { monthsBetween, toSeconds } from './timeline.ts';

export function dynamoAuditStore({ table, clock, retention }: LedgerTable): AuditStore {
  return {
    async append(entry) {
      await table.put({
        pk: auditPartition(entry.at.slice(0, 7)),
        sk: `${entry.at} ${entry.id}`,
        entry,
        expiresAt: toSeconds(plus(entry.at, retention)),
      });
    },

    async page({ after, limit, maxBytes }) {
      const now = clock.now();
      const fits = createByteBudget(maxBytes);
      const entries: AuditEntry[] = [];
      let last: string | undefined;
      for (const month of monthsBetween(plus(now, -retention), now).reverse()) {
        if (after !== undefined && month > after.slice(0, 7)) continue;
        const range = after === undefined ? {} : { range: { name: 'sk', upTo: after } };
        const partition = ['pk', auditPartition(month)] as const;
        const items = table.query({ partition, ...range, backward: true, consistent: true, step: limit + 1 });
        for await (const { sk, entry } of items) {
          if (sk === after) continue;
          if (entries.length === limit || !fits(entry)) return { entries, cursor: last };
          // Unchecked: only `append` writes these items.
          entries.push(entry as AuditEntry);
          last = String(sk);
        }
      }
      return { entries, cursor: undefined };
    },

    /** DynamoDB deletes old items by their time to live. */
    async prune() {},
  };
}
