/** DocumentStore on DynamoDB: one item per document, with a version for conditional changes. */

import type { DocumentBody, DocumentStore } from '../../core/ports/document-store.ts';
import { conflictError, MAX_CHANGE_TRIES, pauseAfterConflict } from './conflicts.ts';
import { documentKey } from './keys.ts';
import type { Table } from './table.ts';
import { toSeconds } from './timeline.ts';

export function dynamoDocumentStore(table: Table): DocumentStore {
  const itemOf = (kind: string, id: string, body: DocumentBody, expiresAt: string | null) => ({
    ...documentKey(kind, id),
    body: JSON.stringify(body),
    version: 1,
    ...(expiresAt === null ? {} : { expiresAt: toSeconds(expiresAt) }),
  });
  return {
    async get(kind, id) {
      const item = await table.get(documentKey(kind, id), true);
      return item === undefined ? undefined : (JSON.parse(String(item.body)) as DocumentBody);
    },

    async add(kind, id, body, expiresAt) {
      const item = itemOf(kind, id, body, expiresAt);
      const outcome = await table.put(item, { pk: undefined });
      if (outcome !== 'unsure') return outcome === 'written';
      // An earlier try may have written it. Another caller with the same body is indistinguishable, and rare.
      return (await table.get(documentKey(kind, id), true))?.body === item.body;
    },

    async update(kind, id, change, newExpiry) {
      for (let tries = 0; tries < MAX_CHANGE_TRIES; tries++) {
        const item = await table.get(documentKey(kind, id), true);
        if (item === undefined) return undefined;
        const stored = JSON.parse(String(item.body)) as DocumentBody;
        const next = change(stored);
        if (next === stored) return stored;
        const expiresAt = newExpiry === undefined ? {} : { expiresAt: toSeconds(newExpiry) };
        const set = { body: JSON.stringify(next), version: Number(item.version) + 1, ...expiresAt };
        if ((await table.update(documentKey(kind, id), { set }, { version: item.version })) === 'written') return next;
        await pauseAfterConflict(tries);
      }
      throw conflictError(`document '${kind} ${id}'`);
    },

    async save(kind, id, body, expiresAt) {
      await table.put(itemOf(kind, id, body, expiresAt));
    },

    async remove(kind, id) {
      return (await table.remove(documentKey(kind, id), { sk: 'document' })) !== 'refused';
    },

    /** DynamoDB deletes old items by their time to live. */
    async prune() {},
  };
}
