import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAttribute, fromItem, toAttribute, toItem } from '../../../adapters/dynamodb/attribute-values.ts';
import { sizeOf } from '../../../bench/item-size.ts';

/** Converts a value to an attribute and back. */
const there = (value: unknown) => fromAttribute(JSON.parse(JSON.stringify(toAttribute(value))));

describe('attribute values', () => {
  it('round-trip every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // JSON has no negative zero.
        const json = JSON.parse(JSON.stringify(value).replaceAll('-0', '0'));
        expect(there(json)).toEqual(json);
      }),
      { numRuns: 500 },
    );
  });

  it('are equal to those of the SDK, where the SDK supports them', () => {
    const names = fc.string({ minLength: 1 }).filter((name) => !name.startsWith('#') && name !== '__proto__');
    const plain = fc.dictionary(names, fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)));
    fc.assert(
      fc.property(plain, (value) => {
        expect(unmarshall(toItem(value))).toEqual({ ...value });
        expect(fromItem(marshall({ ...value }, { convertClassInstanceToMap: true }))).toEqual({ ...value });
      }),
    );
  });

  it('keep numbers out of the range of DynamoDB', () => {
    for (const number of [1e300, -1e-200, 5e-324, Number.MAX_VALUE, 0.1, 1e21, 123456789012345680000]) {
      expect(there(number)).toBe(number);
    }
    expect(toAttribute(1e300)).toEqual({ M: { '#number': { S: '1e+300' } } });
  });

  it('keep values that are nested more deeply than DynamoDB allows', () => {
    const depthOf = (value: unknown): number =>
      typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));
    for (const levels of [29, 30, 31, 40, 64]) {
      let value: unknown = { '#json': 'a', n: 1e300 };
      for (let n = 1; n < levels; n++) value = n % 2 === 0 ? [value] : { '#json': value };
      expect(there(value)).toEqual(value);
      // Each list or map is two levels of the attribute.
      expect(depthOf(toAttribute(value))).toBeLessThanOrEqual(2 * 31 + 1);
    }
  });

  it('keep names that DynamoDB rejects, and names that start with the escape character', () => {
    const unusual = { '': 1, '#': 2, '#number': '3', '##number': { '#number': '4' }, ['__proto__']: 5 };
    expect(there(unusual)).toEqual(unusual);
    expect(Object.keys(toItem(unusual))).not.toContain('');
  });

  it('leave out undefined, and keep empty values', () => {
    expect(toItem({ a: undefined, b: '', c: [], d: {}, e: [undefined] })).toEqual({
      b: { S: '' },
      c: { L: [] },
      d: { M: {} },
      e: { L: [{ NULL: true }] },
    });
  });

  it('reject values that are not JSON', () => {
    expect(() => toAttribute(Number.NaN)).toThrow('expected a value of JSON, got NaN');
    expect(() => toAttribute(() => 1)).toThrow('expected a value of JSON, got function');
    expect(() => fromAttribute({ BS: [] })).toThrow('expected an attribute we write, got BS');
  });

  it('replace lone surrogates, which UTF-8 cannot encode', () => {
    expect(there('a\ud800')).toBe('a\ufffd');
  });

  it('have the size that is billed', () => {
    expect(sizeOf(toItem({ pk: 'abc', sk: 'é' }))).toBe(2 + 3 + 2 + 2);
    expect(sizeOf(toItem({ n: 123456, f: true, nothing: null }))).toBe(1 + 4 + 1 + 1 + 7 + 1);
    expect(sizeOf(toItem({ list: ['a', 'b'], map: { a: 'b' } }))).toBe(4 + 3 + 2 * 2 + 3 + 3 + 1 + 1 + 1);
    expect(sizeOf({ set: { SS: ['ab', 'c'] }, bytes: { B: new Uint8Array(10) } })).toBe(3 + 3 + 5 + 10);
  });
});
