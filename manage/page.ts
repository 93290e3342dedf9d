/**
 * The layout of a page, and the headers that keep it out of caches, search engines and frames. Hono's `html` escapes what is put
 * into it. JSX would need more code at the cold start of `manage`, and esbuild at the start of `serve` in a clone.
 */

import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

const STYLE = `
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59626e;--page:#f3f4f6;--card:#fff;--line:#e2e5ea;--button:#24292f;--word:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#9aa4b0;--page:#111418;--card:#1b1f24;--line:#30363d;--button:#e6e9ed;--word:#1b1f24}}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{box-sizing:border-box;max-width:32rem;margin:12vh auto 0;padding:2rem;background:var(--card);border:1px solid var(--line);border-radius:12px;overflow-wrap:anywhere}
h1{margin:0 0 .75rem;font-size:1.25rem;line-height:1.35}
p{margin:0 0 1.25rem}p:last-child{margin:0}.soft{color:var(--soft);font-size:.9rem}
button{font:inherit;font-weight:600;padding:.65rem 1.1rem;border:0;border-radius:8px;background:var(--button);color:var(--word);cursor:pointer}
button:focus-visible{outline:3px solid #4c8dff;outline-offset:2px}
form{margin:0 0 1.25rem}form:last-child{margin:0}
@media (max-width:34rem){main{margin:0;min-height:100vh;border:0;border-radius:0;padding:1.5rem 1rem}button{width:100%}}
`;

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  // The URL contains a token: it must not leak in a Referer header.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

export type Html = ReturnType<typeof html>;

export function showPage(
  context: Context,
  title: string,
  body: Html,
  status: ContentfulStatusCode = 200,
): Response | Promise<Response> {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>
`;
  return context.html(page, status, HEADERS);
}
