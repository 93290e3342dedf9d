import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chunkKey,
  dirtyIdsKey,
  orderedId,
  partKey,
  recordKeyOf,
  SHARDS,
  shardOf,
  snapshotKey,
} from '../../../adapters/dynamodb/keys.ts';
import { compareIds } from '../../../core/model/record.ts';

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
const id = fc.oneof(fc.bigInt({ min: 1n, max: 9_999_999_999_999_999_999n }).map(String), name);
const manifest = { source: 'main', resource: 'task', scope: 'all' } as const;

describe('keys', () => {
  it('of records sort like their ids, also by bytes', () => {
    fc.assert(
      fc.property(id, id, (a, b) => {
        const bytes = Buffer.compare(Buffer.from(orderedId(a)), Buffer.from(orderedId(b)));
        expect(Math.sign(bytes)).toBe(Math.sign(compareIds(a, b)));
      }),
    );
  });

  it('of records convert back to the record key', () => {
    fc.assert(
      fc.property(name, name, fc.string({ minLength: 1, maxLength: 99 }), (source, resource, id) => {
        expect(recordKeyOf(snapshotKey({ source, resource, id }))).toEqual({ source, resource, id });
      }),
    );
  });

  it('have these formats', () => {
    expect(snapshotKey({ source: 'main', resource: 'task', id: '812' })).toEqual({ pk: 'main#task', sk: '003#812' });
    expect(chunkKey(manifest, 12)).toEqual({ pk: 'manifest#main#task#all', sk: 'chunk#000012' });
    expect(partKey(manifest, 12, 'abc').sk).toBe('part#000012#abc');
  });

  it('group dirty ids by the thousand, and never mix two lengths', () => {
    const at = (id: string) => dirtyIdsKey(manifest, id).sk;
    expect(at('1234567')).toBe('doubt#007#1234');
    expect(at('1234999')).toBe(at('1234000'));
    expect(at('1235000')).not.toBe(at('1234999'));
    expect(new Set(['7', '77', '777', '7777'].map(at)).size).toBe(4);
  });

  it('spread an agenda evenly over its shards', () => {
    const counts = new Map(SHARDS.map((shard) => [shard as string, 0]));
    for (let n = 0; n < 1000; n++) counts.set(shardOf(String(n)), (counts.get(shardOf(String(n))) ?? 0) + 1);
    for (const count of counts.values()) expect(count).toBeGreaterThan(150);
    expect(SHARDS).toContain(shardOf(''));
  });
});
