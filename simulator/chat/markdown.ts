/** The Markdown of chats as HTML: bold, italic, code, links, lists and backslash escapes. Everything else is escaped. Pure. */

import { escapeHtml, linkHtml } from './page.ts';

/** In the order in which they are tried. An escape comes first: it takes the meaning from the character after it. */
const INLINE: readonly (readonly [RegExp, (match: readonly string[]) => string])[] = [
  [/^\\([!-/:-@[-`{-~])/, ([, character = '']) => escapeHtml(character)],
  [/^`([^`\n]+)`/, ([, code = '']) => `<code>${escapeHtml(code)}</code>`],
  [/^\[((?:\\.|[^\]\\])*)\]\(([^()\s]+)\)/, ([, label = '', url = '']) => linkHtml(url, inlineHtml(label))],
  [/^\*\*((?:\\.|[^*\\])+)\*\*/, ([, bold = '']) => `<b>${inlineHtml(bold)}</b>`],
  [/^\*((?:\\.|[^*\\])+)\*/, ([, italic = '']) => `<i>${inlineHtml(italic)}</i>`],
  [/^_((?:\\.|[^_\\])+)_/, ([, italic = '']) => `<i>${inlineHtml(italic)}</i>`],
  [/^https?:\/\/[^\s<>)]+/, ([url = '']) => linkHtml(url, escapeHtml(url))],
  [/^[^\\`[*_h]+|^[\s\S]/, ([text = '']) => escapeHtml(text)],
];

function inlineHtml(text: string): string {
  let html = '';
  for (let rest = text; rest !== ''; ) {
    for (const [pattern, render] of INLINE) {
      const match = pattern.exec(rest);
      if (match === null) continue;
      html += render(match);
      rest = rest.slice(match[0].length);
      break;
    }
  }
  return html;
}

/** Lines that start with `- ` are a list, those that start with `#` a heading. */
export function markdownHtml(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('- ')) return `<li>${inlineHtml(line.slice(2))}</li>`;
      const heading = /^#{1,6} (.*)$/.exec(line);
      return heading === null ? `<p>${inlineHtml(line) || '&nbsp;'}</p>` : `<h3>${inlineHtml(heading[1] ?? '')}</h3>`;
    })
    .join('')
    .replaceAll(/(?:<li>.*?<\/li>)+/g, '<ul>$&</ul>');
}
