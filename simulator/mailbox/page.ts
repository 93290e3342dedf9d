/** Renders the mailbox page: mails by thread, newest first, one mail open. Read-only. */

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LIVE_UPDATE } from '../http/live-update.ts';
import { requestUrl } from '../http/server.ts';
import type { ReceivedMail } from './received-mail.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59626e;--page:#f3f4f6;--card:#fff;--line:#e2e5ea;--chosen:#e5edf9}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#9aa4b0;--page:#111418;--card:#1b1f24;--line:#30363d;--chosen:#263449}}
*{box-sizing:border-box}body{margin:0;display:grid;grid-template-columns:22rem 1fr;height:100vh;background:var(--page);color:var(--ink);font:14px/1.45 system-ui,sans-serif}
nav{overflow-y:auto;border-right:1px solid var(--line);background:var(--card)}
h1{margin:0;padding:1rem;font-size:1rem}h1 span,.soft{color:var(--soft);font-weight:400}
ol{list-style:none;margin:0;padding:0;border-top:1px solid var(--line)}
li a{display:block;padding:.6rem 1rem;color:inherit;text-decoration:none}li a:hover,li a[aria-current]{background:var(--chosen)}
li+li a{padding-left:2rem}.subject{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
main{display:grid;grid-template-rows:auto 1fr;min-width:0}header{padding:1rem;border-bottom:1px solid var(--line);background:var(--card);overflow-wrap:anywhere}
header h2{margin:0 0 .25rem;font-size:1.1rem}header p{margin:0}header a{color:inherit}iframe{width:100%;height:100%;border:0;background:var(--page)}
pre{margin:0;padding:1rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}.empty{padding:2rem;color:var(--soft)}
@media (max-width:48rem){body{grid-template-columns:minmax(0,1fr);grid-template-rows:auto minmax(0,1fr)}nav{max-height:34vh;border-right:0;border-bottom:1px solid var(--line)}
h1{padding:.6rem 1rem}header{padding:.6rem 1rem}}
`;

/** A mail may not load resources or run scripts. */
const MAIL_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The page runs one script, which reads the page again. */
const PAGE_POLICY = `${MAIL_POLICY}; frame-src 'self'; connect-src 'self'; script-src 'sha256-${createHash('sha256').update(LIVE_UPDATE).digest('base64')}'`;

export function answerPage(mails: readonly ReceivedMail[], request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = requestUrl(request);
  const [, number = '', part = ''] = /^\/mails\/(\d+)\/(html|text|raw)$/.exec(pathname) ?? [];
  if (pathname === '/') {
    const chosen = mails.find((mail) => String(mail.number) === searchParams.get('mail'));
    send(response, 200, 'text/html', pageOf(mails, chosen), PAGE_POLICY);
    return;
  }
  const mail = mails.find((one) => String(one.number) === number);
  if (mail === undefined) send(response, 404, 'text/plain', 'no such mail\n');
  else if (part === 'html') send(response, 200, 'text/html', mail.parsed.html ?? '');
  else send(response, 200, 'text/plain', part === 'raw' ? mail.raw : (mail.parsed.text ?? ''));
}

function send(response: ServerResponse, status: number, type: string, body: string, policy = MAIL_POLICY): void {
  response
    .writeHead(status, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    })
    .end(body);
}

/**
 * Mails that reply to the same message form a thread; a mail that replies to none is its own thread. Newest first, threads
 * and the mails in them.
 */
function threadsOf(mails: readonly ReceivedMail[]): readonly (readonly ReceivedMail[])[] {
  const threads = Map.groupBy(mails, ({ number, parsed: { references, messageId }, envelope: { to } }) => {
    const [first = messageId ?? String(number)] = (references ?? '').split(/\s+/).filter((id) => id !== '');
    return `${first} ${to.join(',')}`;
  });
  const newest = (thread: readonly ReceivedMail[]) => thread.at(-1)?.number ?? 0;
  return [...threads.values()].toSorted((a, b) => newest(b) - newest(a)).map((thread) => thread.toReversed());
}

/** The mail to open until the reader chooses one: the one that says most, which is a list or a digest rather than one change. */
function mostTelling(mails: readonly ReceivedMail[]): ReceivedMail | undefined {
  const length = ({ parsed: { text = '' } }: ReceivedMail) => text.length;
  return mails.reduce<ReceivedMail | undefined>(
    (best, mail) => (best === undefined || length(mail) >= length(best) ? mail : best),
    undefined,
  );
}

function pageOf(mails: readonly ReceivedMail[], chosen: ReceivedMail | undefined): string {
  const shown = chosen ?? mostTelling(mails);
  const list = threadsOf(mails).map(
    (thread) => `<ol>${thread.map((mail) => entry(mail, mail === shown)).join('')}</ol>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>Mailbox (${mails.length})</title><style>${STYLE}</style></head><body>`,
    `<nav data-live><h1><a href="/" style="color:inherit;text-decoration:none">Mailbox</a> <span>${mails.length}</span></h1>`,
    ...list,
    // An open mail stays open while others arrive.
    shown === undefined
      ? `</nav><main data-live>${EMPTY}`
      : `</nav><main data-shown="/?mail=${shown.number}">${openMail(shown)}`,
    `</main><script>${LIVE_UPDATE}</script></body></html>`,
    '',
  ].join('\n');
}

function entry({ number, parsed: { subject }, envelope: { to }, receivedAt }: ReceivedMail, isChosen: boolean): string {
  const current = isChosen ? ' aria-current="true"' : '';
  const meta = `${escapeHtml(to.join(', '))} · ${receivedAt.slice(11, 16)}`;
  const title = `<span class="subject">${escapeHtml(subject ?? '(no subject)')}</span>`;
  return `<li data-key="${number}"><a href="/?mail=${number}"${current}>${title}<span class="soft">${meta}</span></a></li>`;
}

function openMail({ number, parsed: { subject, from, html, text }, envelope: { to } }: ReceivedMail): string {
  const sender = [from?.name, from?.address].filter((part) => part !== undefined && part !== '').join(' · ');
  const formats = ['html', 'text', 'raw'].map((part) => `<a href="/mails/${number}/${part}">${part}</a>`).join(' · ');
  return [
    `<header><h2>${escapeHtml(subject ?? '(no subject)')}</h2>`,
    `<p class="soft">from ${escapeHtml(sender)} to ${escapeHtml(to.join(', '))} · ${formats}</p></header>`,
    html === undefined
      ? `<pre>${escapeHtml(text ?? '')}</pre>`
      : `<iframe sandbox src="/mails/${number}/html" title="Mail body"></iframe>`,
  ].join('');
}

const EMPTY = '<p class="empty">No mail yet. New mail appears here automatically.</p>';

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
