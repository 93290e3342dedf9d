/**
 * Sanitizes the HTML description of a record for a mail: text, lists and links of bounded length and depth. The result
 * runs no scripts, loads nothing and cannot affect the mail around it.
 */

import sanitizeHtml, { type Attributes, type IOptions, type Transformer } from 'sanitize-html';
import { BASE_OPTIONS, safeLink, UNWRAPPED, visibleText } from './sanitizer.ts';

/** Characters of markup that are processed. The mail links to the record for the rest. */
const MAX_MARKUP_LENGTH = 8000;
/** Characters of text that are shown. */
const MAX_TEXT_LENGTH = 1200;
const MAX_DEPTH = 16;

/** Word and Outlook paste style sheets and comments ahead of the text, often longer than the text. */
const PREAMBLE = /<!--.*?(?:-->|$)|<style\b.*?(?:<\/style\s*>|$)/gis;
const MAX_PREAMBLE_LENGTH = 200_000;

/** A text without any of these tags is plain text: its line breaks are kept, and so are `x<y` and `<ann@example.com>`. */
const HTML_TAG = new RegExp(
  `<(?:/?(?:${[
    'a|article|b|blockquote|body|br|center|code|del|details|div|dl|em|font|form|h[1-6]|hr|html|i|iframe|img|input|ins|kbd',
    'label|li|link|main|math|meta|noscript|o:p|object|ol|p|pre|s|samp|script|section|small|span|strike|strong|style|sub',
    'sup|svg|table|tbody|td|template|textarea|th|title|tr|tt|u|ul|video|xmp',
  ].join('|')})[\\s/>]|!|\\?)`,
  'i',
);

const ALLOWED_TAGS = [
  ...['p', 'div', 'h4', 'ul', 'ol', 'li', 'pre', 'blockquote', 'br'],
  ...['b', 'i', 'em', 'strong', 'a', 'code', 's', 'sub', 'sup', UNWRAPPED],
];

const renameAll = (names: readonly string[], to: string) => Object.fromEntries(names.map((name) => [name, to]));

/** Google Docs wraps everything that is copied from it in a `b` that is not bold. */
const unwrapThin: Transformer = (tagName, { style = '' }) => ({
  tagName: /font-weight:\s*(?:normal|400)/i.test(style) ? UNWRAPPED : tagName,
  attribs: {},
});

/** Replaces an image by its alternative text: emoji are often images. */
const imageToText: Transformer = (_, { alt = '' }) => {
  const text = alt.trim();
  return { tagName: UNWRAPPED, attribs: {}, text: /[\p{L}\p{N}]/u.test(text) ? `[${text}]` : text };
};

const checkboxToText: Transformer = (_, { type, checked }) => {
  const box = checked === undefined ? '☐ ' : '☑ ';
  return { tagName: UNWRAPPED, attribs: {}, text: type?.toLowerCase() === 'checkbox' ? box : '' };
};

const linkOrText: Transformer = (tagName, { href }) => {
  const link = safeLink(href);
  const attribs: Attributes = link === undefined ? {} : { href: link, rel: 'noopener noreferrer nofollow' };
  return { tagName: link === undefined ? UNWRAPPED : tagName, attribs };
};

const OPTIONS: IOptions = {
  ...BASE_OPTIONS,
  allowedTags: ALLOWED_TAGS,
  allowedAttributes: { a: ['href', 'rel'] },
  nestingLimit: MAX_DEPTH,
  transformTags: {
    ...renameAll(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'], 'h4'),
    ...renameAll(['tr', 'section', 'article', 'address', 'dt', 'dd', 'figcaption', 'caption', 'summary'], 'div'),
    // Strikethrough must be kept: a deleted price would look valid.
    ...renameAll(['del', 'strike'], 's'),
    ...renameAll(['kbd', 'samp', 'tt'], 'code'),
    b: unwrapThin,
    strong: unwrapThin,
    img: imageToText,
    input: checkboxToText,
    a: linkOrText,
  },
};

const BLOCK = 'p|div|h4|ul|ol|li|pre|blockquote';
const EMPTY_ELEMENT = new RegExp(`<(${BLOCK}|b|i|em|strong|a|code|s|sub|sup)(?: [^>]*)?>((?:\\s|<br />)*)</\\1>`, 'g');
/** Line breaks between blocks, which have margins, and at either end. */
const BREAKS_AROUND_BLOCKS = new RegExp(
  `(^|</(?:${BLOCK})>)\\s*(?:<br />\\s*)+|(?:<br />\\s*)+(?=<(?:${BLOCK})>|$)`,
  'g',
);

/** Returns '' if it has no visible text. */
export function sanitizeDescription(html: string): string {
  const all = html.slice(0, MAX_PREAMBLE_LENGTH).replaceAll(PREAMBLE, '');
  const isWhole = html.length <= MAX_PREAMBLE_LENGTH && all.length <= MAX_MARKUP_LENGTH;
  // Does not cut inside a tag.
  const markup = isWhole ? all : all.slice(0, MAX_MARKUP_LENGTH).replace(/(?:<[^<>]*)?$/, '…');
  const clean = sanitizeHtml(HTML_TAG.test(markup) ? repairMarkup(markup) : plainTextToHtml(markup), {
    ...OPTIONS,
    textFilter: limitText(MAX_TEXT_LENGTH),
  });
  const tidy = removeEmpty(clean.replaceAll(/<\/?span>/g, ''))
    .replaceAll(/(?:<br \/>\s*){3,}/g, '<br /><br />')
    .replaceAll(BREAKS_AROUND_BLOCKS, '$1')
    .trim();
  return /^(?:<[^>]*>|\s)*$/.test(tidy) ? '' : tidy;
}

function plainTextToHtml(text: string): string {
  return text
    .trim()
    .replaceAll('<', '&lt;')
    .replaceAll(/\r\n?|\n/g, '<br>');
}

/** Adds a space between the cells of a row, whose tags are removed, and escapes `<ann@example.com>`, which is not a tag. */
function repairMarkup(html: string): string {
  return html.replaceAll(/<t[dh]\b/gi, ' $&').replaceAll(/<(?=https?:|[^\s<>/]+@)/gi, '&lt;');
}

/** The text is already escaped: `&amp;` counts as five characters and is not split. */
function limitText(length: number): (text: string) => string {
  let left = length;
  return (given) => {
    if (left < 0) return '';
    const text = visibleText(given);
    if (text.trimEnd().length <= left) {
      left -= text.trimEnd().length;
      return text;
    }
    const cut = text.slice(0, left).replace(/&\w*$/, '');
    left = -1;
    return `${(cut.isWellFormed() ? cut : cut.slice(0, -1)).trimEnd()}…`;
  };
}

/** Repeats for each level, because an element becomes empty when its children are removed. */
function removeEmpty(html: string): string {
  let shown = html;
  for (let level = 0; level < MAX_DEPTH; level++) {
    const next = shown.replaceAll(EMPTY_ELEMENT, '$2');
    if (next === shown) break;
    shown = next;
  }
  return shown;
}
