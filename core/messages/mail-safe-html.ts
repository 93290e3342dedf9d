/**
 * HTML of a record as a mail may show it: a few tags of running text, links that lead where they say, bounded, every tag
 * closed. And the same as plain text. Trusts nothing that it is given.
 */

import { decodeHTML } from 'entities';
import sanitizeHtml from 'sanitize-html';

/** Past this nobody reads on in a mail; the record itself is one tap away. */
const MOST_TEXT = 1200;

/** What is looked at, at all: a summary of a megabyte, mostly markup, is not worth a pass over all of it. */
const MOST_MARKUP = 8000;

/** Lists in quotes in lists: deeper than this is a mistake or an attack. */
const DEEPEST = 8;

const BLOCKS = ['p', 'ul', 'ol', 'li', 'pre', 'blockquote'];
const TAGS = [...BLOCKS, 'br', 'b', 'i', 'em', 'strong', 'a', 'code'];

/**
 * What an editor writes for a paragraph, for a heading and for a cell, in tags that we keep. Done before the sanitiser
 * looks, never after: it then has the last word, whatever these make of broken markup.
 */
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/(<\/?)(?:div|tr)\b/gi, '$1p'],
  [/<h[1-6]\b[^>]*>/gi, '<p><strong>'],
  [/<\/h[1-6]\b[^>]*>/gi, '</strong></p>'],
  [/<\/t[dh]>/gi, ' $&'],
];

/** Not a word of these is meant for readers. */
const UNREAD = ['script', 'style', 'textarea', 'option', 'noscript', 'title', 'template', 'iframe', 'svg', 'math'];

/** Control characters, and marks that turn the direction of writing for all that follows. */
const UNSEEN = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

const SCHEMES = ['http', 'https', 'mailto'];

/** As a browser would read it, with its tricks (`java\nscript:`) undone. */
function targetOf(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined;
  const { protocol, href: target } = new URL(href);
  return SCHEMES.includes(protocol.slice(0, -1)) && target.length <= 1000 ? target : undefined;
}

/** Empty when there is nothing to read in it. */
export function safeHtml(html: string): string {
  let left = MOST_TEXT;
  const start = html.slice(0, MOST_MARKUP).toWellFormed().replaceAll(UNSEEN, '');
  const markup = ALIKE.reduce((text, [tag, ours]) => text.replaceAll(tag, ours), start);
  const clean = sanitizeHtml(markup, {
    allowedTags: TAGS,
    allowedAttributes: { a: ['href', 'rel'] },
    allowedSchemes: SCHEMES,
    allowProtocolRelative: false,
    nonTextTags: UNREAD,
    nestingLimit: DEEPEST,
    transformTags: {
      // One that leads nowhere we know loses its target and is only its words.
      a: (tagName, { href = '' }) => {
        const target = targetOf(href);
        return { tagName, attribs: target === undefined ? {} : { href: target, rel: 'noopener noreferrer nofollow' } };
      },
    },
    // Called for a run of text, or for a part of one: an entity comes by itself.
    textFilter: (escaped) => {
      const text = escaped.replaceAll(UNSEEN, '');
      const most = left;
      const pieces = text.match(PIECES) ?? [];
      left -= pieces.length;
      if (left >= 0) return text;
      // Below nothing once, the end is told already.
      return most < 0 ? '' : `${pieces.slice(0, most).join('').trimEnd()}…`;
    },
  });
  return withoutGaps(clean).trim();
}

/** An element without words is only a gap; what was cut leaves such behind, one inside the other. */
function withoutGaps(clean: string): string {
  let html = clean;
  for (let depth = 0; depth <= DEEPEST; depth++) {
    const next = html.replaceAll(/<([a-z]+)(?: [^<>]*)?(?<!\/)>\s*<\/\1>/g, '');
    if (next === html) break;
    html = next;
  }
  return html.replaceAll(/(?:<br \/>\s*){3,}/g, '<br /><br />');
}

/** Of an escaped text, what must not be cut through: an entity, or a character. */
const PIECES = /&[#a-z0-9]{1,10};|./gisu;

/** The same to read without markup. Takes what `safeHtml` made, so that it need not be careful. */
export function safeText(html: string): string {
  const lines = html
    .replaceAll(/<a href="([^"]*)"[^>]*>(.*?)<\/a>/gs, (_, href: string, words: string) => withTarget(words, href))
    .replaceAll(/<li>/g, '\n- ')
    .replaceAll(/<br \/>/g, '\n')
    .replaceAll(/<\/(?:ul|ol)>/g, '\n\n')
    .replaceAll(/<\/?(?:p|pre|blockquote)>/g, '\n\n')
    .replaceAll(/<[^>]*>/g, '');
  return decodeHTML(lines)
    .replaceAll(UNSEEN, '')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(/\n\n(?=- )/g, '\n')
    .trim();
}

function withTarget(words: string, href: string): string {
  return href === '' || words.includes(href) ? words : `${words} (${href.replace(/^mailto:/, '')})`;
}
