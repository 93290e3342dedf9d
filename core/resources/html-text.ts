/** What a person reads of a piece of HTML: for comparing texts whose markup an editor rewrites at every save. */

import { decodeHTML } from 'entities';

/** Tags go, entities are decoded, space is folded. Images and links count by where they point to: they are content. */
export function htmlText(html: string): string {
  const targets = html.replace(/<(?:img|a)\b[^>]*?\b(?:src|href)\s*=\s*["']?([^"'\s>]*)[^>]*>/gi, ' $1 ');
  const text = targets.replace(/<br\b[^>]*>|<\/(?:p|div|li|tr|h\d)>/gi, ' ').replace(/<[^>]*>/g, '');
  return decodeHTML(text).replace(/\s+/g, ' ').trim();
}
