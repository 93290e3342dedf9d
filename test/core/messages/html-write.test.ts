import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanHtml, cleanTokens } from '../../../core/messages/html-clean.ts';
import { harmlessHtml, templateRules } from '../../../core/messages/template-html.ts';
import { nastyHtml } from './html-nasty.ts';

describe('what browsers close by themselves', () => {
  it.each([
    ['items before items', '<ul><li>a<li><b>b<li>c</ul>d', '<ul><li>a</li><li><b>b</b></li><li>c</li></ul>d'],
    ['no items of an outer list', '<ul><li>a<ul><li>b</ul>c</ul>', '<ul><li>a<ul><li>b</li></ul>c</li></ul>'],
    ['paragraphs before paragraphs', '<p>a<p>b', '<p>a</p><p>b</p>'],
    ['paragraphs before blocks', '<p>a<b>b<ul><li>c</ul>', '<p>a<b>b</b></p><ul><li>c</li></ul>'],
    [
      'paragraphs before headings, rules and tables',
      '<p>a<h1>b</h1><p>c<hr><p>d<table></table>',
      '<p>a</p><h1>b</h1><p>c</p><hr /><p>d</p><table></table>',
    ],
    [
      'no paragraph around a table',
      '<div>a<table><tr><td>b<p>c</td></table></div>',
      '<div>a<table><tr><td>b<p>c</p></td></tr></table></div>',
    ],
    ['a heading before a heading', '<h1>a<h2>b</h2><h3>c<b><h4>d', '<h1>a</h1><h2>b</h2><h3>c<b><h4>d</h4></b></h3>'],
    ['links before links', '<a>a<a>b', '<a>a</a><a>b</a>'],
    [
      'cells and rows',
      '<table><tr><td>a<th>b<tr><td>c</table>',
      '<table><tr><td>a</td><th>b</th></tr><tr><td>c</td></tr></table>',
    ],
    [
      'parts of a table',
      '<table><thead><tr><th>a<tbody><tr><td>b<tfoot><tr><td>c</table>',
      '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody><tfoot><tr><td>c</td></tr></tfoot></table>',
    ],
    ['nothing for a close tag alone', 'a</p></b></li></table>b', 'ab'],
    ['the inner with the outer', '<div><b><i>a</div>b', '<div><b><i>a</i></b></div>b'],
    [
      'nothing outside of a cell',
      '<b><table><tr><td>a</b>b</div></td></tr></table>c',
      '<b><table><tr><td>ab</td></tr></table>c</b>',
    ],
    [
      'no row of an outer table',
      '<table><tr><td><table></tr></td>a</table>b',
      '<table><tr><td>a<table></table>b</td></tr></table>',
    ],
    [
      'only what it opened',
      '<table><tr><b>a<td><b>b</b>c</td></tr></table>',
      'a<table><tr><td><b>b</b>c</td></tr></table>',
    ],
    ['at the end all', '<div><ul><li><b>a', '<div><ul><li><b>a</b></li></ul></div>'],
  ])('closes %s', (_, html, written) => {
    expect(harmlessHtml(html)).toBe(written);
  });
});

describe('what browsers put elsewhere', () => {
  it.each([
    [
      'words of a table before it',
      'a<table>b<tr>c<td>d</td>e</tr></table>f',
      'abce<table><tr><td>d</td></tr></table>f',
    ],
    ['a caption', '<table><caption>a</caption><tr><td>b', 'a<table><tr><td>b</td></tr></table>'],
    [
      'words of a table in a table before the inner one',
      '<table><tr><td>a<table>b<tr><td>c',
      '<table><tr><td>ab<table><tr><td>c</td></tr></table></td></tr></table>',
    ],
    ['no space', '<table> <tr>\n<td>a', '<table> <tr>\n<td>a</td></tr></table>'],
    [
      'a cell without a row into one',
      '<table><td>a<th>b</table><table><tbody><td>c',
      '<table><tr><td>a</td><th>b</th></tr></table><table><tbody><tr><td>c</td></tr></tbody></table>',
    ],
  ])('is put there: %s', (_, html, written) => {
    expect(harmlessHtml(html)).toBe(written);
  });

  it('is put there in whatever is not left out for having no words', () => {
    const rules = { ...templateRules, isDense: true };
    expect(cleanHtml('<div><table>a<tr><td> </td></tr></table></div>', rules)).toBe('<div>a </div>');
  });

  it('has lines that end as browsers read them', () => {
    expect(harmlessHtml('<a title="a&#13;b\r\nc">d\re&#13;&#10;f</a>')).toBe('<a title="a\nb\nc">d\ne\nf</a>');
  });
});

describe('a template', () => {
  it.each([
    ['a cell', 'a<td>b</td>c', 'abc'],
    ['a row', '<tr><td>a</td></tr>', 'a'],
    [
      'a table in a table outside of its cells',
      '<table><table><tr><td>a</td></tr></table></table>b',
      '<table><tr><td>a</td></tr></table>b',
    ],
    ['the end of a table', '</td></tr></table>a', 'a'],
    ['a cell in a list in a table', '<table><tr><td><ul><td>a', '<table><tr><td><ul></ul></td><td>a</td></tr></table>'],
  ])('cannot break out of the table that a mail is laid out in, by %s', (_, html, written) => {
    expect(harmlessHtml(html)).toBe(written);
  });

  it('has parts of tables only where they belong', () => {
    const within: Readonly<Record<string, RegExp>> = {
      td: /\btr$/,
      th: /\btr$/,
      tr: /\b(?:table|tbody|thead|tfoot)$/,
      tbody: /\btable$/,
      thead: /\btable$/,
      tfoot: /\btable$/,
    };
    const elsewhere = /^(?!.*\b(?:table|tbody|thead|tfoot|tr)$)/;
    fc.assert(
      fc.property(nastyHtml, (html) => {
        const open: string[] = [];
        for (const token of cleanTokens(html, templateRules)) {
          if (token.kind === 'open') expect(open.join(' ')).toMatch(within[token.name] ?? elsewhere);
          if (token.kind === 'open' && !['br', 'hr'].includes(token.name)) open.push(token.name);
          if (token.kind === 'close') expect(open.pop()).toBe(token.name);
        }
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['spans of cells', 'colspan="2" rowspan="12"', ' colspan="2" rowspan="12"'],
    ['no spans that are none', 'colspan="2x" rowspan="-1"', ''],
    ['no span that fills the memory', 'colspan="99999999"', ''],
    ['how cells are aligned', 'align=RIGHT', ' align="RIGHT"'],
    ['no other alignment', 'align="x y"', ''],
  ])('keeps %s', (_, given, kept) => {
    expect(harmlessHtml(`<table><tr><td ${given}>a</td></tr></table>`)).toBe(
      `<table><tr><td${kept}>a</td></tr></table>`,
    );
  });

  it('keeps the title of a link, without marks that turn the writing', () => {
    expect(harmlessHtml('<a title="a &quot;b&quot; &lt;c> &#x202e;d">x</a>')).toBe(
      '<a title="a &quot;b&quot; &lt;c&gt; d">x</a>',
    );
  });

  it('has no character that cannot be seen, spelt out or not', () => {
    expect(harmlessHtml('a&#x202e;b&#1;c\u0000d\u2066e\ud800')).toBe('abcde\ufffd');
  });

  it.each([
    ['relative', '/tasks/1'],
    ['without a scheme', '//evil.example/'],
    ['to a place in the page', '#top'],
    ['named like where it does not lead', 'https://bank.example@evil.example/'],
    ['with a password', 'https://:b@a.example/'],
    ['too long', `https://a.example/${'x'.repeat(2000)}`],
    ['too long when it is spelt out', `https://a.example/${'é'.repeat(1000)}`],
  ])('has no link that is %s', (_, href) => {
    expect(harmlessHtml(`<a href="${href}">x</a>`)).toBe('<a>x</a>');
  });

  it('keeps empty cells, and what else is empty', () => {
    expect(harmlessHtml('<table><tr><td></td><td> </td></tr></table><p></p>')).toBe(
      '<table><tr><td></td><td> </td></tr></table><p></p>',
    );
  });

  it.each([
    ['pictures drawn in place', 'a<svg><g><text>b</text></g></svg>c'],
    ['one that ends itself', 'a<svg/>c'],
    ['one in another', 'a<svg><svg><b>b</svg></b>b</svg>c'],
    ['formulas', 'a<math><mi>b</mi></math>c'],
    ['choices, also without their close tags', 'a<select><option>b<option>b</select>c'],
  ])('reads no word of %s', (_, html) => {
    expect(harmlessHtml(html)).toBe('ac');
  });
});
