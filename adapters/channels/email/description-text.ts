/** The HTML of a record, made safe for a mail, to read without markup. Need not be careful: lays out, and decides nothing. */

import { readHtml } from '../../../core/messages/html-read.ts';

/** What `safeHtml` made, as plain text: lists with their marks, quotes with theirs, code as it stands. */
export function descriptionToText(html: string): string {
  let text = '';
  /** What comes before the next word: so many line ends, or else a space; at the start of an item its mark. */
  let breaks = 0;
  let isApart = false;
  let mark = '';
  /** Of each list that is open the number of its next item, or 0 where they have none. */
  const lists: number[] = [];
  let quotes = 0;
  let isCode = false;
  let link = { target: '', from: 0 };

  const margin = () => '> '.repeat(quotes) + '  '.repeat(lists.length);
  const say = (words: string): void => {
    const start = mark === '' ? margin() : margin().replace(/ {2}$/, '') + mark;
    if (text === '' || breaks > 0) text += (text === '' ? '' : '\n'.repeat(breaks)) + start;
    else if (isApart) text += ' ';
    text += words;
    breaks = 0;
    isApart = false;
    mark = '';
  };

  const read = (given: string): void => {
    if (isCode) {
      const lines = (breaks > 0 || text === '' ? given.replace(/^\s*\n/, '') : given).split('\n');
      if (lines.join('') !== '') say(lines.join(`\n${margin()}`));
      return;
    }
    const words = given.replaceAll(/[ \t\r\n\f]+/g, ' ');
    isApart ||= words.startsWith(' ');
    if (words.trim() !== '') say(words.trim());
    isApart ||= words.endsWith(' ');
  };

  const open = (name: string, attributes: ReadonlyMap<string, string>): void => {
    if (name === 'br' && mark === '') breaks = Math.min(2, breaks + 1);
    if (name === 'a') link = { target: targetOf(attributes.get('href') ?? ''), from: text.length };
    if (name === 's') say('~');
    if (name === 'ul' || name === 'ol') lists.push(name === 'ol' ? 1 : 0);
    if (name === 'li') {
      const number = lists.pop();
      if (number !== undefined) lists.push(number && number + 1);
      mark = number ? `${number}. ` : '- ';
      breaks = 1;
    }
    if (BLOCK.test(name) && mark === '') breaks = 2;
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
  };

  for (const token of readHtml(html)) {
    if (token.kind === 'text') read(token.text);
    else if (token.kind === 'open') open(token.name, token.attributes);
    else close(token.name);
  }
  return text.trimEnd();
}

const BLOCK = /^(?:p|pre|blockquote)$/;

/** As people write it. */
function targetOf(href: string): string {
  return href.startsWith('mailto:') ? href.slice(7).replace(/\?.*/, '') : href;
}
