import { describe, expect, it } from 'vitest';
import { memoize, memoizeText } from '../../../core/model/memoize.ts';

function counted() {
  const asked: string[] = [];
  const compute = (key: string) => {
    asked.push(key);
    return key.length;
  };
  return { asked, compute };
}

describe('memoize', () => {
  it('computes a result once', () => {
    const { asked, compute } = counted();
    const length = memoize(compute);
    expect([length('a'), length('bb'), length('a'), length('bb')]).toEqual([1, 2, 1, 2]);
    expect(asked).toEqual(['a', 'bb']);
  });

  it('clears the cache at its limit, and stays correct', () => {
    const { asked, compute } = counted();
    const length = memoize(compute, 2);
    expect(['a', 'bb', 'ccc', 'a', 'ccc'].map(length)).toEqual([1, 2, 3, 1, 3]);
    expect(asked).toEqual(['a', 'bb', 'ccc', 'a']);
  });

  it('returns the same result to all callers', () => {
    const list = memoize((key: string) => [key]);
    expect(list('a')).toBe(list('a'));
  });
});

describe('memoizeText', () => {
  it('caches short texts only, so that memory stays bounded', () => {
    const { asked, compute } = counted();
    const length = memoizeText(compute);
    const [short, long] = ['a'.repeat(100), 'a'.repeat(101)];
    expect([short, long, short, long].map(length)).toEqual([100, 101, 100, 101]);
    expect(asked).toEqual([short, long, long]);
  });
});
