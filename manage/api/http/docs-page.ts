/** The reference page of the API, rendered from the OpenAPI document: no script, nothing from elsewhere. */

import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { escapeHtml } from '../../../core/messages/escape.ts';
import type { OpenApiNode, openApiDocument } from './openapi.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1f2328;--soft:#59626e;--page:#fff;--line:#e2e5ea;--code:#f3f4f6}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#9aa4b0;--page:#111418;--line:#30363d;--code:#1b1f24}}
body{margin:0 auto;max-width:60rem;padding:2rem 1rem;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}h3{margin:1.75rem 0 .25rem;font-size:1.05rem}
code,pre{font:.875rem/1.5 ui-monospace,monospace;background:var(--code);border-radius:4px}code{padding:.1rem .3rem}pre{padding:.75rem;overflow:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}td,th{padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
p{margin:.25rem 0 .75rem}.soft{color:var(--soft)}a{color:inherit}summary{cursor:pointer;color:var(--soft)}
`;

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly schema: OpenApiNode;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: OpenApiNode }>> };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

export function docsPage(context: Context, document: ReturnType<typeof openApiDocument>): Response {
  const { info, paths, components, tags } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation: operation as Operation })),
  );
  const body = [
    `<h1>${escapeHtml(info.title)} API</h1>`,
    `<p>${escapeHtml(info.description)} <a href="openapi.json">OpenAPI document</a></p>`,
    ...tags.flatMap(({ name }) => [
      `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2>`,
      ...operations
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ method, path, operation }) => renderOperation(method, path, operation)),
    ]),
    '<h2 id="schemas">schemas</h2>',
    ...Object.entries(components.schemas).map(
      ([name, schema]) => `<h3 id="${escapeHtml(name)}">${escapeHtml(name)}</h3>${renderJson(schema)}`,
    ),
  ];
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(info.title)} API</title><style>${STYLE}</style></head><body><main>${body.join('\n')}</main></body></html>\n`;
  return context.html(page, 200, { 'content-security-policy': POLICY });
}

function renderOperation(method: string, path: string, operation: Operation): string {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const rows = parameters.map(({ name, in: place, description: text = '', schema }) => {
    const type = String(schema.type ?? (Array.isArray(schema.enum) ? schema.enum.join(', ') : ''));
    return `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(place)}</td><td>${escapeHtml(type)}</td><td>${escapeHtml(text)}</td></tr>`;
  });
  const body = requestBody?.content['application/json']?.schema;
  const statuses = Object.entries(responses).map(
    ([status, one]) => `<code>${status}</code> ${escapeHtml(one.description)}`,
  );
  return [
    `<h3 id="${escapeHtml(operationId)}"><code>${method.toUpperCase()} ${escapeHtml(path)}</code></h3>`,
    `<p>${escapeHtml(summary)}. <span class="soft">${escapeHtml(description)}</span></p>`,
    rows.length === 0
      ? ''
      : `<table><tr><th>parameter</th><th>in</th><th>type</th><th>meaning</th></tr>${rows.join('')}</table>`,
    body === undefined ? '' : `<p>Body: ${renderReference(body)}</p>`,
    `<details><summary>responses</summary><p>${statuses.join('<br>')}</p></details>`,
  ].join('\n');
}

function renderReference(schema: OpenApiNode): string {
  const name = String(schema.$ref ?? '').replace('#/components/schemas/', '');
  return name === '' ? renderJson(schema) : `<a href="#${escapeHtml(name)}"><code>${escapeHtml(name)}</code></a>`;
}

/** With a tab stop: what scrolls must be reachable with the keyboard. */
const renderJson = (value: unknown) => `<pre tabindex="0">${escapeHtml(JSON.stringify(value, null, 2))}</pre>`;
