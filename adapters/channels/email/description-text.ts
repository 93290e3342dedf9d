/** Converts a sanitized description to plain text: list items with bullets or numbers, quotes with `>`, code unchanged. */

import { decodeHTML } from 'entities';

/** A tag with its link, or text. Sufficient only for the well-formed HTML of `sanitizeDescription`. */
const TOKEN = /<(\/?)([a-z\d]+)(?: href="([^"]*)")?[^>]*>|[^<]+/g;

/** @param html the result of `sanitizeDescription` */
export function descriptionToText(html: string): string {
  let text = '';
  /** Before the next word: line breaks, or else a space, and the bullet or number at the start of a list item. */
  let breaks = 0;
  let needsSpace = false;
  let mark = '';
  /** The number of the next item of each open list; 0 for a list with bullets. */
  const lists: number[] = [];
  let quotes = 0;
  let isCode = false;
  let link = { target: '', from: 0 };

  const margin = () => '> '.repeat(quotes) + '  '.repeat(lists.length);
  const write = (content: string): void => {
    const start = mark === '' ? margin() : margin().replace(/ {2}$/, '') + mark;
    if (text === '' || breaks > 0) text += (text === '' ? '' : '\n'.repeat(breaks)) + start;
    else if (needsSpace) text += ' ';
    text += content;
    breaks = 0;
    needsSpace = false;
    mark = '';
  };

  const addText = (given: string): void => {
    if (isCode) {
      const lines = (breaks > 0 || text === '' ? given.replace(/^\s*\n/, '') : given).split('\n');
      if (lines.join('') !== '') write(lines.join(`\n${margin()}`));
      return;
    }
    const content = given.replaceAll(/[ \t\r\n\f]+/g, ' ');
    needsSpace ||= content.startsWith(' ');
    if (content.trim() !== '') write(content.trim());
    needsSpace ||= content.endsWith(' ');
  };

  const open = (name: string, href: string): void => {
    if (name === 'br' && mark === '') breaks = Math.min(2, breaks + 1);
    if (name === 'a') link = { target: readableTarget(href), from: text.length };
    if (name === 's') write('~');
    if (name === 'ul' || name === 'ol') lists.push(name === 'ol' ? 1 : 0);
    if (name === 'li') {
      const number = lists.pop();
      if (number !== undefined) lists.push(number && number + 1);
      mark = number ? `${number}. ` : '- ';
      breaks = 1;
    }
    if (BLOCK.test(name) && mark === '') breaks = 2;
    if (name === 'div' && mark === '') breaks = Math.max(breaks, 1);
    if (name === 'blockquote') quotes++;
    if (name === 'pre') isCode = true;
  };

  const close = (name: string): void => {
    if (name === 'a' && !text.slice(link.from).includes(link.target.replace(/\/$/, ''))) text += ` (${link.target})`;
    if (name === 's') text += '~';
    if (name === 'li') mark = '';
    if (name === 'ul' || name === 'ol') {
      lists.pop();
      breaks = Math.max(breaks, lists.length > 0 ? 1 : 2);
    }
    if (name === 'pre') {
      isCode = false;
      text = text.trimEnd();
    }
    if (name === 'blockquote') quotes--;
    if (BLOCK.test(name)) breaks = 2;
    if (name === 'div') breaks = Math.max(breaks, 1);
  };

  for (const [token, slash, name, href = ''] of html.matchAll(TOKEN)) {
    if (name === undefined) addText(decodeHTML(token));
    else if (slash === '') open(name, decodeHTML(href));
    else close(name);
  }
  return text.trimEnd();
}

const BLOCK = /^(?:p|h4|pre|blockquote)$/;

function readableTarget(href: string): string {
  return href.startsWith('mailto:') ? href.slice(7).replace(/\?.*/, '') : href;
}
