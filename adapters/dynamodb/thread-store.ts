/** ThreadStore on DynamoDB. */

import type { StoredThread, ThreadStore } from '../../core/ports/thread-store.ts';
import { threadKey } from './keys.ts';
import type { Table } from './table.ts';

export function dynamoThreadStore(table: Table): ThreadStore {
  return {
    // Consistent: two messages about a record within a second belong in the same thread.
    async get(subscription, subject) {
      const item = await table.get(threadKey(subscription, subject), true);
      return item === undefined ? undefined : threadFromItem(item);
    },

    async save(subscription, subject, { thread, incarnation }) {
      const mark = incarnation === undefined ? {} : { incarnation };
      await table.put({ ...threadKey(subscription, subject), thread, ...mark });
    },
  };
}

export function threadFromItem({ thread, incarnation }: Readonly<Record<string, unknown>>): StoredThread {
  return { thread: String(thread), ...(incarnation === undefined ? {} : { incarnation: String(incarnation) }) };
}
