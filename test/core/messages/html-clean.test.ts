import fc from 'fast-check';
import sanitizeHtml from 'sanitize-html';
import { describe, expect, it } from 'vitest';
import { mailRules, sanitizeDescription } from '../../../adapters/channels/email/description-html.ts';
import { descriptionToText } from '../../../adapters/channels/email/description-text.ts';
import { cleanHtml, cleanTokens, type Rules } from '../../../core/messages/html-clean.ts';
import type { Token } from '../../../core/messages/html-read.ts';
import { harmlessHtml, templateRules } from '../../../core/messages/template-html.ts';
import { tagsOf } from '../events/hostile-events.ts';
import { ATTACKS } from './html-attacks.ts';
import { merged, nastyHtml, parsed, plainly, spelt, textOf, tokensOf, treeOf } from './html-nasty.ts';

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
    clean: sanitizeDescription,
    options: oracle('p ul ol li pre blockquote br b i em strong a code s sub sup', { a: ['href', 'rel'] }, mailRules),
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
    [
      'the end of a later element, whatever was left open too deep',
      `${'<ul><li>'.repeat(4)}<b>a${'</ul>'.repeat(4)}<b>b</b>c`,
      `${'<ul><li>'.repeat(4)}a${'</li></ul>'.repeat(4)}<b>b</b>c`,
    ],
  ])('has %s', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it.each([
    ['exactly fits', 'x'.repeat(1200), 'x'.repeat(1200)],
    ['fits but for a space at the end', `<p>${'x'.repeat(1200)}</p>\n`, `<p>${'x'.repeat(1200)}</p>`],
    ['is one too long', 'x'.repeat(1201), `${'x'.repeat(1200)}…`],
    ['goes on in another element', `${'x'.repeat(1199)}<b>yz</b><br><br>more`, `${'x'.repeat(1199)}<b>y…</b>`],
    ['would be cut at a space', `${'x'.repeat(1198)}  y`, `${'x'.repeat(1198)}…`],
  ])('that %s ends there', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it('is not confused by names that every object has', () => {
    expect(cleanHtml('<constructor>a</constructor><toString>b', mailRules)).toBe('ab');
  });

  it('is the same words as plain text', () => {
    fc.assert(
      fc.property(treeOf({ ...KINDS[0].kinds }), (tree) => {
        const html = sanitizeDescription(spelt(tree, plainly));
        const bare = (text: string) =>
          text.replaceAll(/ \((?:https?:|ann@)[^)]*\)|\d\. /g, '').replaceAll(/[\s>-]/g, '');
        expect(bare(descriptionToText(html))).toBe(bare(textOf(parsed(html))));
      }),
      runs,
    );
  });
});
