import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeHtml, safeText } from '../../../core/messages/mail-safe-html.ts';
import { hostile, tagsOf } from '../events/hostile-events.ts';

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
    expect(safeHtml(html)).toBe(safe);
  });

  it('ends after 1,200 characters, between characters, with every tag closed', () => {
    const safe = safeHtml(`<ul><li><b>${'🦊&amp;'.repeat(1000)}</b></li><li>more</li></ul><p>more</p>`);
    expect(safe).toBe(`<ul><li><b>${'🦊&amp;'.repeat(600)}…</b></li></ul>`);
  });

  it('does not follow markup down without end', () => {
    expect(safeHtml(`${'<b>'.repeat(2000)}x`)).toBe(`${'<b>'.repeat(8)}x${'</b>'.repeat(8)}`);
  });

  it('makes well-formed HTML of its few tags, and no more than fits, of anything', () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 4 }), (pieces) => {
        const safe = safeHtml(pieces.join(''));
        expect(safe.length).toBeLessThan(60_000);
        for (const { name, attributes } of tagsOf(safe)) {
          expect(['p', 'ul', 'ol', 'li', 'pre', 'blockquote', 'br', 'b', 'i', 'em', 'strong', 'a', 'code']).toContain(
            name,
          );
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

describe('safeText', () => {
  it.each([
    ['paragraphs', '<p>a</p><p>b &lt; c</p>', 'a\n\nb < c'],
    ['lists', '<p>a:</p><ul><li>b</li><li>c</li></ul><p>d</p>', 'a:\n- b\n- c\n\nd'],
    ['breaks', 'a<br />b', 'a\nb'],
    ['links by where they lead', '<a href="https://a.example/" rel="x">here</a>', 'here (https://a.example/)'],
    [
      'links that say it themselves',
      '<a href="https://a.example/" rel="x">https://a.example/</a>',
      'https://a.example/',
    ],
    ['mailboxes', '<a href="mailto:ann@example.com" rel="x">Ann</a>', 'Ann (ann@example.com)'],
    ['links to nowhere', '<a>x</a>', 'x'],
  ])('tells %s', (_, html, text) => {
    expect(safeText(html)).toBe(text);
  });
});
