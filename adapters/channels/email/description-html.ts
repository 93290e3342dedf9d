/**
 * HTML of a record as a mail may show it: a few tags of running text, links that lead where they say, bounded, every tag
 * closed. Trusts nothing that it is given.
 */

import { asTheyAre, cleanHtml, type Rules } from '../../../core/messages/html-clean.ts';
import type { Tag } from '../../../core/messages/html-write.ts';

/** What is looked at, at all: a summary of a megabyte, mostly markup, is not worth a pass over all of it. */
const MOST_MARKUP = 8000;

/** Word and Outlook paste style sheets and settings ahead of the words, longer than most texts. */
const PREAMBLE = /<!--.*?(?:-->|$)|<style\b.*?(?:<\/style\s*>|$)/gis;
const MOST_PREAMBLE = 200_000;

const PARAGRAPH: readonly Tag[] = ['p'];
const HEADING: readonly Tag[] = ['p', 'strong'];
const STRUCK: readonly Tag[] = ['s'];
const CODE: readonly Tag[] = ['code'];

/** What an editor writes for a paragraph, or what must at least not run into its neighbours. */
const ALIKE =
  'div tr section article address dt dd figcaption caption details summary center main header footer aside form'.split(
    ' ',
  );

export const mailRules: Rules = {
  tags: new Map([
    ...asTheyAre('p', 'ul', 'ol', 'li', 'pre', 'blockquote', 'br', 'b', 'i', 'em', 'strong', 'a', 'code'),
    // Without these a price that no longer holds is one that does, and a square metre two of them.
    ...asTheyAre('s', 'sub', 'sup'),
    ...['del', 'strike'].map((tag) => [tag, STRUCK] as const),
    ...['kbd', 'samp', 'tt'].map((tag) => [tag, CODE] as const),
    ...ALIKE.map((tag) => [tag, PARAGRAPH] as const),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag) => [tag, HEADING] as const),
  ]),
  spaced: ['td', 'th'],
  inWords: shownBy,
  attributes: { a: ['href'] },
  rel: 'noopener noreferrer nofollow',
  unread: ['select', 'datalist', 'svg', 'math', 'template'],
  // Lists in quotes in lists: deeper than this is a mistake or an attack.
  deepest: 8,
  // Past this nobody reads on in a mail; the record itself is one tap away.
  mostText: 1200,
  isDense: true,
};

/** A picture by what it says of itself (smileys are such pictures, too), a box by whether it is ticked. */
function shownBy(name: string, attributes: ReadonlyMap<string, string>): string {
  const alt = name === 'img' ? (attributes.get('alt') ?? '').trim() : '';
  if (name === 'input' && attributes.get('type')?.toLowerCase() === 'checkbox') {
    return attributes.has('checked') ? '☑ ' : '☐ ';
  }
  return /[\p{L}\p{N}]/u.test(alt) ? `[${alt}]` : alt;
}

/** All that HTML has ever had. */
const NAMES = `
  a abbr acronym address applet area article aside audio b base basefont bd[io] big blink blockquote body br
  button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em
  embed fieldset figcaption figure font footer form frame frameset h[1-6r] head header hgroup html i iframe image
  img input ins kbd label legend li link listing main map mark marquee math menu meta meter nav nobr noembed
  noframes noscript object ol optgroup option output p param picture plaintext pre progress q r[bpt] ruby s samp
  script search section select slot small source span strike strong style su[bp] summary svg table tbody td
  template textarea tfoot th thead time title tr track tt u ul var video wbr xml xmp
`;

/** What is neither of these, nor of Office (`o:p`), is what somebody typed: `x<y`, `<ann@example.com>`, `List<Task>`. */
const NO_TAG = new RegExp(`<(?!/?(?:${NAMES.trim().split(/\s+/).join('|')}|\\w+:[a-z]\\w*)[\\s/>]|[!?])`, 'gi');

/** Between paragraphs, which stand apart anyway. */
const EMPTY_LINES = /(^|<\/(?:p|[uo]l|pre|blockquote)>)\s*(?:<p>(?:<br \/>\s*)+<\/p>\s*)+/g;

/** Empty when there is nothing to read in it. */
export function sanitizeDescription(html: string): string {
  const all = html.slice(0, MOST_PREAMBLE).replaceAll(PREAMBLE, '');
  // Not through a tag.
  const start = all.length > MOST_MARKUP ? all.slice(0, MOST_MARKUP).replace(/(?:<[^<>]*)?$/, '…') : all;
  const markup = start.replaceAll(NO_TAG, '&lt;');
  // Where nothing is marked up, lines are.
  const clean = cleanHtml(markup.includes('<') ? markup : markup.trim().replaceAll(/\r\n?|\n/g, '<br>'), mailRules)
    .replaceAll(/(?:<br \/>\s*){3,}/g, '<br /><br />')
    .replaceAll(EMPTY_LINES, '$1')
    .replace(/(?:<br \/>\s*)+$/, '')
    .trim();
  return /^(?:<[^>]*>|\s)*$/.test(clean) ? '' : clean;
}
