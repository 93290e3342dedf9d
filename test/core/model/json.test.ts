import { describe, expect, it } from 'vitest';
import { readJsonObject } from '../../../core/model/json.ts';

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
