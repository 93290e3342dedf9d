/**
 * HTML of a record as a mail may show it: a few tags of running text, links that lead where they say, bounded, every tag
 * closed. And the same as plain text. Trusts nothing that it is given.
 */

import { asTheyAre, cleanHtml, type Rules } from './html-clean.ts';
import { readHtml } from './html-read.ts';
import type { Tag } from './html-write.ts';

/** What is looked at, at all: a summary of a megabyte, mostly markup, is not worth a pass over all of it. */
const MOST_MARKUP = 8000;

const PARAGRAPH: readonly Tag[] = ['p'];
const HEADING: readonly Tag[] = ['p', 'strong'];

export const mailRules: Rules = {
  tags: new Map([
    ...asTheyAre('p', 'ul', 'ol', 'li', 'pre', 'blockquote', 'br', 'b', 'i', 'em', 'strong', 'a', 'code'),
    // What an editor writes for a paragraph and for a heading.
    ...['div', 'tr', 'section', 'article', 'address', 'dt', 'dd'].map((tag) => [tag, PARAGRAPH] as const),
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((tag) => [tag, HEADING] as const),
  ]),
  spaced: ['td', 'th'],
  attributes: { a: ['href'] },
  rel: 'noopener noreferrer nofollow',
  unread: ['select', 'datalist', 'svg', 'math', 'template'],
  // Lists in quotes in lists: deeper than this is a mistake or an attack.
  deepest: 8,
  // Past this nobody reads on in a mail; the record itself is one tap away.
  mostText: 1200,
  isDense: true,
};

/** Empty when there is nothing to read in it. */
export function safeHtml(html: string): string {
  return cleanHtml(html.slice(0, MOST_MARKUP), mailRules)
    .replaceAll(/(?:<br \/>\s*){3,}/g, '<br /><br />')
    .trim();
}

/** What stands in plain text where a tag opens, and where it closes. */
const OPENED: Readonly<Record<string, string>> = { li: '\n- ', br: '\n', p: '\n\n', pre: '\n\n', blockquote: '\n\n' };
const CLOSED: Readonly<Record<string, string>> = { ul: '\n\n', ol: '\n\n', p: '\n\n', pre: '\n\n', blockquote: '\n\n' };

/** The same to read without markup. Takes what `safeHtml` made, so that it need not be careful. */
export function safeText(html: string): string {
  let text = '';
  let link = { href: '', from: 0 };
  for (const token of readHtml(html)) {
    if (token.kind === 'text') text += token.text;
    else if (token.kind === 'open') {
      text += OPENED[token.name] ?? '';
      if (token.name === 'a') link = { href: token.attributes.get('href') ?? '', from: text.length };
    } else {
      if (token.name === 'a' && !text.slice(link.from).includes(link.href)) {
        text += ` (${link.href.replace(/^mailto:/, '')})`;
      }
      text += CLOSED[token.name] ?? '';
    }
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(/\n\n(?=- )/g, '\n')
    .trim();
}
