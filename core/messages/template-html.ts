/** Takes everything out of HTML that does something: scripts, handlers, styles, pictures that tell on their reader. */

import { asTheyAre, cleanHtml, type Rules } from './html-clean.ts';

const CELL = ['colspan', 'rowspan', 'align'] as const;

export const templateRules: Rules = {
  tags: new Map([
    ...asTheyAre('a', 'b', 'blockquote', 'br', 'code', 'div', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i'),
    ...asTheyAre('li', 'ol', 'p', 'pre', 's', 'small', 'span', 'strong', 'sub', 'sup', 'u', 'ul'),
    ...asTheyAre('table', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'),
  ]),
  attributes: { a: ['href', 'title'], td: CELL, th: CELL },
  unread: ['select', 'datalist', 'svg', 'math'],
  deepest: 50,
};

/** A piece of HTML, not a document: what was around the body is gone as well. */
export function harmlessHtml(html: string): string {
  return cleanHtml(html, templateRules).trim();
}
