/** `where` compared with EventBridge: the same rows as its own matcher, and the differences that docs/filters.md lists. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePattern, patternProblems } from '../../../core/filters/pattern.ts';
import { matchesLikeEventRuler } from './event-ruler.ts';

const matches = (pattern: unknown, event: unknown) => compilePattern(pattern)(event);

/** Rows of the table of differences: name, pattern, event, EventBridge, Tidings, reason. */
function readDifferences() {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/filters.md'), 'utf8');
  const [, table = ''] = docs.split('| difference | `where` |');
  return table
    .split('\n')
    .slice(2)
    .filter((line) => line.startsWith('| '))
    .map((line) => {
      const [name = '', pattern = '', event = '', theirs = '', ours = ''] = line.slice(2).split(' | ');
      return { name, pattern, event, theirs, ours };
    });
}

describe('a row that EventBridge matches in an unexpected way', () => {
  const list = { items: [{ a: 1 }, { a: 2, b: 5 }] };

  it.each<[string, object, object, boolean]>([
    ['absent in the entry that an earlier field chose', { items: { a: [1], b: [{ exists: false }] } }, list, true],
    ['present in the entry that an earlier field chose', { items: { a: [2], b: [{ exists: false }] } }, list, false],
    ['absent, but before the field that chooses', { items: { a: [{ exists: false }], b: [5] } }, list, false],
    ['absent in some entries only', { items: { b: [{ exists: false }] } }, list, false],
    ['absent in all entries', { items: { c: [{ exists: false }] } }, list, true],
    ['absent or a value, chosen by another', { items: { a: [1], b: [{ exists: false }, 5] } }, list, true],
    [
      'absent in an inner list of the chosen entry',
      { orders: { id: [1], items: { sku: [{ exists: false }] } } },
      {
        orders: [
          { id: 1, items: [{}] },
          { id: 2, items: [{ sku: 'x' }] },
        ],
      },
      true,
    ],
    [
      'a branch and a field beside it, one entry',
      { items: { a: [2] }, $or: [{ items: { b: [5] } }, { c: [1] }] },
      list,
      true,
    ],
    [
      'a branch and a field beside it, two entries',
      { items: { a: [1] }, $or: [{ items: { b: [5] } }, { c: [1] }] },
      list,
      false,
    ],
    ['a flattened name', { 'data.record.total': [5] }, { data: { record: { total: 5 } } }, true],
    ['a flattened name beside a section', { 'a.b': [1], a: { c: [2] } }, { a: [{ b: 1 }, { c: 2 }] }, false],
    ['a field whose name has a dot', { a: { b: [1] } }, { 'a.b': 1 }, true],
    ['a flattened name of a missing field', { 'a.b': [{ exists: false }] }, { a: { c: 1 } }, true],
    ['ß as SS', { a: [{ 'equals-ignore-case': 'Straße' }] }, { a: 'STRASSE' }, true],
    ['ß is not ss', { a: [{ 'equals-ignore-case': 'Straße' }] }, { a: 'strasse' }, false],
    ['ss is not ß', { a: [{ 'equals-ignore-case': 'strasse' }] }, { a: 'straße' }, false],
    ['ſ as S', { a: [{ 'equals-ignore-case': 'ſ' }] }, { a: 'S' }, true],
    ['ſ is not s', { a: [{ 'equals-ignore-case': 'ſ' }] }, { a: 's' }, false],
    ['s is not ſ', { a: [{ 'equals-ignore-case': 's' }] }, { a: 'ſ' }, false],
    ['the Kelvin sign as k', { a: [{ 'equals-ignore-case': '\u212a' }] }, { a: 'k' }, true],
    ['k is not the Kelvin sign', { a: [{ 'equals-ignore-case': 'k' }] }, { a: '\u212a' }, false],
  ])('matches here, too: %s', (_, pattern, event, expected) => {
    expect(matchesLikeEventRuler(pattern, event as never)).toBe(expected);
    expect(matches(pattern, event)).toBe(expected);
  });

  it.each([
    ['prefix', 'ß', 'SSx', true],
    ['prefix', 'ss', 'ßx', false],
    ['suffix', 'ß', 'xSS', true],
    ['suffix', 'ſ', 'xs', false],
  ])('%s in any case: %s and %s', (name, wanted, text, expected) => {
    expect(matches({ a: [{ [name]: { 'equals-ignore-case': wanted } }] }, { a: text })).toBe(expected);
  });
});

describe('each difference in docs/filters.md', () => {
  const rows = readDifferences();
  const readJson = (cell: string) => JSON.parse(cell.replaceAll('`', ''));

  it('is in the table', () => {
    expect(rows.length).toBeGreaterThanOrEqual(4);
  });

  it.each(rows)('is as described: $name', ({ pattern, event, theirs, ours }) => {
    expect(['match', 'no match', 'rejected']).toContain(theirs);
    if (theirs !== 'rejected')
      expect(matchesLikeEventRuler(readJson(pattern), readJson(event))).toBe(theirs === 'match');
    expect(matches(readJson(pattern), readJson(event))).toBe(ours === 'match');
  });
});

describe('any pattern without these differences', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'a.b');
  const scalar = fc.constantFrom('x', 'X', 1, 2, true, null);
  const { event } = fc.letrec<{ value: unknown; event: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(tie('event'), { maxLength: 3 }),
      tie('event'),
    ),
    event: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  }));
  const alternative = fc.oneof(
    scalar,
    fc.constant({ exists: false }),
    fc.constant({ exists: true }),
    fc.constantFrom({ 'equals-ignore-case': 'x' }, { 'anything-but': 'x' }, { prefix: 'x' }),
  );
  const alternatives = fc.array(alternative, { minLength: 1, maxLength: 2 });
  const { pattern } = fc.letrec<{ child: unknown; pattern: Record<string, unknown> }>((tie) => ({
    child: fc.oneof({ depthSize: 'small', withCrossShrink: true }, alternatives, tie('pattern')),
    pattern: fc.oneof(
      { depthSize: 'small' },
      fc.dictionary(key, tie('child'), { minKeys: 1, maxKeys: 3 }),
      fc
        .tuple(fc.dictionary(key, tie('child'), { maxKeys: 2 }), tie('pattern'), tie('pattern'))
        .map(([fields, one, other]) => ({ ...fields, $or: [one, other] })),
    ),
  }));

  /** Whether a name is both a field and a section: see the difference about lists within lists. */
  const isAmbiguous = (names: readonly string[]) =>
    names.some((one) => names.some((other) => other.startsWith(`${one}.`)));

  /** The names of all fields, and whether one is required twice in one combination of branches. */
  function findNames(pattern: object, name = ''): { names: string[]; twice: boolean } {
    let names: string[] = [];
    let twice = false;
    for (const [key, asked] of Object.entries(pattern) as [string, unknown][]) {
      const full = name === '' ? key : `${name}.${key}`;
      const inner =
        key === '$or'
          ? (asked as object[]).map((branch) => findNames(branch, name))
          : [Array.isArray(asked) ? { names: [full], twice: false } : findNames(asked as object, full)];
      const found = [...new Set(inner.flatMap((one) => one.names))];
      twice ||= inner.some((one) => one.twice) || found.some((one) => names.includes(one));
      names = [...names, ...found];
    }
    return { names, twice };
  }

  it('matches exactly the events that EventBridge matches', () => {
    fc.assert(
      fc.property(
        pattern.filter(
          (one) => !isAmbiguous(findNames(one).names) && !findNames(one).twice && patternProblems(one).length === 0,
        ),
        event,
        (pattern, event) => {
          expect(matches(pattern, event)).toBe(matchesLikeEventRuler(pattern, event as never));
        },
      ),
      { numRuns: 500 * Number(process.env.FC_RUNS ?? 1) },
    );
  });
});
