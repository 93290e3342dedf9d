/** HTML to test a sanitizer with, from ordinary to hostile. */

import fc from 'fast-check';
import { hostile } from '../../../core/events/hostile-events.ts';
import { ATTACKS } from './html-attacks.ts';

const KEPT =
  'p ul ol li pre blockquote br b i em strong a code div h1 h2 h3 hr span table tbody thead tr td th u sub'.split(' ');
const RAW = 'script style textarea title iframe noscript xmp noembed noframes plaintext'.split(' ');
const OTHER =
  'svg math mtext mglyph malignmark annotation-xml foreignObject desc template select option form img body html'.split(
    ' ',
  );

const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...KEPT) },
  fc.constantFrom(...RAW),
  fc.constantFrom(...OTHER),
  fc.constantFrom('B', 'sCript', 'constructor', '__proto__', 'p\u0000', 'b"', 'x-y', 'a:b', '!', '?', '/', ''),
);
const space = fc.constantFrom('', ' ', ' ', '\n', '\t', '\f', '/', ' / ', '\u00a0');
const value = fc.oneof(
  fc.constantFrom('https://a.example/?b=1&c=2', 'mailto:a@b.example', 'javascript:alert(1)', '//x', '2', 'left', ''),
  fc.constantFrom('x>y', '<b>', '</b>', '-->', '&quot;', '&lt;', '&#34', '"', "'", '`', 'a b', 'java\nscript:x'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const attribute = fc
  .tuple(
    space,
    fc.constantFrom('href', 'HREF', 'title', 'colspan', 'align', 'onclick', 'style', 'rel', '=', '"', '<b', 'x\u0000'),
    fc.constantFrom('', '=', ' = ', '=='),
    fc.constantFrom('"', "'", '', '`'),
    value,
    fc.boolean(),
  )
  .map(([before, key, mark, quote, held, isClosed]) => `${before}${key}${mark}${quote}${held}${isClosed ? quote : ''}`);
const entity = fc
  .tuple(
    fc.constantFrom('&amp', '&lt', '&gt', '&quot', '&nbsp', '&copy', '&colon', '&notit', '&#60', '&#x3c', '&#0', '&#'),
    fc.constantFrom(';', '', 'b', '<', '&'),
  )
  .map(([start, end]) => start + end);
const tag = fc
  .tuple(fc.constantFrom('<', '<', '<', '</', '</', '<<', '< '), name, fc.array(attribute, { maxLength: 3 }), space)
  .chain(([start, of, attributes, before]) =>
    fc.constantFrom('>', '>', '>', '>', '/>', '', '>>').map((end) => start + of + attributes.join('') + before + end),
  );
const comment = fc
  .tuple(fc.constantFrom('<!--', '<!-', '<!', '<?', '<![CDATA[', '</ '), fc.constantFrom('', '-', 'x', '<b>', '"'))
  .chain(([start, held]) =>
    fc.constantFrom('-->', '--!>', '->', '>', '--', ']]>', '').map((end) => start + held + end),
  );

/** A sequence of incomplete tags, attribute tricks, entities, raw text elements and foreign elements. */
export const hostileHtml = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(
        fc.oneof(
          { weight: 6, arbitrary: tag },
          { weight: 2, arbitrary: entity },
          comment,
          fc.constantFrom('a', ' ', '\n', 'x y', '\u0000', '\u202e', '\ud800', '🦊', '<', '>', '&', '"'),
          fc.constantFrom(...ATTACKS),
        ),
        { maxLength: 14 },
      )
      .map((pieces) => pieces.join('')),
  },
  fc.array(hostile, { maxLength: 3 }).map((pieces) => pieces.join('').slice(0, 20_000)),
);
