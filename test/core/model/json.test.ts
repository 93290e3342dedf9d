import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, isJsonObject, isSameValue, readJsonObject } from '../../../core/model/json.ts';
import { cpuMillis } from '../../cpu-time.ts';
import { reverseKeys } from '../../reverse-keys.ts';

describe('readJsonObject', () => {
  it('parses an object', () => {
    expect(readJsonObject(' {"a":1,"b":{"c":[null]}}\n')).toEqual({ a: 1, b: { c: [null] } });
    expect(readJsonObject('{}')).toEqual({});
  });

  it.each(['', 'null', '7', '"text"', 'true', '{', '{"a":1} more', 'hunter2'])('returns undefined for %j', (text) => {
    expect(readJsonObject(text)).toBeUndefined();
  });

  it('converts a list to an object with its indexes as keys', () => {
    expect(readJsonObject('[1]')?.length).toBeUndefined();
  });
});

describe('isJsonObject', () => {
  it('accepts objects only', () => {
    expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
    expect([null, undefined, [], 'text', 7, true].some(isJsonObject)).toBe(false);
  });
});

/** Few keys and leaves, so that two values are often the same. */
const similar = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, 0, 1, '', 'a'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '0', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

describe('isSameValue', () => {
  it('does not compare the order of keys', () => {
    expect(isSameValue({ a: 1, b: { c: 2, d: [3] } }, { b: { d: [3], c: 2 }, a: 1 })).toBe(true);
  });

  it('compares the order of lists', () => {
    expect(isSameValue([1, 2], [2, 1])).toBe(false);
  });

  it('treats an undefined property as absent, and null as a value', () => {
    expect(isSameValue({ a: 1, b: undefined }, { a: 1 })).toBe(true);
    expect(isSameValue({ a: 1 }, { a: 1, b: undefined })).toBe(true);
    expect(isSameValue({ a: undefined, b: 1 }, { b: 1, c: undefined })).toBe(true);
    expect(isSameValue({ a: undefined }, { b: 1 })).toBe(false);
    expect(isSameValue({ a: null }, {})).toBe(false);
    expect(isSameValue([undefined], [null])).toBe(true);
    expect(isSameValue(undefined, null)).toBe(false);
  });

  it.each([
    [{}, []],
    [{ 0: 'a' }, ['a']],
    [{}, null],
    ['1', 1],
    [{ toString: 1 }, {}],
    [JSON.parse('{"__proto__":{}}'), {}],
  ])('tells %j from %j', (a, b) => {
    expect(isSameValue(a, b)).toBe(false);
    expect(isSameValue(b, a)).toBe(false);
  });

  it('agrees with the canonical text, both ways round', () => {
    fc.assert(
      fc.property(fc.oneof(similar, fc.jsonValue()), fc.oneof(similar, fc.jsonValue()), (a, b) => {
        const isSame = canonicalJson(a) === canonicalJson(b);
        expect(isSameValue(a, b)).toBe(isSame);
        expect(isSameValue(b, a)).toBe(isSame);
      }),
    );
  });

  it('is the same after keys moved at any depth, and after a way through JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(isSameValue(value, reverseKeys(value))).toBe(true);
        expect(canonicalJson(reverseKeys(value))).toBe(canonicalJson(value));
        expect(isSameValue(value, JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
    );
  });

  it('differs when one leaf differs, however deep', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
        expect(isSameValue(value, reverseKeys(changeLeaf(value, at)))).toBe(false);
      }),
    );
  });

  it('takes time in proportion to the size', () => {
    const wide = (order: 1 | -1) => Object.fromEntries(range(200_000, order).map((n) => [`key ${n}`, { n: [n] }]));
    const [a, b] = [wide(1), wide(-1)];
    const start = cpuMillis();
    expect(isSameValue(a, b)).toBe(true);
    expect(cpuMillis() - start).toBeLessThan(2000);
  });
});

const range = (count: number, order: 1 | -1) =>
  Array.from({ length: count }, (_, n) => (order === 1 ? n : count - n - 1));

/** The value with another leaf: the one that is reached by always taking the child at `at`. */
function changeLeaf(value: unknown, at: number): unknown {
  if (Array.isArray(value) && value.length > 0) {
    return value.with(at % value.length, changeLeaf(value[at % value.length], at));
  }
  if (isJsonObject(value) && Object.keys(value).length > 0) {
    const entries = Object.entries(value);
    const [key, item] = entries[at % entries.length] ?? ['', undefined];
    return Object.fromEntries([...entries.filter(([name]) => name !== key), [key, changeLeaf(item, at)]]);
  }
  return { was: value };
}
