import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../core/model/record.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import { fitted, RECORD_ROOM } from '../../../core/resources/fit.ts';
import { compare } from '../../../core/snapshot/compare.ts';

const bytes = (fields: Fields) => Buffer.byteLength(JSON.stringify(fields));
const text = (length: number, letter = 'a') => letter.repeat(length);

describe('fitted', () => {
  it('leaves alone what fits: it is the same object', () => {
    const fields = { id: '1', summary: text(39_000), people: ['1', '2'], nested: { a: [1, null] } };
    expect(fitted(fields)).toBe(fields);
  });

  it('keeps texts whole as long as the record fits', () => {
    const fields = { id: '1', summary: text(100_000) };
    expect(fitted(fields).summary === fields.summary).toBe(true);
  });

  it('cuts what is too long, says so, and leaves the rest of the record as it is', () => {
    const fields = { id: '1', title: 'Poster', summary: text(200_000) };
    const cut = fitted(fields);
    expect(cut).toMatchObject({ id: '1', title: 'Poster' });
    expect(cut.summary).toMatch(/^a{40000} \[… cut, 200000 characters in all; sha256 [0-9a-f]{16}\]$/);
  });

  it('shows a change behind the cut as a change, and none as none', () => {
    const before = fitted({ id: '1', summary: `${text(200_000)} first` });
    const after = fitted({ id: '1', summary: `${text(200_000)} second` });
    expect(compare(before, after, resourceOf('task')).changes.map(({ field }) => field)).toEqual(['summary']);
    expect(compare(before, fitted({ id: '1', summary: `${text(200_000)} first` }), resourceOf('task')).differs).toBe(
      false,
    );
  });

  it('does not cut through a character', () => {
    const cut = String(fitted({ id: '1', summary: text(50_000, '😀') }).summary);
    expect(cut.startsWith('😀'.repeat(10_000))).toBe(true);
    expect(cut.slice(0, 20_010)).not.toContain('\ufffd');
  });

  it('cuts further where many fields are long, and leaves out fields where nothing else helps', () => {
    const some = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, text(30_000)]));
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, text(500)]));
    expect(Object.keys(fitted(some))).toHaveLength(20);
    expect(String(fitted(some).f0)).toMatch(/^a{4000} \[… cut, 30000 characters in all;/);
    expect(Object.keys(fitted(many)).length).toBeGreaterThan(100);
    expect(Object.keys(fitted(many)).length).toBeLessThan(5_000);
  });

  it('keeps a list a list, with a note in place of what is left out', () => {
    const ids = Array.from({ length: 40_000 }, (_, n) => String(n));
    const cut = fitted({ id: '1', assigneeid: ids }).assigneeid as string[];
    expect(cut.slice(0, 3)).toEqual(['0', '1', '2']);
    expect(cut.at(-1)).toBe(`[… ${ids.length - cut.length + 1} more left out; ${cut.at(-1)?.slice(-24)}`);
  });

  it('mends texts that are no texts, and values too deep to keep', () => {
    const deep = JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`);
    const { broken, nested } = fitted({ id: '1', broken: 'a\ud800b', nested: deep });
    expect(broken).toBe('a\ufffdb');
    expect(JSON.stringify(nested)).toMatch(/^\["\[… 1 more left out; sha256 [0-9a-f]{16}\]"\]$/);
    expect(fitted({ id: '1', nested: { deep, broken: '\ud800' } }).nested).toMatch(/characters left out/);
  });

  it('fits any record, always alike, and cut once is cut for good', () => {
    const long = fc.integer({ min: 0, max: 90_000 }).map((length) => text(length, 'é'));
    const record = fc.dictionary(
      fc.string({ maxLength: 8 }),
      fc.oneof(fc.jsonValue(), long, fc.array(long, { maxLength: 4 })),
    );
    fc.assert(
      fc.property(record, (value) => {
        const fields = value as Fields;
        const once = fitted(fields);
        expect(bytes(once)).toBeLessThan(RECORD_ROOM * 1.1);
        expect(fitted(fields)).toEqual(once);
        expect(fitted(once)).toEqual(once);
      }),
      { numRuns: 60 },
    );
  });

  it('is part of cleaning: no record passes it uncut', () => {
    const row = { id: '7', title: 'Poster', summary: text(300_000) };
    expect(bytes(cleanRow(resourceOf('task'), row).fields)).toBeLessThan(RECORD_ROOM);
  });
});
