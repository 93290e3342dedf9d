/** The contract of AuditStore. The tests of each adapter run this suite. */

import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../core/model/audit.ts';
import { DAY, plus } from '../../core/model/time.ts';
import { NOON } from '../samples.ts';
import type { StoreTraits } from './event-store.ts';
import { later, type OpenStores, openForEach } from './opened-stores.ts';

const entry = (id: string, at = NOON): AuditEntry => ({
  id: `aud_${id}`,
  at,
  by: { kind: 'key', id: '0123456789abcdef', name: 'ops' },
  action: 'subscription.created',
  target: 'subscription/ops',
  details: { events: ['task.*'] },
});

export function auditStoreContract(name: string, { expires }: StoreTraits, open: OpenStores): void {
  describe(`AuditStore: ${name}`, () => {
    const opened = openForEach(open);

    it('returns pages, newest first, which entries appended in between do not shift', async () => {
      const { audit } = opened.stores;
      // In two months.
      const all = [
        entry('1', plus(NOON, -20 * DAY)),
        entry('2', later(-3)),
        entry('3', later(-2)),
        entry('4', later(-1)),
      ];
      for (const one of all) await audit.append(one);
      const first = await audit.page({ limit: 2 });
      expect(first.entries).toEqual([all[3], all[2]]);
      await audit.append(entry('5'));
      const second = await audit.page({ limit: 2, after: first.cursor });
      expect(second.entries).toEqual([all[1], all[0]]);
      const end = second.cursor === undefined ? undefined : await audit.page({ limit: 2, after: second.cursor });
      expect(end?.entries ?? []).toEqual([]);
      expect((await audit.page({ limit: 9 })).entries).toHaveLength(5);
      const short = await audit.page({ limit: 9, maxBytes: 1 });
      expect(short.entries).toEqual([entry('5')]);
      const maxBytes = Buffer.byteLength(JSON.stringify(all.slice(0, 3)));
      const rest = await audit.page({ limit: 9, maxBytes, after: short.cursor });
      expect(rest.entries).toEqual([all[3], all[2], all[1]]);
      expect((await audit.page({ limit: 9, maxBytes, after: rest.cursor })).entries).toEqual([all[0]]);
    });

    it('keeps entries of the same instant', async () => {
      const { audit } = opened.stores;
      for (const id of ['1', '2', '3']) await audit.append(entry(id));
      const first = await audit.page({ limit: 1 });
      const rest = await audit.page({ limit: 9, after: first.cursor });
      expect(new Set([...first.entries, ...rest.entries].map(({ id }) => id))).toEqual(
        new Set(['aud_1', 'aud_2', 'aud_3']),
      );
    });

    it('replaces an entry by one with its id and instant, in its place', async () => {
      const { audit } = opened.stores;
      const started = { ...entry('1', later(-1)), outcome: 'started' } as const;
      for (const one of [started, entry('2')]) await audit.append(one);
      await audit.append(entry('1', later(-1)));
      expect((await audit.page({ limit: 9 })).entries).toEqual([entry('2'), entry('1', later(-1))]);
    });

    it(`deletes old entries ${expires}`, async () => {
      const { audit } = opened.stores;
      for (const one of [entry('1', later(-60)), entry('2')]) await audit.append(one);
      await audit.prune(later(-1));
      const { entries } = await audit.page({ limit: 9 });
      expect(entries).toHaveLength(expires === 'when pruned' ? 1 : 2);
    });
  });
}
