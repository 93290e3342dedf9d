/** What a filter may cost, counted without compiling it: at least what its compiled form compares. And the memory of that form. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../core/filters/pattern.ts';
import { countComparisons } from '../../../core/filters/pattern-cost.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const like = (text: string) => ({ wildcard: text });
const branches = (count: number) => Array.from({ length: count }, (_, index) => ({ subject: [`task/${index}`] }));

describe('the cost of a filter', () => {
  it.each([
    ['an exact value', { type: ['a'] }, 1],
    ['many exact values', { type: ['a', 'b', null, 3] }, 1],
    ['fields in sections', { data: { record: { title: ['a'], status: ['b'] } }, 'data.version': [1] }, 6],
    ['operators', { type: [{ prefix: 'a' }, { numeric: ['>', 1, '<', 5] }, { exists: false }] }, 4],
    ['wildcards', { type: [like('a*'), like('b*')] }, 101],
    ['excluded wildcards', { type: [{ 'anything-but': { wildcard: ['a*', 'b*', 'c*'] } }] }, 151],
    ['a wildcard with many asterisks', { type: [like('a*'.repeat(10)), like('a*'.repeat(400))] }, 1 + 50 + 50 + 390],
    ['a long text in any case', { type: [{ 'equals-ignore-case': 'a'.repeat(800) }] }, 2],
    ['one with an accent', { type: [{ 'equals-ignore-case': `${'a'.repeat(799)}é` }] }, 102],
    ['such a prefix', { type: [{ prefix: { 'equals-ignore-case': 'é'.repeat(80) } }] }, 12],
    ['excluded ones', { type: [{ 'anything-but': { suffix: [{ 'equals-ignore-case': 'é'.repeat(80) }, 'b'] } }] }, 13],
    ['excluded values', { type: [{ 'anything-but': ['a', 'b'] }] }, 3],
    ['excluded prefixes', { type: [{ 'anything-but': { prefix: ['a', 'b'] } }] }, 3],
    ['none-of', { type: [{ 'none-of': ['a', like('b*')] }] }, 52],
    ['a field of the name of an operator', { data: { wildcard: ['a'] } }, 2],
    ['operators of a list', { data: { record: { assignees: [{ prefix: 'a' }, like('*b')] } } }, 3 + 10 * 51],
    ['operators of a list of before', { 'data.before.tags': ['a', { suffix: 'b' }] }, 3 + 10],
    ['branches', { $or: branches(10) }, 10],
    ['branches beside a wildcard', { title: [like('a*')], $or: branches(10) }, 10 * (51 + 1)],
    ['branches in branches', { $or: [{ $or: branches(3), type: ['a'] }, { type: ['b'] }] }, 3 * 2 + 1],
    ['branches in a section', { data: { $or: branches(4), title: [like('*')] }, type: ['a'] }, 4 * (1 + 1 + 51 + 1)],
    ['branches in two sections', { a: { $or: branches(4) }, b: { $or: branches(5) } }, 20 * 4],
    ['nothing', {}, 0],
  ])('counts %s', (_, pattern, expected) => {
    expect(countComparisons(pattern)).toBe(expected);
  });
});

describe('the memory of a pattern', () => {
  const TEXT = 100_000;
  it.each([
    ['equals-ignore-case', 'b'.repeat(TEXT)],
    ['equals-ignore-case', 'é'.repeat(TEXT)],
    ['wildcard', 'b'.repeat(TEXT)],
    ['wildcard', `*${'b'.repeat(TEXT)}*`],
    ['wildcard', '\\*'.repeat(TEXT)],
  ])('is a few times its length: %s', (operator, text) => {
    const patternOf = (number: number) => ({ data: { record: { title: [{ [operator]: `${text}${number}` }] } } });
    compilePattern(patternOf(0));
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const kept = Array.from({ length: 20 }, (_, number) => compilePattern(patternOf(number)));
    collectGarbage();
    const each = (process.memoryUsage().heapUsed - before) / kept.length;
    expect(each).toBeLessThan(8 * TEXT);
  });
});
