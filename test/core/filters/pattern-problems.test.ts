import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compilePattern, patternProblems } from '../../../core/filters/pattern.ts';

const problemsOf = (pattern: unknown) =>
  patternProblems(pattern).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));

const ALL = 'prefix, suffix, equals-ignore-case, wildcard, anything-but, numeric, date, exists, none-of';
const NUMERIC = "expected a comparison and a number, or two of them, such as ['>=', 500] or ['>', 0, '<=', 5]";

describe('the pattern as a whole', () => {
  it.each<[string, unknown, string[]]>([
    ['is no text', 'x', ["expected fields, each with a list of alternatives, got 'x'"]],
    ['is no list', ['x'], ['expected fields, each with a list of alternatives, got a list of 1']],
    ['is not null', null, ['expected fields, each with a list of alternatives, got null']],
    ['is not missing', undefined, ['expected fields, each with a list of alternatives, got nothing']],
    ['is not empty', {}, ['expected fields, each with a list of alternatives, got an empty section']],
    ['has no empty section', { a: {} }, ['a: expected fields, each with a list of alternatives, got an empty section']],
    ['has a list at each end', { a: 'x' }, ["a: expected a list of alternatives, got 'x'"]],
    ['has something in each list', { a: [] }, ['a: expected a list of alternatives, got an empty list']],
    ['has no list in a list', { a: [['x']] }, ['a[0]: expected a plain value or an operator, got a list of 1']],
    ['has numbers that are some', { a: [Number.NaN] }, ['a[0]: expected a number, got NaN']],
    ['has $or as its only word', { $and: [{ a: ['x'] }] }, ["$and: expected a field or $or, got '$and'"]],
    [
      'shows long texts in part',
      { a: 'x'.repeat(100) },
      [`a: expected a list of alternatives, got '${'x'.repeat(80)}…'`],
    ],
  ])('%s', (_, pattern, expected) => {
    expect(problemsOf(pattern)).toEqual(expected);
  });

  it('reports every problem at once', () => {
    const pattern = { a: 1, b: { c: [{ prefix: 1 }, { numeric: ['>', 'x'] }] }, $or: [{ d: [] }, { e: ['x'] }] };
    expect(problemsOf(pattern)).toEqual([
      'a: expected a list of alternatives, got 1',
      'b.c[0].prefix: expected a text or { equals-ignore-case: text }, got 1',
      "b.c[1].numeric[1]: expected a number, got 'x'",
      '$or[0].d: expected a list of alternatives, got an empty list',
    ]);
  });

  it('may not be deeper than any event', () => {
    let deep: unknown = ['x'];
    for (let level = 0; level < 100_000; level++) deep = { a: deep };
    expect(problemsOf(deep)).toEqual([expect.stringMatching(/expected at most 50 levels, got more$/)]);
  });
});

describe('an operator', () => {
  it.each<[string, unknown, string[]]>([
    ['is known', { contains: 'x' }, [`[0]: unknown operator 'contains', expected one of ${ALL}`]],
    ['is spelled right', { prefx: 'x' }, ["[0]: unknown operator 'prefx', did you mean 'prefix'?"]],
    [
      'is spelled right, hyphens too',
      { anythingbut: 'x' },
      ["[0]: unknown operator 'anythingbut', did you mean 'anything-but'?"],
    ],
    ['is no inherited word', { constructor: 'x' }, [`[0]: unknown operator 'constructor', expected one of ${ALL}`]],
    [
      'is one',
      { prefix: 'x', suffix: 'y' },
      [`[0]: expected one operator (${ALL}), got a section with prefix, suffix`],
    ],
    ['is there', {}, [`[0]: expected one operator (${ALL}), got an empty section`]],
    [
      'cidr is left out',
      { cidr: '10.0.0.0/8' },
      ['[0].cidr: expected another operator, got cidr, which is left out: events carry no addresses of machines'],
    ],
    ['prefix', { prefix: 5 }, ['[0].prefix: expected a text or { equals-ignore-case: text }, got 5']],
    [
      'suffix',
      { suffix: { wildcard: 'x' } },
      ['[0].suffix: expected a text or { equals-ignore-case: text }, got a section with wildcard'],
    ],
    [
      'equals-ignore-case',
      { 'equals-ignore-case': ['x'] },
      ['[0].equals-ignore-case: expected a text, got a list of 1'],
    ],
    ['wildcard', { wildcard: null }, ['[0].wildcard: expected a text with *, got null']],
    [
      'wildcard with two asterisks',
      { wildcard: 'a**b' },
      ["[0].wildcard: expected single asterisks (one already matches any characters), got 'a**b'"],
    ],
    [
      'wildcard with a lone backslash',
      { wildcard: 'a\\b' },
      ["[0].wildcard: expected a backslash only before '*' or another backslash, got 'a\\b'"],
    ],
    ['exists', { exists: 'yes' }, ["[0].exists: expected true or false, got 'yes'"]],
    ['numeric without a list', { numeric: 5 }, [`[0].numeric: ${NUMERIC}, got 5`]],
    ['numeric with half a bound', { numeric: ['>'] }, [`[0].numeric: ${NUMERIC}, got a list of 1`]],
    ['numeric with three bounds', { numeric: ['>', 1, '<', 9, '<', 8] }, [`[0].numeric: ${NUMERIC}, got a list of 6`]],
    [
      'numeric with wrong parts',
      { numeric: ['=>', '5'] },
      ["[0].numeric[0]: expected one of =, <, <=, >, >=, got '=>'", "[0].numeric[1]: expected a number, got '5'"],
    ],
    [
      'numeric without end',
      { numeric: ['<', Number.POSITIVE_INFINITY] },
      ['[0].numeric[1]: expected a number, got Infinity'],
    ],
    [
      'numeric with two lower ends',
      { numeric: ['>', 1, '>=', 5] },
      ['[0].numeric: expected a range with a lower end and a higher one, got > 1 and >= 5'],
    ],
    [
      'numeric with nothing between',
      { numeric: ['>', 5, '<=', 5] },
      ['[0].numeric: expected a range with a lower end and a higher one, got > 5 and <= 5'],
    ],
    [
      'numeric = with a second bound',
      { numeric: ['=', 5, '<', 9] },
      ['[0].numeric: expected a range with a lower end and a higher one, got = 5 and < 9'],
    ],
    [
      'anything-but nothing',
      { 'anything-but': [] },
      ['[0].anything-but: expected at least one value, got an empty list'],
    ],
    [
      'anything-but a list in a list',
      { 'anything-but': ['x', ['y']] },
      ['[0].anything-but[1]: expected a plain value, got a list of 1'],
    ],
    [
      'anything-but what it cannot turn round',
      { 'anything-but': { numeric: ['>', 5] } },
      ["[0].anything-but: unknown operator 'numeric', expected one of prefix, suffix, equals-ignore-case, wildcard"],
    ],
    [
      'anything-but misspelled',
      { 'anything-but': { sufix: 'x' } },
      ["[0].anything-but: unknown operator 'sufix', did you mean 'suffix'?"],
    ],
    [
      'anything-but the empty prefix',
      { 'anything-but': { prefix: '' } },
      ["[0].anything-but.prefix: expected a text of at least one character, got ''"],
    ],
    [
      'anything-but no suffixes',
      { 'anything-but': { suffix: [] } },
      ['[0].anything-but.suffix: expected at least one text, got an empty list'],
    ],
    [
      'anything-but a number among wildcards',
      { 'anything-but': { wildcard: ['a*', 5] } },
      ['[0].anything-but.wildcard[1]: expected a text with *, got 5'],
    ],
  ])('%s', (_, alternative, expected) => {
    expect(problemsOf({ f: [alternative] })).toEqual(expected.map((problem) => `f${problem}`));
  });

  it.each<[string, unknown]>([
    ['numeric', ['>=', 500]],
    ['anything-but', ['x', 'y']],
    ['prefix', 'x'],
    ['exists', true],
  ])('%s stands in a list', (operator, operand) => {
    expect(problemsOf({ total: { [operator]: operand } })).toEqual([
      `total.${operator}: expected a list of alternatives such as [{ ${operator}: … }], got the operator without the list around it`,
    ]);
  });

  it('may share its name with a field', () => {
    expect(problemsOf({ record: { prefix: ['INV'], numeric: [5], exists: [true] } })).toEqual([]);
  });
});

describe('$or', () => {
  it.each<[string, unknown, string[]]>([
    ['is a list', { a: ['x'] }, ['$or: expected a list of at least two patterns, got a section with a']],
    ['has at least two patterns', [{ a: ['x'] }], ['$or: expected a list of at least two patterns, got a list of 1']],
    [
      'has patterns, no values',
      ['x', { a: ['x'] }],
      ["$or[0]: expected fields, each with a list of alternatives, got 'x'"],
    ],
  ])('%s', (_, $or, expected) => {
    expect(problemsOf({ $or })).toEqual(expected);
  });
});

describe('docs/filters.md', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../docs/filters.md'), 'utf8');
  const examples = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, yaml = '']) => yaml);
  const cells = [...text.matchAll(/^\| `(\[.*?\])` \|.*\|.*\|.*\|$/gm)].map(([, cell = '']) => cell);

  it('shows patterns that are good', () => {
    expect(examples.length).toBeGreaterThan(2);
    for (const example of examples) expect(problemsOf(parse(example).where)).toEqual([]);
  });

  it('shows what each pattern matches and what not', () => {
    const shown = [...text.matchAll(/```yaml\n(.*?)```\n(.*?)(?=```yaml|\n## )/gs)];
    for (const [, yaml = '', after = ''] of shown) {
      const matches = compilePattern(parse(yaml).where);
      const [, part = ''] = /^\| `data\.(record|changes)` \|/m.exec(after) ?? [];
      const claims = [...after.matchAll(/^\| `([{[].*)` \| (matches|does not match) \|$/gm)];
      expect(new Set(claims.map(([, , claim]) => claim)).size).toBe(2);
      for (const [, value = '', claim] of claims) {
        const result = matches({ data: { [part]: parse(value) } }) ? 'matches' : 'does not match';
        expect([value, result]).toEqual([value, claim]);
      }
    }
  });

  it('shows values that match each operator, and values that do not', () => {
    const rows = [...text.matchAll(/^\| `(\[.*?\])` \| .* \| (`.*`) \| (`.*`) \|$/gm)];
    expect(rows).toHaveLength(cells.length);
    for (const [, alternatives = '', matching = '', others = ''] of rows) {
      const matches = compilePattern({ field: parse(alternatives) });
      const listed = (values: string) => values.slice(1, -1).split('`, `');
      for (const value of listed(matching))
        expect([alternatives, value, matches({ field: parse(value) })]).toEqual([alternatives, value, true]);
      for (const value of listed(others))
        expect([alternatives, value, matches({ field: parse(value) })]).toEqual([alternatives, value, false]);
    }
  });

  it('shows each operator with an example that is good', () => {
    expect(cells.length).toBeGreaterThan(10);
    for (const cell of cells) expect(problemsOf({ field: parse(cell) })).toEqual([]);
    for (const operator of ALL.split(', ')) expect(cells.join()).toContain(`{ ${operator}: `);
  });
});
