/** The text that a reader sees of a piece of HTML: for comparing texts whose markup an editor rewrites at every save. */

import { decodeHTML } from 'entities';

/**
 * Tags are removed, entities decoded, whitespace collapsed. Images, other media and links count by their URL and checkboxes by
 * whether they are ticked: both are content.
 */
export function htmlText(html: string): string {
  const targets = replaceTags(html, /<(?:img|a|audio|embed|iframe|source|video)\b/gi, (tag) => {
    const [, target] = /\b(?:src|href)\s*=\s*["']?([^"'\s>]*)/i.exec(tag) ?? [];
    return target === undefined ? undefined : ` ${target} `;
  });
  const ticked = replaceTags(targets, /<(?:input|li|ul)\b/gi, boxOf);
  const spaced = replaceTags(ticked, /<br\b|<\/(?:p|div|li|tr|h\d)>/gi, () => ' ');
  return decodeHTML(replaceTags(spaced, /</g, () => ''))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Editors write a checkbox as an input, or as a list item or list with an attribute. */
function boxOf(tag: string): string | undefined {
  const [, inList] = /\sdata-(?:checked|list)\s*=\s*["']?(true|false|checked|unchecked)\b/i.exec(tag) ?? [];
  if (inList !== undefined) return /^(?:true|checked)$/i.test(inList) ? ' ☑ ' : ' ☐ ';
  if (!/^<input\b/i.test(tag) || !/\stype\s*=\s*["']?(?:checkbox|radio)\b/i.test(tag)) return undefined;
  // A word in a quoted value is no attribute.
  return /\schecked[\s=/>]/i.test(tag.replace(/"[^"]*"|'[^']*'/g, '')) ? ' ☑ ' : ' ☐ ';
}

/** Replaces what is between a start and the next `>`; undefined leaves it. Takes linear time for any input. */
function replaceTags(html: string, start: RegExp, replace: (tag: string) => string | undefined): string {
  let result = '';
  let from = 0;
  let skipTo = 0;
  for (const { index } of html.matchAll(start)) {
    if (index < skipTo) continue;
    const end = html.indexOf('>', index);
    if (end === -1) break;
    skipTo = end + 1;
    const replacement = replace(html.slice(index, skipTo));
    if (replacement === undefined) continue;
    result += html.slice(from, index) + replacement;
    from = skipTo;
  }
  return result + html.slice(from);
}
