/** The frame of the page of a simulated chat: title, style, and a script that shows new messages. Stores nothing. */

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Only http and https links, so that posted content cannot run scripts in the page. */
export function linkHtml(url: string, html: string): string {
  return /^https?:\/\//.test(url) ? `<a href="${escapeHtml(url)}" rel="noreferrer">${html}</a>` : html;
}

export const timeHtml = (millis: number) =>
  `<time>${new Date(millis).toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit' })}</time>`;

/** Refreshes the messages without losing the scroll position. */
const SCRIPT = `
setInterval(async () => {
  const response = await fetch(location.href).catch(() => undefined);
  if (response === undefined || !response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [old, now] = [document.querySelector('main'), page.querySelector('main')];
  if (old && now && old.innerHTML !== now.innerHTML) old.innerHTML = now.innerHTML;
}, 2000);
`;

const BASE_STYLE = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; margin: 0; }
body { min-height: 100vh; font: 14px/1.45 "Segoe UI", "Helvetica Neue", system-ui, "Noto Color Emoji", sans-serif; overflow-wrap: anywhere; }
header { padding: 12px 20px; } header h1 { font-size: 16px; }
main { padding: 8px 20px 28px; display: grid; gap: 14px; } .empty { opacity: .7; }
a { text-decoration: none; } a:hover { text-decoration: underline; }
.who { display: flex; align-items: center; gap: 8px; font-weight: 600; } .who time { font-weight: 400; font-size: 12px; opacity: .7; }
code { font: 12.5px/1.4 ui-monospace, Menlo, "DejaVu Sans Mono", monospace; }
ul { margin: 2px 0; padding-left: 22px; }
`;

export interface PageParts {
  /** `Simulated Discord` */
  readonly title: string;
  /** The colours and shapes of the chat. */
  readonly style: string;
  /** Each message as HTML. */
  readonly messages: readonly string[];
}

export function chatPage({ title, style, messages }: PageParts): string {
  const empty = '<p class="empty">No messages yet. New messages appear here automatically.</p>';
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>`,
    '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">',
    `<style>${BASE_STYLE}${style}</style></head><body><header><h1>${escapeHtml(title)}</h1></header><main>`,
    ...(messages.length === 0 ? [empty] : messages),
    `</main><script>${SCRIPT}</script></body></html>`,
  ].join('\n');
}
