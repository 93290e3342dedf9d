import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitizeDescription } from '../../../../adapters/channels/email/description-html.ts';
import { hostile, tagsOf } from '../../../core/events/hostile-events.ts';

const REL = 'rel="noopener noreferrer nofollow"';

describe('safeHtml', () => {
  it.each([
    ['keeps running text', '<p>a <b>b</b> &amp; <em>c</em></p>', '<p>a <b>b</b> &amp; <em>c</em></p>'],
    ['keeps lists', '<ul><li>a<li>b</ul>', '<ul><li>a</li><li>b</li></ul>'],
    ['closes what was left open', '<b>a <i>b', '<b>a <i>b</i></b>'],
    ['makes paragraphs of what is alike', '<div>a</div><h2 id="x">b</h2>', '<p>a</p><p><strong>b</strong></p>'],
    ['keeps cells apart', '<table><tr><td>a</td><td>b</td></tr></table>', '<p>a b </p>'],
    ['drops scripts with their words', 'a<script>alert(1)</script><style>b{}</style>c', 'ac'],
    ['drops pictures', '<p>a<img src="https://t.example/p.gif"></p>', '<p>a</p>'],
    ['drops looks and handlers', '<p style="top:0" class="inner" onclick="x()">a</p>', '<p>a</p>'],
    ['drops what has no words', '<p> </p><p><b></b></p><ul><li></li></ul>a', 'a'],
    ['folds breaks', 'a<br><br>\n<br><br/>b', 'a<br /><br />b'],
    [
      'leads to the web',
      '<a href="https://a.example/?b=1&c=2" target="_top">x</a>',
      `<a href="https://a.example/?b=1&amp;c=2" ${REL}>x</a>`,
    ],
    ['leads to a mailbox', '<a href="mailto:ann@example.com">x</a>', `<a href="mailto:ann@example.com" ${REL}>x</a>`],
    ['leads nowhere by script', '<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
    ['leads nowhere by a trick', '<a href=" java\nscript:alert(1)">x</a>', '<a>x</a>'],
    ['leads nowhere without a scheme', '<a href="//evil.example">x</a><a href="/a">y</a>', '<a>x</a><a>y</a>'],
    ['leads nowhere by data', '<a href="data:text/html,x">x</a>', '<a>x</a>'],
    ['turns no writing around', 'a\u202eb&#x202e;c\u0000d', 'abcd'],
    ['is empty for nothing', '<p>&nbsp; </p>', ''],
  ])('%s', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it.each([
    ['lines as they were typed', 'a\nb\r\n\r\nc\rd', 'a<br />b<br /><br />c<br />d'],
    ['a mailbox', 'a\nAnn <ann@example.com>', 'a<br />Ann &lt;ann@example.com&gt;'],
    ['comparisons', 'x<y and y<=z, a<b, List<Task>', 'x&lt;y and y&lt;=z, a&lt;b, List&lt;Task&gt;'],
  ])('shows of plain text %s', (_, text, safe) => {
    expect(sanitizeDescription(text)).toBe(safe);
  });

  it.each([
    ['mailboxes', '<p>Ann <ann@example.com>, Ben</p>', '<p>Ann &lt;ann@example.com&gt;, Ben</p>'],
    ['addresses', '<p>see <https://a.example/b>\n!</p>', '<p>see &lt;https://a.example/b&gt;\n!</p>'],
    ['comparisons', '<p>if x <y then z</p><p>b</p>', '<p>if x &lt;y then z</p><p>b</p>'],
    ['places to fill in', '<p>Dear </name>, <name>!</p>', '<p>Dear &lt;/name&gt;, &lt;name&gt;!</p>'],
  ])('shows %s that are no tags', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it('shows nothing of what Office adds', () => {
    const settings = `<!--[if gte mso 9]><xml><w:View>x</w:View></xml><![endif]--><style>${'p {margin: 0}'.repeat(999)}</style>`;
    const words =
      '<p class="MsoNormal"><![if !supportLists]><st1:City w:st="on">Ulm</st1:City><![endif]><o:p></o:p></p>';
    expect(sanitizeDescription(settings + words)).toBe('<p>Ulm</p>');
  });

  it.each([
    ['what no longer holds', '<s>1</s><del>2</del><strike>3</strike>', '<s>1</s><s>2</s><s>3</s>'],
    ['what is above and below the line', 'm<sup>2</sup> H<sub>2</sub>O', 'm<sup>2</sup> H<sub>2</sub>O'],
    ['keys', '<kbd>Ctrl</kbd><samp>x</samp><tt>y</tt>', '<code>Ctrl</code><code>x</code><code>y</code>'],
    ['pictures by their words', '<p><img alt=" A sketch "></p>', '<p>[A sketch]</p>'],
    ['smileys', 'a <img alt="\u{1f600}"><img alt=""><img>', 'a \u{1f600}'],
    [
      'boxes to tick',
      '<ul><li><input type="checkbox" checked>a<li><input type=CHECKBOX>b<li><input>c</ul>',
      '<ul><li>☑ a</li><li>☐ b</li><li>c</li></ul>',
    ],
    ['words apart', '<details><summary>a</summary>b</details><figcaption>c</figcaption>', '<p>a</p>b<p>c</p>'],
  ])('shows %s', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it('is not bold where Google Docs only says so', () => {
    expect(sanitizeDescription('<b style="font-weight:normal;" id="x"><p>a <b>b</b> c</p><p><b>d</b> e</p></b>f')).toBe(
      '<p>a <b>b</b> c</p><p><b>d</b> e</p>f',
    );
  });

  it.each([
    ['between paragraphs', '<p>a</p><p><br></p>\n<div><br><br></div><ul><li>b</ul>', '<p>a</p><ul><li>b</li></ul>'],
    ['at the start', '<p><br></p><p>a</p>', '<p>a</p>'],
    ['at the end', '<p>a</p><br>\n<br>', '<p>a</p>'],
    ['alone', '<br><p><br></p>', ''],
  ])('leaves out empty lines %s', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it('keeps an empty line that is all there is between two', () => {
    expect(sanitizeDescription('a<div><br></div>b')).toBe('a<p><br /></p>b');
  });

  it('says that it ends early, where most of it is markup', () => {
    expect(sanitizeDescription(`<p>a</p>${'<b></b>'.repeat(1142)}<i>b</i>`)).toBe('<p>a</p><b>…</b>');
  });

  it('ends after 1,200 characters, between characters, with every tag closed', () => {
    const safe = sanitizeDescription(`<ul><li><b>${'🦊&amp;'.repeat(1000)}</b></li><li>more</li></ul><p>more</p>`);
    expect(safe).toBe(`<ul><li><b>${'🦊&amp;'.repeat(600)}…</b></li></ul>`);
  });

  it('does not follow markup down without end', () => {
    expect(sanitizeDescription(`${'<b>'.repeat(2000)}x`)).toBe(`${'<b>'.repeat(8)}x${'</b>'.repeat(8)}`);
  });

  it('makes well-formed HTML of its few tags, and no more than fits, of anything', () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 4 }), (pieces) => {
        const safe = sanitizeDescription(pieces.join(''));
        expect(safe.length).toBeLessThan(60_000);
        for (const { name, attributes } of tagsOf(safe)) {
          expect([
            'p',
            'ul',
            'ol',
            'li',
            'pre',
            'blockquote',
            'br',
            'b',
            'i',
            'em',
            'strong',
            'a',
            'code',
            's',
            'sub',
            'sup',
          ]).toContain(name);
          expect(Object.keys(attributes).filter((key) => name !== 'a' || !['href', 'rel'].includes(key))).toEqual([]);
          expect(attributes.href ?? 'https:').toMatch(/^(https?|mailto):/);
        }
        expect(unbalanced(safe)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

/** Tags that are closed by another, or never. */
function unbalanced(html: string): readonly string[] {
  const open: string[] = [];
  for (const [whole, name = ''] of html.matchAll(/<\/?([a-z]+)[^>]*>/g)) {
    if (whole.endsWith('/>')) continue;
    if (!whole.startsWith('</')) open.push(name);
    else if (open.pop() !== name) return [whole];
  }
  return open;
}
