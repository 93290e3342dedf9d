import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createExcerpt } from '../../../../adapters/sources/http/excerpt.ts';
import { buildPage, type PageSource, parsedContent, splitContent } from '../../../../adapters/sources/work/page.ts';
import type { PageContent } from '../../../../core/ports/source-api.ts';

function source(body: string | object, query = { offset: 0, limit: 500 }, resource = 'task'): PageSource {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const excerpt = createExcerpt('the-token', 'Basic the-credentials');
  return { resource, query, body: Buffer.from(text), took: 5, serverTime: null, excerpt };
}

const head = { personid: '1', status: 'OK', code: '200' };
const pageOf = (rows: readonly unknown[], more: object = {}) => ({
  ...head,
  listcount: rows.length,
  task: rows,
  ...more,
});
const summarize = ({ rows, listCount, personId }: PageContent) => ({
  rows: rows.map((row) => [row.id, row.parse()]),
  listCount,
  personId,
});
const thrown = (act: () => unknown): unknown => {
  try {
    return { returned: act() };
  } catch (error) {
    return error;
  }
};

/** Text that looks like the structure of a page. */
const NASTY = [
  '},{"id":"7"',
  '},{"id":"7","title":"x"}',
  '"task":[{"id":"1"}]',
  '"x":[',
  ': [',
  '"',
  '\\',
  '\\"',
  '\\\\"},{"id":',
  ', {',
  ',{"',
  ',{}',
  ']',
  '}]}',
  '{{name}}',
  '[URGENT] a, b',
  '&amp;&eacute;&rsquo;',
  'Zürich 日本 🦊 \u2028',
  '\r\n\t',
];
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.constantFrom(...NASTY, 'a', ' '), { maxLength: 5 }).map((parts) => parts.join('')),
);
const id = fc.oneof(fc.nat().map(String), fc.nat());
const plainRow = fc.record({
  id,
  title: text,
  estimate: fc.oneof(text, fc.double({ noNaN: true })),
  datedue: fc.constantFrom(null, ''),
});
const anyRow = fc.oneof(
  { weight: 4, arbitrary: plainRow },
  fc.record({ title: text, id }),
  fc.record({ id, ',"id":': text, '},{"id":"7"': text, 'x\\': text, 'y\\\\': fc.array(fc.record({ id })) }),
  fc.record({ id, inner: fc.record({ id, title: text }) }),
  fc.record({
    id,
    list: fc.array(fc.oneof(fc.record({ id, title: text }), text, fc.array(fc.record({ id }))), { maxLength: 3 }),
  }),
  fc.record({ id }),
);
const layout = fc.constantFrom(undefined, undefined, undefined, 1, '\t', '\n ');
const extra = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.record({ note: text }),
  fc.record({ other: fc.array(fc.record({ id }), { maxLength: 2 }) }),
  fc.record({ meta: fc.record({ task: fc.array(fc.record({ id }), { maxLength: 2 }) }) }),
);

describe('a page', () => {
  it('has the same rows on the fast path as on the slow one, for any text', () => {
    const rows = fc.array(plainRow, { maxLength: 8 });
    let fast = 0;
    fc.assert(
      fc.property(rows, (rows) => {
        const it = source(pageOf(rows));
        const split = splitContent(it);
        if (split !== undefined) fast += 1;
        expect(summarize(split ?? buildPage(it).content())).toEqual(summarize(parsedContent(it)));
      }),
      { numRuns: 1500 },
    );
    // Text that looks like structure may force the slow path. Most pages must take the fast one.
    expect(fast).toBeGreaterThan(600);
  });

  it('has the same rows on both paths, or takes the slow one, for every valid page', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 6 }), extra, extra, layout, (rows, before, after, indent) => {
        const body = JSON.stringify({ ...before, ...pageOf(rows), ...after }, null, indent);
        const it = source(body);
        const split = splitContent(it);
        if (split !== undefined) expect(summarize(split)).toEqual(summarize(parsedContent(it)));
        expect(
          buildPage(it)
            .content()
            .rows.map((row) => row.parse()),
        ).toEqual(JSON.parse(body).task);
      }),
      { numRuns: 3000 },
    );
  });

  it('has the same rows with whitespace between tokens', () => {
    const space = fc.constantFrom('', '', '', ' ', '\n', '\r\n\t');
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 4 }), fc.infiniteStream(space), (rows, spaces) => {
        const body = addWhitespace(JSON.stringify(pageOf(rows)), () => spaces.next().value);
        expect(
          buildPage(source(body))
            .content()
            .rows.map((row) => row.parse()),
        ).toEqual(rows.map(throughJson));
      }),
      { numRuns: 1500 },
    );
  });

  it.each([
    ['no rows', []],
    ['one row', [{ id: '7' }]],
    ['ids as numbers', [{ id: 7, title: 'a' }, { id: 8 }]],
    ['seams in a title', [{ id: '7', title: '},{"id":"8"' }, { id: '9' }]],
    ['nested objects', [{ id: '7', at: { id: 1 } }, { id: '9' }]],
    ['pasted JSON', [{ id: '7', title: JSON.stringify([{ tags: [1, 2] }, { id: [] }]) }, { id: '9' }]],
    ['brackets in text', [{ id: '7', title: '[URGENT] see [2], {x}' }, { id: '9' }]],
  ])('splits %s without parsing', (_, rows) => {
    const content = splitContent(source(pageOf(rows)));
    expect(content && summarize(content)).toEqual({
      rows: rows.map((row) => [String(row.id), row]),
      listCount: rows.length,
      personId: '1',
    });
  });

  it.each([
    ['pretty-printed', JSON.stringify(pageOf([{ id: '1' }, { id: '2' }]), null, 2)],
    ['id not first', pageOf([{ title: 'a', id: '1' }])],
    ['id not first in the second row', pageOf([{ id: '1' }, { title: 'a', id: '2' }])],
    ['a list of records in a row', pageOf([{ id: '1', notes: [{ id: '8' }, { id: '9' }] }])],
    ['a list after the rows', pageOf([{ id: '1' }], { other: [{ id: '8' }, { id: '9' }] })],
    ['fewer rows than there should be', pageOf([{ id: '1' }], { listcount: 4 })],
    ['an id of many digits', pageOf([{ id: '12345678901234567890' }])],
  ])('takes the slow path for %s', (_, body) => {
    expect(splitContent(source(body))).toBeUndefined();
    const rows = (JSON.parse(source(body).body.toString()) as { task: { id: string }[] }).task;
    expect(
      buildPage(source(body))
        .content()
        .rows.map((row) => row.parse()),
    ).toEqual(rows);
  });

  it('has equal fingerprints for equal rows only', () => {
    const fingerprints = (title: string) =>
      buildPage(source(pageOf([{ id: '1', title }, { id: '2' }])))
        .content()
        .rows.map((row) => row.fingerprint);
    const [first, second] = fingerprints('a');
    expect(fingerprints('a')).toEqual([first, second]);
    expect(fingerprints('b')[0]).not.toBe(first);
    expect(fingerprints('b')[1]).toBe(second);
    expect(first).toBe(createHash('sha1').update('{"id":"1","title":"a"}').digest().readBigUInt64BE(0));
  });

  it('has the same fingerprints for any layout', () => {
    const rows = [{ id: '1', title: 'a' }, { id: '2' }];
    const of = (body: string) =>
      buildPage(source(body))
        .content()
        .rows.map((row) => row.fingerprint);
    expect(of(JSON.stringify(pageOf(rows), null, 2))).toEqual(of(JSON.stringify(pageOf(rows))));
  });

  it('has a digest of the rows without the envelope, and the size of the whole body', () => {
    const it = source(pageOf([{ id: '1' }]));
    expect(buildPage(it)).toMatchObject({ bytes: it.body.length, took: 5, serverTime: null });
    const digest = (rows: readonly unknown[], more: object) => buildPage(source(pageOf(rows, more))).digest;
    expect(digest([{ id: '1' }], { listcount: 7 })).toBe(digest([{ id: '1' }], { listcount: 8, personid: '3' }));
    expect(digest([{ id: '1' }], {})).not.toBe(digest([{ id: '2' }], {}));
    expect(digest([{ id: '1', note: 'a]' }], {})).not.toBe(digest([{ id: '1', note: 'b]' }], {}));
    expect(buildPage(source('no JSON at all')).digest).not.toBe(buildPage(source('nor this')).digest);
  });

  it.each([
    ['counts as text', { ...head, listcount: '2', task: [{ id: '1' }, { id: '2' }] }, 2, 2],
    ['a list that is null', { ...head, listcount: 0, task: null }, 0, 0],
    ['no list', { ...head, listcount: '0' }, 0, 0],
    ['code as a number', { ...head, code: 200, listcount: 0, task: [] }, 0, 0],
    ['no code', { personid: 1, status: 'OK', listcount: 0, task: [] }, 0, 0],
    ['an empty list where records moved meanwhile', { ...head, listcount: 3, task: [] }, 0, 3],
  ])('accepts %s', (_, body, rows, listCount) => {
    const content = buildPage(source(body)).content();
    expect([content.rows.length, content.listCount, content.personId]).toEqual([rows, listCount, '1']);
  });

  it('accepts a missing list after the last record, and /me/ without a count', () => {
    const past = buildPage(source({ ...head, listcount: 5 }, { offset: 5, limit: 10 })).content();
    expect(past).toMatchObject({ rows: [], listCount: 5 });
    const me = buildPage(source({ ...head, me: [{ id: '1' }] }, undefined, 'me')).content();
    expect(me).toMatchObject({ listCount: 1, rows: [{ id: '1' }] });
  });

  it('has no person id when the envelope has none', () => {
    expect(buildPage(source({ status: 'OK', code: 200, listcount: 0, task: [] })).content().personId).toBeNull();
  });

  const whole = JSON.stringify(
    pageOf([
      { id: '1', title: 'a' },
      { id: '2', title: 'b' },
    ]),
  );
  it.each([
    ['nothing', ''],
    ['HTML', '<html><body>Welcome to the proxy</body></html>'],
    ['text', 'OK'],
    ['null', 'null'],
    ['a list', '[{"id":"1"}]'],
    ['a number', '7'],
    ['an object that is not an envelope', '{}'],
    ['an object of something else', '{"task":[{"id":"1"}],"listcount":1}'],
    ['JSON cut off in a row', whole.slice(0, -20)],
    ['JSON cut off at its last byte', whole.slice(0, -1)],
    ['JSON with something after it', `${whole}<!-- cached -->`],
    ['a status that is not OK', { ...pageOf([{ id: '1' }]), status: 'Error' }],
    ['a code that is not a success', { ...pageOf([{ id: '1' }]), code: '500' }],
    ['no listcount', { ...head, task: [] }],
    ['a negative listcount', { ...head, listcount: -1, task: [] }],
    ['a listcount in words', { ...head, listcount: 'many', task: [] }],
    ['no list although there are records', { ...head, listcount: 4 }],
    ['null although there are records', { ...head, listcount: 4, task: null }],
    ['an object for the list', { ...head, listcount: 1, task: { id: '1' } }],
  ])('is invalid: %s', (_, body) => {
    const it = source(body);
    expect(thrown(() => buildPage(it).content())).toMatchObject({
      name: 'RetryLater',
      code: 'TIDINGS_SOURCE_ANSWER_INVALID',
      evidence: { body: it.body.toString().slice(0, 200) },
    });
  });

  it.each<[string, string | object, string[]]>([
    ['a number', pageOf([1, 2]), ['', '']],
    ['null', pageOf([{ id: '1' }, null, { id: '2' }]), ['1', '', '2']],
    ['null at the end', pageOf([{ id: '1' }, null]), ['1', '']],
    ['a list', pageOf([{ id: '1' }, [{ id: '2' }, { id: '3' }]]), ['1', '']],
    ['without an id', pageOf([{ id: '1' }, { title: 'a' }]), ['1', '']],
    ['empty', pageOf([{ id: '1' }, {}]), ['1', '']],
    ['with an id in words', pageOf([{ id: 'seven' }, { id: '8' }]), ['', '8']],
    ['with an empty id', pageOf([{ id: '' }, { id: '8' }]), ['', '8']],
    ['with an id of null', pageOf([{ id: null }, { id: '8' }]), ['', '8']],
    ['with a broken id', pageOf([{ id: 1.5 }, { id: '8' }]), ['', '8']],
    ['with a negative id', pageOf([{ id: -1 }, { id: '8' }]), ['', '8']],
    [
      'with an id that exceeds the number range',
      `{"status":"OK","listcount":1,"task":[{"id":12345678901234567890}]}`,
      [''],
    ],
  ])('keeps the other rows when one is %s', (_, body, ids) => {
    const { rows } = buildPage(source(body)).content();
    expect(rows.map(({ id }) => id)).toEqual(ids);
    for (const row of rows.filter(({ id }) => id === '')) {
      expect(thrown(() => row.parse())).toMatchObject({ code: 'TIDINGS_SOURCE_ANSWER_INVALID' });
    }
  });

  it('reads the count without the rows', () => {
    expect(buildPage(source(pageOf([{ id: '1' }, { id: '2', notes: [1] }]))).listCount?.()).toBe(2);
    expect(buildPage(source({ ...head, listcount: '250', task: [{ id: '1' }] })).listCount?.()).toBe(250);
    expect(buildPage(source('<html></html>')).listCount?.()).toBeUndefined();
    expect(buildPage(source({ ...head, listcount: 4 })).listCount?.()).toBeUndefined();
  });

  it('is a page or RetryLater, whichever part of the body is missing', () => {
    const body = JSON.stringify(
      pageOf([{ id: '1', title: '},{"id":"7"' }, { id: '2', notes: [{ id: 3 }] }, { id: '4' }]),
    );
    fc.assert(
      fc.property(fc.nat(body.length), fc.nat(body.length), (from, length) => {
        const result = thrown(() =>
          buildPage(source(body.slice(0, from) + body.slice(from + length)))
            .content()
            .rows.map((row) => row.parse()),
        );
        if (result instanceof Error) expect(result).toMatchObject({ code: 'TIDINGS_SOURCE_ANSWER_INVALID' });
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects an invalid row when it is parsed', () => {
    const row = splitContent(source('{"status":"OK","listcount":1,"task":[{"id":"1",oops}]}'))?.rows[0];
    expect(thrown(() => row?.parse())).toMatchObject({ code: 'TIDINGS_SOURCE_ANSWER_INVALID' });
    const twice = splitContent(source('{"status":"OK","listcount":1,"task":[{"id":"1","id":"2"}]}'))?.rows[0];
    expect(thrown(() => twice?.parse())).toMatchObject({ code: 'TIDINGS_SOURCE_ANSWER_INVALID' });
  });

  it('shows no part of an echoed token, not even where the excerpt ends', () => {
    const echo = `${'x'.repeat(195)}the-token the-credentials`;
    const error = thrown(() => buildPage(source(echo)).content());
    expect(JSON.stringify(error)).not.toContain('the-t');
  });
});

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Adds whitespace around each token outside strings. */
function addWhitespace(json: string, space: () => string): string {
  let inside = false;
  let escaped = false;
  let result = '';
  for (const char of json) {
    const structural = !inside && '{}[],:'.includes(char);
    result += structural ? space() + char + space() : char;
    if (char === '"' && !escaped) inside = !inside;
    escaped = char === '\\' && !escaped;
  }
  return result;
}
