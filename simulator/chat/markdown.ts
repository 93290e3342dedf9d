/** The Markdown of chats as HTML: bold, italic, code, links, lists and backslash escapes. Everything else is escaped. Pure. */

import { escapeHtml, linkHtml } from './page.ts';

type Star = 'i' | 'b';

/** In the order in which they are tried. An escape comes first: it takes the meaning from the character after it. */
const INLINE: readonly (readonly [RegExp, (match: readonly string[], star: Star) => string])[] = [
  [/^\\([!-/:-@[-`{-~])/, ([, character = '']) => escapeHtml(character)],
  [/^`([^`\n]+)`/, ([, code = '']) => `<code>${escapeHtml(code)}</code>`],
  [/^\[((?:\\.|[^\]\\])*)\]\(([^()\s]+)\)/, ([, label = '', url = ''], star) => linkHtml(url, inlineHtml(label, star))],
  [/^\*\*((?:\\.|[^*\\])+)\*\*/, ([, bold = ''], star) => `<b>${inlineHtml(bold, star)}</b>`],
  [/^\*((?:\\.|[^*\\])+)\*/, ([, text = ''], star) => `<${star}>${inlineHtml(text, star)}</${star}>`],
  [/^_((?:\\.|[^_\\])+)_/, ([, italic = ''], star) => `<i>${inlineHtml(italic, star)}</i>`],
  [/^https?:\/\/[^\s<>)]+/, ([url = '']) => linkHtml(url, escapeHtml(url))],
  [/^[^\\`[*_h]+|^[\s\S]/, ([text = '']) => escapeHtml(text)],
];

function inlineHtml(text: string, star: Star): string {
  let html = '';
  for (let rest = text; rest !== ''; ) {
    for (const [pattern, render] of INLINE) {
      const match = pattern.exec(rest);
      if (match === null) continue;
      html += render(match, star);
      rest = rest.slice(match[0].length);
      break;
    }
  }
  return html;
}

/**
 * Lines that start with `- ` are a list, those that start with `#` a heading.
 * @param star what a single asterisk means: italic, or bold as in Rocket.Chat
 */
export function markdownHtml(text: string, star: Star = 'i'): string {
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('- ')) return `<li>${inlineHtml(line.slice(2), star)}</li>`;
      const heading = /^#{1,6} (.*)$/.exec(line);
      return heading === null
        ? `<p>${inlineHtml(line, star) || '&nbsp;'}</p>`
        : `<h3>${inlineHtml(heading[1] ?? '', star)}</h3>`;
    })
    .join('')
    .replaceAll(/(?:<li>.*?<\/li>)+/g, '<ul>$&</ul>');
}
