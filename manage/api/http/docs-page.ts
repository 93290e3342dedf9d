/** The reference page of the API, rendered from the OpenAPI document: no script, nothing from elsewhere. */

import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Html } from '../../page.ts';
import type { OpenApiNode, openApiDocument } from './openapi.ts';
import type { StaticDocument } from './static-document.ts';

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

export async function renderDocsPage(document: ReturnType<typeof openApiDocument>): Promise<StaticDocument> {
  const { info, paths, components, tags } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation: operation as Operation })),
  );
  const sections = tags.map(({ name }) => {
    const ofTag = operations.filter(({ operation }) => operation.tags.includes(name));
    return html`<h2 id="${name}">${name}</h2>
${ofTag.map(({ method, path, operation }) => renderOperation(method, path, operation))}`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => html`<h3 id="${name}">${name}</h3>${renderJson(schema)}
`,
  );
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${info.title} API</title><style>${raw(STYLE)}</style></head><body><main><h1>${info.title} API</h1>
<p>${info.description} <a href="openapi.json">OpenAPI document</a></p>
${sections}<h2 id="schemas">schemas</h2>
${schemas}</main></body></html>
`;
  const contentType = 'text/html; charset=UTF-8';
  return { text: String(await page), contentType, headers: { 'content-security-policy': POLICY } };
}

function renderOperation(method: string, path: string, operation: Operation): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const rows = parameters.map(({ name, in: place, description: text = '', schema }) => {
    const type = String(schema.type ?? (Array.isArray(schema.enum) ? schema.enum.join(', ') : ''));
    return html`<tr><td><code>${name}</code></td><td>${place}</td><td>${type}</td><td>${text}</td></tr>`;
  });
  const table = html`<table><tr><th>parameter</th><th>in</th><th>type</th><th>meaning</th></tr>${rows}</table>`;
  const body = requestBody?.content['application/json']?.schema;
  const statuses = Object.entries(responses).map(
    ([status, one], index) => html`${index > 0 && raw('<br>')}<code>${status}</code> ${one.description}`,
  );
  return html`<h3 id="${operationId}"><code>${method.toUpperCase()} ${path}</code></h3>
<p>${summary}. <span class="soft">${description}</span></p>
${rows.length > 0 && table}
${body !== undefined && html`<p>Body: ${renderReference(body)}</p>`}
<details><summary>responses</summary><p>${statuses}</p></details>
`;
}

function renderReference(schema: OpenApiNode): Html {
  const name = String(schema.$ref ?? '').replace('#/components/schemas/', '');
  return name === '' ? renderJson(schema) : html`<a href="#${name}"><code>${name}</code></a>`;
}

/** With a tab stop: what scrolls must be reachable with the keyboard. */
const renderJson = (value: unknown) => html`<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;
