import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareIds } from '../../../../core/model/record.ts';
import { mergeJoin, packEntries, unpackEntries } from '../../../../core/source/scan/manifest.ts';

const id = fc.bigInt({ min: 1n, max: 10n ** 19n - 1n }).map(String);
const fingerprint = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const entries = fc
  .uniqueArray(fc.record({ id, fingerprint }), { selector: ({ id }) => id, maxLength: 40 })
  .map((list) => list.sort((a, b) => compareIds(a.id, b.id)));

describe('packEntries', () => {
  it('gives back every id and every bit of its fingerprint, in sixteen bytes each', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const packed = packEntries(list);
        expect(packed).toHaveLength(list.length * 16);
        expect(unpackEntries(packed)).toEqual(list);
      }),
    );
  });

  it('can be read from the middle of a larger buffer, as databases hand them out', () => {
    const packed = packEntries([{ id: '7', fingerprint: 9n }]);
    const larger = new Uint8Array(40);
    larger.set(packed, 11);
    expect(unpackEntries(larger.subarray(11, 27))).toEqual([{ id: '7', fingerprint: 9n }]);
  });
});

describe('join', () => {
  it('finds exactly what is new or changed, and exactly what is missing', () => {
    const small = fc.integer({ min: 1, max: 40 }).map(String);
    const side = fc
      .uniqueArray(fc.record({ id: small, fingerprint: fc.constantFrom(1n, 2n) }), { selector: ({ id }) => id })
      .map((list) => list.sort((a, b) => compareIds(a.id, b.id)));
    fc.assert(
      fc.property(side, side, (expected, rows) => {
        const before = new Map(expected.map(({ id, fingerprint }) => [id, fingerprint]));
        const after = new Set(rows.map(({ id }) => id));
        const { suspects, missing, same } = mergeJoin(expected, rows);
        expect(suspects).toEqual(rows.filter(({ id, fingerprint }) => before.get(id) !== fingerprint));
        expect(missing).toEqual(expected.map(({ id }) => id).filter((id) => !after.has(id)));
        expect(same).toBe(rows.length - suspects.length);
      }),
    );
  });

  it('suspects what is known to exist but not believed', () => {
    const row = { id: '1', fingerprint: 5n };
    expect(mergeJoin([{ id: '1', fingerprint: null }], [row])).toEqual({ suspects: [row], missing: [], same: 0 });
  });
});
