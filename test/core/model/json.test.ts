import { describe, expect, it } from 'vitest';
import { readJsonObject } from '../../../core/model/json.ts';

describe('a JSON object in a text', () => {
  it('is read', () => {
    expect(readJsonObject(' {"a":1,"b":{"c":[null]}}\n')).toEqual({ a: 1, b: { c: [null] } });
    expect(readJsonObject('{}')).toEqual({});
  });

  it.each(['', 'null', '7', '"text"', 'true', '{', '{"a":1} more', 'hunter2'])(
    'is none in %j, and nothing is thrown',
    (text) => {
      expect(readJsonObject(text)).toBeUndefined();
    },
  );

  it('has the places of a list for names, so that no name is found in it by chance', () => {
    expect(readJsonObject('[1]')?.length).toBeUndefined();
  });
});
