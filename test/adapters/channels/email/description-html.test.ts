import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitizeDescription } from '../../../../adapters/channels/email/description-html.ts';
import { hostile, tagsOf } from '../../../core/events/hostile-events.ts';

const REL = 'rel="noopener noreferrer nofollow"';

describe('sanitizeDescription', () => {
  it.each([
    ['keeps running text', '<p>a <b>b</b> &amp; <em>c</em></p>', '<p>a <b>b</b> &amp; <em>c</em></p>'],
    ['keeps lists', '<ul><li>a<li>b</ul>', '<ul><li>a</li><li>b</li></ul>'],
    ['closes open tags', '<b>a <i>b', '<b>a <i>b</i></b>'],
    ['makes headings small', '<div>a</div><h2 id="x">b</h2>', '<div>a</div><h4>b</h4>'],
    ['shows table rows as words', '<table><tr><td>a</td><td>b</td></tr></table>', '<div> a b</div>'],
    ['drops scripts and styles with their content', 'a<script>alert(1)</script><style>b{}</style>c', 'ac'],
    ['drops images', '<p>a<img src="https://t.example/p.gif"></p>', '<p>a</p>'],
    ['drops styles and handlers', '<p style="top:0" class="inner" onclick="x()">a</p>', '<p>a</p>'],
    ['drops elements without text', '<p> </p><p><b></b></p><ul><li></li></ul>a', 'a'],
    ['collapses line breaks', 'a<br><br>\n<br><br/>b', 'a<br /><br />b'],
    [
      'keeps web links',
      '<a href="https://a.example/?b=1&c=2" target="_top">x</a>',
      `<a href="https://a.example/?b=1&amp;c=2" ${REL}>x</a>`,
    ],
    ['keeps mail links', '<a href="mailto:ann@example.com">x</a>', `<a href="mailto:ann@example.com" ${REL}>x</a>`],
    ['drops links to scripts', '<a href="javascript:alert(1)">x</a>', 'x'],
    ['drops disguised links to scripts', '<a href=" java\nscript:alert(1)">x</a>', 'x'],
    ['drops links without a scheme', '<a href="//evil.example">x</a><a href="/a">y</a>', 'xy'],
    ['drops links that hide their host', '<a href="https://bank.example@evil.example">x</a>', 'x'],
    ['drops data links', '<a href="data:text/html,x">x</a>', 'x'],
    ['drops marks that change the writing direction', 'a\u202eb&#x202e;c\u0000d', 'abcd'],
    ['is empty without text', '<p>&nbsp; </p>', ''],
  ])('%s', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it.each([
    ['line breaks', 'a\nb\r\n\r\nc\rd', 'a<br />b<br /><br />c<br />d'],
    ['a mail address', 'a\nAnn <ann@example.com>', 'a<br />Ann &lt;ann@example.com&gt;'],
    ['comparisons', 'x<y and y<=z, a<b, List<Task>', 'x&lt;y and y&lt;=z, a&lt;b, List&lt;Task&gt;'],
  ])('shows %s in plain text', (_, text, safe) => {
    expect(sanitizeDescription(text)).toBe(safe);
  });

  it.each([
    ['mail addresses', '<p>Ann <ann@example.com>, Ben</p>', '<p>Ann &lt;ann@example.com&gt;, Ben</p>'],
    ['URLs', '<p>see <https://a.example/b>\n!</p>', '<p>see &lt;https://a.example/b&gt;\n!</p>'],
  ])('shows %s in angle brackets', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it('drops the markup of Microsoft Office', () => {
    const settings = `<!--[if gte mso 9]><xml><w:View>x</w:View></xml><![endif]--><style>${'p {margin: 0}'.repeat(999)}</style>`;
    const words =
      '<p class="MsoNormal"><![if !supportLists]><st1:City w:st="on">Ulm</st1:City><![endif]><o:p></o:p></p>';
    expect(sanitizeDescription(settings + words)).toBe('<p>Ulm</p>');
  });

  it.each([
    ['struck text', '<s>1</s><del>2</del><strike>3</strike>', '<s>1</s><s>2</s><s>3</s>'],
    ['superscript and subscript', 'm<sup>2</sup> H<sub>2</sub>O', 'm<sup>2</sup> H<sub>2</sub>O'],
    ['keys as code', '<kbd>Ctrl</kbd><samp>x</samp><tt>y</tt>', '<code>Ctrl</code><code>x</code><code>y</code>'],
    ['images by their alternative text', '<p><img alt=" A sketch "></p>', '<p>[A sketch]</p>'],
    ['emoji images', 'a <img alt="\u{1f600}"><img alt=""><img>', 'a \u{1f600}'],
    [
      'checkboxes',
      '<ul><li><input type="checkbox" checked>a<li><input type=CHECKBOX>b<li><input>c</ul>',
      '<ul><li>☑ a</li><li>☐ b</li><li>c</li></ul>',
    ],
    [
      'words of separate blocks apart',
      '<details><summary>a</summary>b</details><figcaption>c</figcaption>',
      '<div>a</div>b<div>c</div>',
    ],
  ])('shows %s', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it('is not bold where Google Docs wraps text in a thin `b`', () => {
    expect(sanitizeDescription('<b style="font-weight:normal;" id="x"><p>a <b>b</b> c</p><p><b>d</b> e</p></b>f')).toBe(
      '<p>a <b>b</b> c</p><p><b>d</b> e</p>f',
    );
  });

  it.each([
    ['between paragraphs', '<p>a</p><p><br></p>\n<div><br><br></div><ul><li>b</ul>', '<p>a</p><ul><li>b</li></ul>'],
    ['at the start', '<p><br></p><p>a</p>', '<p>a</p>'],
    ['at the end', '<p>a</p><br>\n<br>', '<p>a</p>'],
    ['alone', '<br><p><br></p>', ''],
  ])('drops empty lines %s', (_, html, safe) => {
    expect(sanitizeDescription(html)).toBe(safe);
  });

  it('keeps a line break that separates two words', () => {
    expect(sanitizeDescription('a<div><br></div>b')).toBe('a<br />b');
  });

  it('ends with an ellipsis if most of a long description is markup', () => {
    expect(sanitizeDescription(`<p>a</p>${'<b></b>'.repeat(1142)}<i>b</i>`)).toBe('<p>a</p><b>…</b>');
  });

  it('ends after 1,200 characters of escaped text, between characters, with every tag closed', () => {
    const safe = sanitizeDescription(`<ul><li><b>${'🦊&amp;'.repeat(1000)}</b></li><li>more</li></ul><p>more</p>`);
    expect(safe).toBe(`<ul><li><b>${'🦊&amp;'.repeat(171)}🦊…</b></li></ul>`);
  });

  it('limits the depth', () => {
    expect(sanitizeDescription(`${'<b>'.repeat(2000)}x`)).toBe(`${'<b>'.repeat(16)}x${'</b>'.repeat(16)}`);
  });

  it('returns well-formed HTML of its few tags and of bounded length for any input', () => {
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
            'div',
            'h4',
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

/** Tags without a required end tag. */
function unbalanced(html: string): readonly string[] {
  const open: string[] = [];
  for (const [whole, name = ''] of html.matchAll(/<\/?([a-z\d]+)[^>]*>/g)) {
    if (whole.endsWith('/>')) continue;
    if (!whole.startsWith('</')) open.push(name);
    else if (open.pop() !== name) return [whole];
  }
  return open;
}
