/** Entries of the audit trail stay small, whatever a request contains: they are kept for months. */

import { expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../../adapters/sqlite/stores.ts';
import { auditedChange, recordChange } from '../../../core/ports/audit-store.ts';
import { NOON } from '../../samples.ts';

it('has the start of a fact that is long, and short ones as they are', async () => {
  const database = openDatabase(':memory:');
  const { audit } = sqliteStores(database);
  let made = 0;
  const ports = { audit, clock: { now: () => NOON }, randomBytes: (size: number) => new Uint8Array(size).fill(made++) };
  const author = { kind: 'key', id: '1' } as const;
  const details = { events: Array.from({ length: 100 }, () => '*'.repeat(2000)), to: 'http', count: 3 };
  const action = { action: 'subscription.created', target: 'subscription/a', details };
  await recordChange(ports, author, action);
  await auditedChange(ports, author, action, async () => 1, { detailsOf: () => ({ changes: 'x'.repeat(200_000) }) });
  const { entries } = await audit.page({ limit: 10 });
  expect(entries).toHaveLength(2);
  for (const entry of entries) {
    expect(entry.details).toMatchObject({ to: 'http', count: 3, events: expect.stringMatching(/^\["\*+…$/) });
    expect(JSON.stringify(entry).length).toBeLessThan(6_000);
  }
  database.close();
});
