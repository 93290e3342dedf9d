import fc from 'fast-check';
import sanitizeHtml from 'sanitize-html';
import { describe, expect, it } from 'vitest';
import { cleanHtml, cleanTokens, type Rules } from '../../../core/messages/clean-html.ts';
import { mailRules, safeHtml, safeText } from '../../../core/messages/mail-safe-html.ts';
import type { Token } from '../../../core/messages/read-html.ts';
import { harmlessHtml, templateRules } from '../../../core/messages/template-html.ts';
import { tagsOf } from '../events/hostile-events.ts';
import { ATTACKS } from './html-attacks.ts';
import { merged, nastyHtml, parsed, plainly, spelt, textOf, tokensOf, treeOf } from './nasty-html.ts';

const runs = { numRuns: 300 };

/** Told to another cleaner, whose reading is not ours. */
const oracle = (tags: string, attributes: Record<string, string[]>, rules: Rules): sanitizeHtml.IOptions => ({
  allowedTags: tags.split(' '),
  allowedAttributes: attributes,
  allowedSchemes: ['http', 'https', 'mailto'],
  allowProtocolRelative: false,
  nonTextTags: ['script', 'style', 'textarea', 'option', 'noscript', 'title', 'template', 'iframe', 'svg', 'math'],
  nestingLimit: rules.deepest,
});

const CELL = ['colspan', 'rowspan', 'align'];

const KINDS = [
  {
    of: 'a description',
    rules: mailRules,
    clean: safeHtml,
    options: oracle('p ul ol li pre blockquote br b i em strong a code', { a: ['href', 'rel'] }, mailRules),
    kinds: {
      inline: ['b', 'i', 'em', 'strong', 'code'],
      blocks: ['p', 'pre'],
      containers: ['blockquote'],
      tables: false,
    },
  },
  {
    of: 'a template',
    rules: templateRules,
    clean: harmlessHtml,
    options: oracle(
      'a b blockquote br code div em h1 h2 h3 h4 h5 h6 hr i li ol p pre s small span strong sub sup table tbody td tfoot th thead tr u ul',
      { a: ['href', 'title'], td: CELL, th: CELL },
      templateRules,
    ),
    kinds: {
      inline: ['b', 'i', 'span', 'u', 'sub', 'small', 'code'],
      blocks: ['p', 'pre', 'h1', 'h4'],
      containers: ['blockquote', 'div'],
      tables: true,
    },
  },
] as const;

/** Whatever is wrong with it: tags, attributes or targets that are not in the lists, marks outside of tags, tags left open. */
function faults(html: string, { allowedTags, allowedAttributes }: sanitizeHtml.IOptions): readonly string[] {
  const tags = allowedTags || [];
  const attributes = allowedAttributes || {};
  return [...tagsOf(html), ...parsed(html).flatMap((token) => (token.kind === 'open' ? [asTag(token)] : []))]
    .flatMap(({ name, attributes: given }) => [
      ...(tags.includes(name) ? [] : [name]),
      ...Object.keys(given).filter((key) => attributes[name]?.includes(key) !== true),
      ...(/^(?:https?:\/\/|mailto:)/.test(given.href ?? 'mailto:') ? [] : [given.href ?? '']),
    ])
    .concat(
      parsed(html).flatMap(({ kind, ...token }) =>
        kind === 'close' && 'name' in token && token.name.startsWith('implied') ? [token.name] : [],
      ),
    );
}

const asTag = ({ name, attributes }: Token & { kind: 'open' }) => ({
  name,
  attributes: Object.fromEntries(attributes),
});

describe.each(KINDS)('the HTML of $of', ({ rules, clean, options, kinds }) => {
  it.each(ATTACKS)('lets nothing through of %j', (attack) => {
    for (const html of [attack, `<p>${attack}</p>`, `<a title="${attack}">x</a>`, attack + attack, `<b ${attack}>x`]) {
      expect(faults(clean(html), options)).toEqual([]);
    }
  });

  it('has nothing in it that another cleaner would remove', () => {
    fc.assert(
      fc.property(nastyHtml, (html) => {
        const ours = cleanHtml(html, rules);
        expect(faults(ours, options)).toEqual([]);
        expect(parsed(sanitizeHtml(ours, options))).toEqual(parsed(ours));
      }),
      runs,
    );
  });

  it('is read by another parser exactly as it was meant', () => {
    fc.assert(
      fc.property(nastyHtml, (html) => {
        expect(parsed(cleanHtml(html, rules))).toEqual(merged(cleanTokens(html, rules)));
      }),
      runs,
    );
  });

  it('stays as it is when it is cleaned again', () => {
    fc.assert(
      fc.property(nastyHtml, (html) => {
        const once = cleanHtml(html, rules);
        expect(cleanHtml(once, rules)).toBe(once);
      }),
      runs,
    );
  });

  it('keeps every element and every word of what is well made', () => {
    fc.assert(
      fc.property(treeOf(kinds), (tree) => {
        const roomy = { ...rules, deepest: 50, mostText: Infinity };
        expect(merged(cleanTokens(spelt(tree, plainly), roomy))).toEqual(tokensOf(tree, rules.rel));
      }),
      runs,
    );
  });

  it('has the same words as by another cleaner, of what editors write', () => {
    const all = { ...kinds, inline: [...kinds.inline, 'span', 'u', 'font'], containers: ['div'], tables: true };
    fc.assert(
      fc.property(treeOf(all), fc.infiniteStream(fc.nat()), fc.boolean(), (tree, numbers, isLoose) => {
        const pick = (ways: readonly string[]) => ways[Number(numbers.next().value) % ways.length] ?? '';
        const html = spelt(tree, { pick, isLoose });
        const said = (tokens: readonly Token[]) => textOf(tokens).replaceAll(/\s/g, '');
        const roomy = { ...rules, deepest: 50, mostText: Infinity };
        expect(said(cleanTokens(html, roomy))).toBe(said(parsed(sanitizeHtml(html, { ...options, nestingLimit: 50 }))));
      }),
      runs,
    );
  });

  it('is never deeper than it may be', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('<b>', '<ul><li>', '<div>', '</b>', '</ul>', 'x'), { maxLength: 300 }),
        (all) => {
          let depth = 0;
          for (const { kind } of cleanTokens(all.join(''), rules)) {
            depth += kind === 'open' ? 1 : kind === 'close' ? -1 : 0;
            expect(depth).toBeLessThanOrEqual(rules.deepest);
          }
          expect(depth).toBe(0);
        },
      ),
      runs,
    );
  });
});

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
      '<table><tr><td><table>a</table>b</td></tr></table>',
    ],
    ['at the end all', '<div><ul><li><b>a', '<div><ul><li><b>a</b></li></ul></div>'],
  ])('closes %s', (_, html, written) => {
    expect(harmlessHtml(html)).toBe(written);
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
      runs,
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

describe('a description', () => {
  it.each([
    ['as paragraphs what is like one', '<section>a</section><dl><dt>b<dd>c</dl>', '<p>a</p><p>b</p><p>c</p>'],
    ['paragraphs in paragraphs one after the other', '<div>a<div>b</div>c</div>d', '<p>a</p><p>b</p>cd'],
    ['the end of a block as the end of what is in it', '<div><p>a</div>b', '<p>a</p>b'],
    ['headings, however they end', '<h1>a<h2>b</h3>c', '<p><strong>a</strong></p><p><strong>b</strong></p>c'],
    ['space between words, also in an element of its own', 'a<b> </b>c<i>&nbsp;</i>d', 'a c\u00a0d'],
    ['words apart where a block without words was', 'a<p> </p>b<div></div>c', 'a b c'],
    ['cells apart, also where they are not closed', '<tr><td>a<td><b>b</b><td>c', '<p>a <b>b</b> c</p>'],
    ['words apart after an element', '<b>a</b><p> </p>b', '<b>a</b> b'],
    ['nothing of an empty line of an editor', '<p>a</p><p>&nbsp;</p><p>b</p>', '<p>a</p><p>b</p>'],
    ['a break that is closed', 'a</br>b', 'a<br />b'],
    [
      'words of what is too deep',
      `${'<ul><li>'.repeat(5)}a${'</li></ul>'.repeat(5)}b`,
      `${'<ul><li>'.repeat(4)}a${'</li></ul>'.repeat(4)}b`,
    ],
    ['nothing that is named like what every object has', '<constructor>a</constructor><toString>b', 'ab'],
  ])('has %s', (_, html, safe) => {
    expect(safeHtml(html)).toBe(safe);
  });

  it.each([
    ['exactly fits', 'x'.repeat(1200), 'x'.repeat(1200)],
    ['fits but for a space at the end', `<p>${'x'.repeat(1200)}</p>\n`, `<p>${'x'.repeat(1200)}</p>`],
    ['is one too long', 'x'.repeat(1201), `${'x'.repeat(1200)}…`],
    ['goes on in another element', `${'x'.repeat(1199)}<b>yz</b><br><br>more`, `${'x'.repeat(1199)}<b>y…</b>`],
    ['would be cut at a space', `${'x'.repeat(1198)}  y`, `${'x'.repeat(1198)}…`],
  ])('that %s ends there', (_, html, safe) => {
    expect(safeHtml(html)).toBe(safe);
  });

  it('is the same words as plain text', () => {
    fc.assert(
      fc.property(treeOf({ ...KINDS[0].kinds }), (tree) => {
        const html = safeHtml(spelt(tree, plainly));
        const bare = (text: string) => text.replaceAll(/ \((?:https?:|ann@)[^)]*\)/g, '').replaceAll(/[\s-]/g, '');
        expect(bare(safeText(html))).toBe(bare(textOf(parsed(html))));
      }),
      runs,
    );
  });
});
