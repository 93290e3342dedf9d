import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fields } from '../../../core/model/record.ts';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import { fitFields, MAX_RECORD_BYTES } from '../../../core/resources/fit.ts';
import { compare } from '../../../core/snapshot/compare.ts';

const bytes = (fields: Fields) => Buffer.byteLength(JSON.stringify(fields));
const text = (length: number, letter = 'a') => letter.repeat(length);

describe('fitFields', () => {
  it('returns the same object if it fits', () => {
    const fields = { id: '1', summary: text(39_000), people: ['1', '2'], nested: { a: [1, null] } };
    expect(fitFields(fields)).toBe(fields);
  });

  it('keeps long texts whole if the record fits', () => {
    const fields = { id: '1', summary: text(100_000) };
    expect(fitFields(fields).summary === fields.summary).toBe(true);
  });

  it('truncates a long text with a note, and keeps the other fields', () => {
    const fields = { id: '1', title: 'Poster', summary: text(200_000) };
    const cut = fitFields(fields);
    expect(cut).toMatchObject({ id: '1', title: 'Poster' });
    expect(cut.summary).toMatch(/^a{40000} \[… cut, 200000 characters in all; sha256 [0-9a-f]{16}\]$/);
  });

  it('detects a change in the truncated part', () => {
    const before = fitFields({ id: '1', summary: `${text(200_000)} first` });
    const after = fitFields({ id: '1', summary: `${text(200_000)} second` });
    expect(compare(before, after, resourceOf('task')).changes.map(({ field }) => field)).toEqual(['summary']);
    expect(compare(before, fitFields({ id: '1', summary: `${text(200_000)} first` }), resourceOf('task')).differs).toBe(
      false,
    );
  });

  it('does not split a character', () => {
    const cut = String(fitFields({ id: '1', summary: text(50_000, '😀') }).summary);
    expect(cut.startsWith('😀'.repeat(10_000))).toBe(true);
    expect(cut.slice(0, 20_010)).not.toContain('\ufffd');
  });

  it('truncates further if many fields are long, and drops fields as a last resort', () => {
    const some = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`f${n}`, text(30_000)]));
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, text(500)]));
    expect(Object.keys(fitFields(some))).toHaveLength(20);
    expect(String(fitFields(some).f0)).toMatch(/^a{4000} \[… cut, 30000 characters in all;/);
    expect(Object.keys(fitFields(many)).length).toBeGreaterThan(100);
    expect(Object.keys(fitFields(many)).length).toBeLessThan(5_000);
  });

  it('keeps a list a list, with a note for the members left out', () => {
    const ids = Array.from({ length: 40_000 }, (_, n) => String(n));
    const cut = fitFields({ id: '1', assigneeid: ids }).assigneeid as string[];
    expect(cut.slice(0, 3)).toEqual(['0', '1', '2']);
    expect(cut.at(-1)).toBe(`[… ${ids.length - cut.length + 1} more left out; ${cut.at(-1)?.slice(-24)}`);
  });

  it('repairs malformed texts and truncates deeply nested values', () => {
    const deep = JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`);
    const { broken, nested } = fitFields({ id: '1', broken: 'a\ud800b', nested: deep });
    expect(broken).toBe('a\ufffdb');
    expect(JSON.stringify(nested)).toMatch(/^\["\[… 1 more left out; sha256 [0-9a-f]{16}\]"\]$/);
    expect(fitFields({ id: '1', nested: { deep, broken: '\ud800' } }).nested).toMatch(/characters left out/);
  });

  it('fits any record, deterministically and idempotently', () => {
    const long = fc.integer({ min: 0, max: 90_000 }).map((length) => text(length, 'é'));
    const record = fc.dictionary(
      fc.string({ maxLength: 8 }),
      fc.oneof(fc.jsonValue(), long, fc.array(long, { maxLength: 4 })),
    );
    fc.assert(
      fc.property(record, (value) => {
        const fields = value as Fields;
        const once = fitFields(fields);
        expect(bytes(once)).toBeLessThan(MAX_RECORD_BYTES * 1.1);
        expect(fitFields(fields)).toEqual(once);
        expect(fitFields(once)).toEqual(once);
      }),
      { numRuns: 60 },
    );
  });

  it('is part of cleanRow', () => {
    const row = { id: '7', title: 'Poster', summary: text(300_000) };
    expect(bytes(cleanRow(resourceOf('task'), row).fields)).toBeLessThan(MAX_RECORD_BYTES);
  });
});
