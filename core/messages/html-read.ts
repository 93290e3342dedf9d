/**
 * HTML taken apart as a browser would: text, tags that open, tags that close. Decides nothing about what may stay, never
 * throws, and takes time in proportion to the length of whatever it is given.
 */

import { decodeHTML, decodeHTMLAttribute } from 'entities';

/** Names in lower case, entities decoded; of an attribute that is there twice, the first. */
export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string };

/** What is in these is no markup: it ends with their own close tag and with nothing else. It is not told. */
const RAW = 'script style textarea title iframe noscript xmp noembed noframes'.split(' ');

/** Foreign elements, the only ones that `/>` ends. */
const FOREIGN = ['svg', 'math'];

// Each begins where the last one ended and matches whatever is there, also when its end is missing: so no letter is looked
// at more than a few times.
const MARK = /<(?:[a-z!?]|\/.)/gis;
const TAG = /<(\/?)([a-z][^\t\n\f\r />]*)/iy;
const COMMENT = /<!--(?:-?>|.*?(?:--!?>|$))/sy;
/** Doctypes, CDATA, processing instructions and what else is no tag. */
const OTHER = /<[^>]*>?/y;
const ATTRIBUTE =
  /[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"?|'([^']*)'?|([^\t\n\f\r >]*)))?/y;
const TAG_END = /[\t\n\f\r /]*>/y;

export function* readHtml(html: string): Generator<Token, void> {
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(html);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  while (at < html.length) {
    const from = at;
    const start = next(MARK)?.index ?? html.length;
    if (start > from) yield { kind: 'text', text: decodeHTML(html.slice(from, start)) };
    at = start;
    const tag = next(TAG);
    if (tag === null) {
      if (next(COMMENT) === null) next(OTHER);
      continue;
    }
    const attributes = new Map<string, string>();
    for (let found = next(ATTRIBUTE); found !== null; found = next(ATTRIBUTE)) {
      const [, key = '', double, single, bare] = found;
      const name = key.toLowerCase();
      if (!attributes.has(name)) attributes.set(name, decodeHTMLAttribute(double ?? single ?? bare ?? ''));
    }
    const end = next(TAG_END);
    // A tag without an end is none, and nothing can come after it.
    if (end === null) return;
    const name = (tag[2] ?? '').toLowerCase();
    // `</br>` is the one close tag that browsers take for an open one.
    if (tag[1] === '/' && name !== 'br') {
      yield { kind: 'close', name };
      continue;
    }
    yield { kind: 'open', name, attributes };
    if (FOREIGN.includes(name) && end[0].endsWith('/>')) yield { kind: 'close', name };
    if (RAW.includes(name)) at = next(new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi'))?.index ?? html.length;
    // There is no way back.
    if (name === 'plaintext') return;
  }
}
