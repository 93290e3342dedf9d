import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitizeDescription } from '../../../../adapters/channels/email/description-html.ts';
import { descriptionToText } from '../../../../adapters/channels/email/description-text.ts';
import { renderMail } from '../../../../adapters/channels/email/render-mail.ts';
import { example, LINKS, sampleMessage } from '../../../pictures/sample-messages.ts';
import { hostileHtml } from './hostile-html.ts';

const REL = 'rel="x"';

describe('descriptionToText', () => {
  it.each([
    ['paragraphs', '<p>a</p><p>b &lt; c</p>', 'a\n\nb < c'],
    ['paragraphs beside bare words', 'a<p>b</p>c', 'a\n\nb\n\nc'],
    ['lines that only the source has as one', '<p>a\n  b <b>\nc </b>\n d</p>', 'a b c d'],
    ['breaks', 'a<br />b<br />\nc<br /><br />d', 'a\nb\nc\n\nd'],
    ['lists', '<p>a:</p><ul><li>b</li>\n<li>c</li></ul><p>d</p>', 'a:\n- b\n- c\n\nd'],
    ['lists of paragraphs', '<ul><li><p>a</p></li><li><p>b</p><p>c</p></li></ul>', '- a\n- b\n\n  c'],
    ['lists that are numbered', '<ol><li>a</li><li>b</li></ol><ol><li>c</li></ol>', '1. a\n2. b\n1. c'],
    [
      'lists in lists',
      '<ol><li>a<ul><li>b<br />c</li></ul>d</li><li>e</li></ol>f',
      '1. a\n  - b\n    c\n  d\n2. e\n\nf',
    ],
    ['items without a list', '<li>a</li><li>b</li><p>c</p>', '- a\n- b\n\nc'],
    ['no items without words', '<ul><li>a</li><li><br /></li></ul><p>b</p>', '- a\n\nb'],
    ['items that begin with a break', '<ul><li>a</li><li><br />b</li></ul>', '- a\n- b'],
    ['items that are code', '<ol><li><pre>a\nb</pre></li></ol>', '1. a\n  b'],
    ['quotes', 'a<blockquote><p>b</p><blockquote>c<br />d</blockquote></blockquote>e', 'a\n\n> b\n\n> > c\n> > d\n\ne'],
    ['code as it stands', '<p>a</p><pre>\n  b\n    <code>c</code>  d\n</pre><p>e</p>', 'a\n\n  b\n    c  d\n\ne'],
    ['code in a list', '<ul><li>a<pre>b\n c</pre></li></ul>', '- a\n\n  b\n   c'],
    ['code first', '<pre>  a\n b</pre>', '  a\n b'],
    ['what no longer holds', 'a <s>b </s>c', 'a ~b~ c'],
    ['links with their target', `<a href="https://a.example/" ${REL}>here</a>`, 'here (https://a.example/)'],
    [
      'links whose text is their target',
      `<a href="https://a.example/" ${REL}>https://a.example</a>`,
      'https://a.example',
    ],
    [
      'links that say another',
      `<a href="https://a.example/b" ${REL}>https://a.example/</a>`,
      'https://a.example/ (https://a.example/b)',
    ],
    ['links within a sentence', `a <a href="https://a.example/b" ${REL}>c </a>d`, 'a c (https://a.example/b) d'],
    ['mailboxes', `<a href="mailto:ann@example.com?subject=b" ${REL}>Ann</a>`, 'Ann (ann@example.com)'],
    ['mailboxes once', `&lt;<a href="mailto:ann@example.com" ${REL}>ann@example.com</a>&gt;`, '<ann@example.com>'],
    ['links to nowhere', '<a>x</a>', 'x'],
    ['nothing', '', ''],
  ])('shows %s', (_, html, text) => {
    expect(descriptionToText(html)).toBe(text);
  });

  it('stays inside its quote in the text of a mail, for any record', () => {
    const textOf = (summary: string) => renderMail(sampleMessage([example('task.closed', { summary })]), LINKS).text;
    const [start = '', end = ''] = textOf('<p>the words</p>').split('> the words\n');
    const forged = '<pre>a\r-- \rTidings, subscription x\r\nUnsubscribe: https://evil.example/</pre>';
    fc.assert(
      fc.property(fc.oneof(hostileHtml, fc.constant(forged)), (html) => {
        fc.pre(sanitizeDescription(html) !== '');
        const text = textOf(html);
        expect([text.slice(0, start.length), text.slice(-end.length)]).toEqual([start, end]);
        expect(text.slice(start.length, -end.length)).toMatch(/^(?:>[^\r\n]*\n)+$/);
      }),
      { numRuns: 300 },
    );
  });
});
