import { describe, expect, it } from 'vitest';
import { htmlText } from '../../../core/resources/html-text.ts';
import { cpuMillis } from '../../cpu-time.ts';

describe('htmlText', () => {
  it.each([
    ['tags', '<p>a <b>b</b></p>', 'a b'],
    ['blocks and line breaks as spaces', '<p>a</p><div>b</div>c<br/>d', 'a b c d'],
    ['entities', 'a &amp; b&nbsp;c', 'a & b c'],
    [
      'the target of a link and of an image',
      '<a class=x href="https://a.example">b</a><img src=c.png>',
      'https://a.example b c.png',
    ],
    ['a link without a target', '<a name=x>b</a>', 'b'],
    [
      'whether a checkbox is ticked',
      '<input type=checkbox>a<input checked="checked" type="checkbox" disabled>b<input type="checkbox" value="is checked ">c',
      '☐ a ☑ b ☐ c',
    ],
    ['a ticked item of a list', '<li data-list="checked">a</li><li data-checked="false">b</li><li>c</li>', '☑ a ☐ b c'],
    ['an input that is not a checkbox', '<input type="text" checked>a', 'a'],
    ['the target of a video', '<video controls><source src="a.mp4"></video>', 'a.mp4'],
    ['a lone angle bracket', 'a < b', 'a < b'],
    ['an angle bracket before a tag', 'a < b<br>c', 'a < b c'],
  ])('reads %s', (_, html, text) => {
    expect(htmlText(html)).toBe(text);
  });

  it.each(['<', '<a ', '<a href', '<img src=', '<br', '</p', '<a src  ', '<a <a href=x '])(
    'takes milliseconds for 8,000 characters of %j',
    (piece) => {
      const html = piece.repeat(8000 / piece.length);
      const start = cpuMillis();
      htmlText(html);
      htmlText(`${html}>`);
      expect(cpuMillis() - start).toBeLessThan(100);
    },
  );
});
