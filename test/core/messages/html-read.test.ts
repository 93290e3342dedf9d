import { describe, expect, it } from 'vitest';
import { mailRules, sanitizeDescription } from '../../../adapters/channels/email/description-html.ts';
import { descriptionToText } from '../../../adapters/channels/email/description-text.ts';
import { cleanHtml } from '../../../core/messages/html-clean.ts';
import { readHtml } from '../../../core/messages/html-read.ts';
import { harmlessHtml, templateRules } from '../../../core/messages/template-html.ts';

/** `a [b c=d] e [/b]`, so that a table stays readable. */
function told(html: string): string {
  return [...readHtml(html)]
    .map((token) => {
      if (token.kind === 'text') return token.text;
      if (token.kind === 'close') return `[/${token.name}]`;
      return `[${[token.name, ...[...token.attributes].map(([key, value]) => `${key}=${value}`)].join(' ')}]`;
    })
    .join('');
}

describe('readHtml', () => {
  it.each([
    ['nothing', '', ''],
    ['text', 'a b', 'a b'],
    ['tags', '<b>a</b>', '[b]a[/b]'],
    ['names in any case', '<B>a</StRoNg>', '[b]a[/strong]'],
    ['names with marks in them', '<a:b-c.d"e>x', '[a:b-c.d"e]x'],
    ['space after a name', '<b \t\n\f\r>a</b \n>', '[b]a[/b]'],
    ['the end of a tag that ends itself', '<br/><br /><b/>x', '[br][br][b]x'],
    ['a break that is closed', 'a</br>b', 'a[br]b'],
  ])('reads %s', (_, html, tokens) => {
    expect(told(html)).toBe(tokens);
  });

  it.each([
    ['before a space', 'a < b', 'a < b'],
    ['before a digit', 'a <3 b', 'a <3 b'],
    ['before another', '<<b>x', '<[b]x'],
    ['before letters beyond ASCII', '<é>', '<é>'],
    ['at the end', 'a<', 'a<'],
    ['at the end, with a slash', 'a</', 'a</'],
    ['before =', '<=>', '<=>'],
  ])('takes < %s for text', (_, html, tokens) => {
    expect(told(html)).toBe(tokens);
  });

  it.each([
    ['with a semicolon', '&amp;&lt;&gt;&quot;&eacute;&nbsp;', '&<>"é\u00a0'],
    ['without one, where that is allowed', '&amp &ltb &copy2', '& <b ©2'],
    ['as numbers', '&#65;&#x42;&#X43;&#68 &#xzz;', 'ABCD &#xzz;'],
    ['that make no character', '&#0;&#xd800;&#x110000;', '\ufffd\ufffd\ufffd'],
    ['that are none', '&; &x; &nope; & &', '&; &x; &nope; & &'],
    ['once and not twice', '&amp;lt;b&amp;gt;', '&lt;b&gt;'],
    ['that would be tags, as text', '&lt;b&gt;', '<b>'],
    ['that a tag cuts through, not at all', '&am<b>p;', '&am[b]p;'],
  ])('decodes entities %s', (_, html, tokens) => {
    expect(told(html)).toBe(tokens);
  });

  it.each([
    ['in quotes', '<a b="c d">', '[a b=c d]'],
    ['in single quotes', "<a b='c \"d'>", '[a b=c "d]'],
    ['without quotes', '<a b=c/d?e=f>x', '[a b=c/d?e=f]x'],
    ['without a value', '<a b c>', '[a b= c=]'],
    ['with the mark and no value', '<a b=>x', '[a b=]x'],
    ['with > in quotes', '<a b="x>y" c=\'>\'>z', '[a b=x>y c=>]z'],
    ['with < anywhere', '<a <b c="<d>">z', '[a <b= c=<d>]z'],
    ['with space around the mark', '<a b \n = \t "c">', '[a b=c]'],
    ['with no space between', '<a b="c"d=\'e\'f=g>', '[a b=c d=e f=g]'],
    ['with slashes between', '<a/b/c=d/ /e="f"/>', '[a b= c=d/ e=f]'],
    ['with names in any case', '<a HREF=b>', '[a href=b]'],
    ['that are there twice, by the first', '<a b=1 B=2 b=3>', '[a b=1]'],
    ['that begin with =', '<a =b=c>', '[a =b=c]'],
    ['with a second =', '<a b==c>', '[a b==c]'],
    ['with quotes in the name', '<a b"c=d>', '[a b"c=d]'],
    ['with quotes in a bare value', '<a b=c"d\'e>', '[a b=c"d\'e]'],
    ['with lines in them', '<a b="c\nd">', '[a b=c\nd]'],
    ['with entities', '<a b="&lt;&quot;&amp;c=1&copy=2&copy;">', '[a b=<"&c=1&copy=2©]'],
    ['of close tags too, to find their end', '</a b=">">c', '[/a]c'],
  ])('reads attributes %s', (_, html, tokens) => {
    expect(told(html)).toBe(tokens);
  });

  it.each([
    ['comments', 'a<!-- <b> -- > -->c', 'ac'],
    ['comments of nothing', 'a<!---->b', 'ab'],
    ['comments that end at once', 'a<!-->b<!--->c', 'abc'],
    ['comments that end with a bang', 'a<!-- x --!>b', 'ab'],
    ['comments in comments, to the first end', 'a<!-- <!-- x -->b-->', 'ab-->'],
    ['comments with dashes', 'a<!--- x ---->b', 'ab'],
    ['comments without an end', 'a<!-- <b>x</b>', 'a'],
    ['doctypes', '<!DOCTYPE html PUBLIC "x">a', 'a'],
    ['CDATA, to the first >', 'a<![CDATA[b>c]]>d', 'ac]]>d'],
    ['processing instructions', 'a<?php echo "x" ?>b<?xml>c', 'abc'],
    ['what is no comment but nearly', 'a<!-x>b<!>c', 'abc'],
    ['close tags of nothing', 'a</>b</ b>c</3>d', 'abcd'],
    ['such without an end', 'a<!x <b', 'a'],
    ['tags without an end', 'a<b', 'a'],
    ['tags without an end, with attributes', 'a<b c="d" e', 'a'],
    ['tags whose quotes have no end', 'a<b c="d>e</b>', 'a'],
    ['tags that end after the mark', 'a<b c=', 'a'],
    ['close tags without an end', 'a</b', 'a'],
  ])('passes over %s', (_, html, tokens) => {
    expect(told(html)).toBe(tokens);
  });

  it.each([
    ...['script', 'style', 'textarea', 'title', 'iframe', 'noscript', 'xmp', 'noembed', 'noframes'].map((name) => [
      name,
      `a<${name} x=y><b>"'<!--</b></${name}x></ ${name}></${name}\n>c`,
      `a[${name} x=y][/${name}]c`,
    ]),
    ['script, in any case', '<SCRIPT>x</sCript/>a', '[script][/script]a'],
    ['script that seems to end itself', '<script/>x</script>a', '[script][/script]a'],
    ['script, whose close tag has attributes', '<script>x</script a=">">b', '[script][/script]b'],
    ['script without an end', 'a<script>b<i>c', 'a[script]'],
    ['script with half an end', 'a<script>b</script', 'a[script]'],
    ['plaintext, which has no end', 'a<plaintext>b</plaintext>c', 'a[plaintext]'],
  ])('tells nothing of what is in %s', (_, html = '', tokens = '') => {
    expect(told(html)).toBe(tokens);
  });

  it('ends foreign elements by themselves, and no others', () => {
    expect(told('<svg/>a<math />b<svg x=y/>c<p/>')).toBe('[svg][/svg]a[math][/math]b[svg x=y/]c[p]');
  });
});

describe('a megabyte of the worst', () => {
  const filled = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length));

  it.each([
    ...['<', '&', '"', '=', ' ', '</', '<!-', '<?', '&#', '&am', '&amp', '\ud800', '<a ', '<a b=', '<a b="', '<a b=c '],
    ...[
      '<a/',
      '</a ',
      '<a></a>',
      '<!--',
      '<!-->',
      '<!---',
      '<!-- --',
      '<![CDATA[',
      '</ x>',
      '<script',
      '<script></scrip',
    ],
    ...['<script></script>', '<b>x', '<b> </b>', 'x <p></p>', '<ul><li>', '<table><tr><td>', '<table>', '</p>', '<br>'],
    ...['<svg>', '<svg/>', '<div><i> </i>', '<a href="https://a.example/">'],
  ])(
    '%j is read and written in a moment',
    (unit) => {
      const start = performance.now();
      harmlessHtml(filled(unit, 1_000_000));
      const some = filled(unit, 100_000);
      for (const html of [some, `<b ${some}`, `<ul><li><b>${some}${filled('</i></b></li></td>', 100_000)}`]) {
        cleanHtml(html, { ...mailRules, mostText: Infinity });
        descriptionToText(sanitizeDescription(html));
      }
      // Under a second on a quiet machine; a way that takes the square of its time would be at it for minutes on any.
      expect(performance.now() - start).toBeLessThan(30_000);
    },
    60_000,
  );

  it('goes as deep as it may and no deeper, and comes out where it should', () => {
    const nested = (times: number) => `${'<div>'.repeat(times)}x${'</div>'.repeat(times)}<p>y</p>`;
    expect(harmlessHtml(nested(100_000))).toBe(nested(templateRules.deepest));
    expect(harmlessHtml(nested(templateRules.deepest))).toBe(nested(templateRules.deepest));
  });
});
