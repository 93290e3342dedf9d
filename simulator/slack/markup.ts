/** Slack's text as HTML: the parts of its markup that senders use, rich text, and everything else escaped. Pure. */

import { isObject, type Json, type JsonObject, objectsIn } from './json.ts';

/** Names by id: of people, and of channels with their `#`. */
export type Members = Readonly<Record<string, string>>;

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Decodes Slack's three escapes. */
const unescapeSlack = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** A text object as HTML: plain text is escaped, mrkdwn is formatted. */
export function textHtml(value: Json | undefined, members: Members): string {
  if (!isObject(value) || typeof value.text !== 'string') return '';
  return (value.type === 'mrkdwn' ? mrkdwnHtml(value.text, members) : escapeHtml(value.text)).replaceAll('\n', '<br>');
}

export function mrkdwnHtml(text: string, members: Members): string {
  // Text in angle brackets is a link or mention; formatting applies only outside of it.
  return text
    .split(/(<[^<>]+>|`[^`\n]+`)/)
    .map((part) => {
      if (part.startsWith('<')) return controlHtml(part.slice(1, -1), members);
      if (part.startsWith('`') && part.length > 2)
        return `<code>${escapeHtml(unescapeSlack(part.slice(1, -1)))}</code>`;
      return formatted(escapeHtml(unescapeSlack(part)));
    })
    .join('');
}

/** The emoji that senders use. Others stay as they are typed. */
const EMOJI: Readonly<Record<string, string>> = {
  bell: '🔔',
  calendar: '📅',
  eyes: '👀',
  hourglass_flowing_sand: '⏳',
  large_green_circle: '🟢',
  red_circle: '🔴',
  tada: '🎉',
  warning: '⚠️',
  white_check_mark: '✅',
  x: '❌',
  zzz: '💤',
};

function formatted(html: string): string {
  return html
    .replaceAll(/:([a-z_]+):/g, (typed, name: string) => (Object.hasOwn(EMOJI, name) ? (EMOJI[name] ?? typed) : typed))
    .replaceAll(/(^|[\s(])\*([^*\n]+)\*(?=$|[\s).,:;!?])/g, '$1<b>$2</b>')
    .replaceAll(/(^|[\s(])_([^_\n]+)_(?=$|[\s).,:;!?])/g, '$1<i>$2</i>')
    .replaceAll(/(^|[\s(])~([^~\n]+)~(?=$|[\s).,:;!?])/g, '$1<s>$2</s>');
}

/** `!date^…|…`, `!here`, `@U123`, `https://…|text` */
function controlHtml(control: string, members: Members): string {
  const [what = '', label = ''] = control.split('|');
  if (what.startsWith('!date^')) {
    const [, seconds = '0', format = ''] = what.split('^');
    return `<time title="${escapeHtml(label)}">${escapeHtml(dateText(Number(seconds), format))}</time>`;
  }
  if (what.startsWith('!')) return `<span class="mention">@${escapeHtml(what.slice(1))}</span>`;
  if (what.startsWith('@')) return mentionHtml(what.slice(1), members);
  if (what.startsWith('#'))
    return `<span class="mention">${escapeHtml(members[what.slice(1)] ?? (label || what))}</span>`;
  return linkHtml(unescapeSlack(what), unescapeSlack(label || what));
}

/** In the viewer's time zone, which is that of this machine. */
function dateText(seconds: number, format: string): string {
  const at = new Date(seconds * 1000);
  const day = at.toLocaleDateString('en-US', { month: 'short', day: 'numeric', year: 'numeric' });
  const time = at.toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' });
  return format.replaceAll(/\{date[a-z_]*\}/g, day).replaceAll(/\{time\}/g, time);
}

const mentionHtml = (id: string, members: Members) => `<span class="mention">@${escapeHtml(members[id] ?? id)}</span>`;

/** Only http and https links, so that posted content cannot run scripts in the page. */
function linkHtml(url: string, label: string): string {
  if (!/^https?:\/\//.test(url)) return escapeHtml(label);
  return `<a href="${escapeHtml(url)}" rel="noreferrer">${escapeHtml(label)}</a>`;
}

/** The elements of a rich_text block. */
export function richHtml(value: Json | undefined, members: Members): string {
  return (objectsIn(value) ?? [])
    .map((element) => {
      const inner = objectsIn(element.elements) ?? [];
      if (element.type === 'rich_text_list')
        return `<ul>${inner.map((item) => `<li>${piecesHtml(item, members)}</li>`).join('')}</ul>`;
      return `<div class="rich">${piecesHtml(element, members)}</div>`;
    })
    .join('');
}

function piecesHtml({ elements }: JsonObject, members: Members): string {
  return (objectsIn(elements) ?? []).map((piece) => styled(piece, pieceHtml(piece, members))).join('');
}

function pieceHtml({ type, text, url, user_id: user }: JsonObject, members: Members): string {
  if (type === 'user') return mentionHtml(String(user), members);
  const label = typeof text === 'string' ? text : '';
  return type === 'link' ? linkHtml(String(url), label) : escapeHtml(label).replaceAll('\n', '<br>');
}

function styled({ style }: JsonObject, html: string): string {
  if (!isObject(style)) return html;
  const bold = style.bold === true ? `<b>${html}</b>` : html;
  return style.italic === true ? `<i>${bold}</i>` : bold;
}
