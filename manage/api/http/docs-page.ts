/** The reference page of the API, rendered from the OpenAPI document: no script, nothing from elsewhere. */

import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Html } from '../../page.ts';
import { DOCS_STYLE } from './docs-style.ts';
import type { openApiDocument } from './openapi.ts';
import { renderExample, renderSchema, typeOf } from './render-schema.ts';
import type { OpenApiNode } from './schemas.ts';
import type { StaticDocument } from './static-document.ts';

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

interface Content {
  readonly schema: OpenApiNode;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: OpenApiNode;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Content>> }>
  >;
}

interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export async function renderDocsPage(document: ReturnType<typeof openApiDocument>): Promise<StaticDocument> {
  const { info, paths, webhooks, components, tags } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation: operation as Operation })),
  );
  const byTag = tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const events = Object.entries(webhooks).map(([type, { post }]) => ({ type, operation: post as Operation }));
  const byResource = [...Map.groupBy(events, ({ type }) => type.slice(0, type.indexOf('.')))];
  const schemas = Object.entries(components.schemas);
  const title = `${info.title} API ${info.version}`;
  const page = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${raw(DOCS_STYLE)}</style></head><body><a class="skip" href="#main">To the content</a>
<nav aria-label="Contents">
${byTag.map(({ name, operations: own }) => html`<p><a href="#${name}">${name}</a></p><ul>${own.map(renderLink)}</ul>`)}
<p><a href="#webhooks">webhooks</a></p><ul>${byResource.map(([resource]) => html`<li><a href="#webhooks-${resource}">${resource}</a></li>`)}</ul>
<p><a href="#schemas">schemas</a></p></nav>
<main id="main"><h1>${info.title} API <small>${info.version}</small></h1>
<p>${info.description}</p><p>Every request has the header <code>authorization: Bearer tdk_…</code>. This page as a document for tools: <a href="openapi.json">openapi.json</a>.</p>
${byTag.map(({ name, operations: own }) => html`<section><h2 id="${name}">${name}</h2>${own.map((one) => renderOperation(one, components.schemas))}</section>`)}
<section><h2 id="webhooks">webhooks</h2><p>What a subscription with a URL receives: a signed POST request for each event, in the form of <a href="https://www.standardwebhooks.com">Standard Webhooks</a>.</p>
${byResource.map(([resource, own]) => html`<h3 id="webhooks-${resource}">${resource}</h3>${own.map(renderWebhook)}`)}</section>
<section><h2 id="schemas">schemas</h2>${schemas.map(
    ([
      name,
      schema,
    ]) => html`<details class="schema"><summary><h3 id="${name}">${name}</h3></summary>${renderSchema(schema)}</details>
`,
  )}</section></main></body></html>
`;
  const contentType = 'text/html; charset=UTF-8';
  return { text: String(await page), contentType, headers: { 'content-security-policy': POLICY } };
}

const renderLink = ({ method, operation: { operationId, summary } }: PlacedOperation) =>
  html`<li><a href="#${operationId}"><span class="method ${method}">${method}</span> ${summary}</a></li>`;

type Schemas = Readonly<Record<string, OpenApiNode>>;

function renderOperation({ method, path, operation }: PlacedOperation, schemas: Schemas): Html {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const examples = Object.values(body?.examples ?? {});
  return html`<article><h3 id="${operationId}">${summary}</h3>
<p class="route"><span class="method ${method}">${method}</span> <code>${path}</code></p>
<p>${renderText(description)}</p>
${parameters.length > 0 && html`<h4>Parameters</h4><dl>${parameters.map(renderParameter)}</dl>`}
${body !== undefined && html`<h4>Body</h4>${renderBody(body.schema, schemas)}`}
${examples.map(({ summary: what, value }) => html`<details><summary>Example: ${what}</summary>${renderExample(value)}</details>`)}
<h4>Responses</h4>${Object.entries(responses).map(renderResponse)}</article>
`;
}

/** A body is read where it is sent: its properties stand beside the operation. */
function renderBody(schema: OpenApiNode, schemas: Schemas): Html {
  const name =
    String(schema.$ref ?? '')
      .split('/')
      .at(-1) ?? '';
  const named = schemas[name];
  return named === undefined ? renderSchema(schema) : html`<p>${renderSchema(schema)}</p>${renderSchema(named)}`;
}

function renderParameter({
  name,
  in: place,
  required,
  description = '',
  schema,
}: Operation['parameters'][number]): Html {
  return html`<dt><code>${name}</code> <span class="soft">${place === 'query' ? '' : `in the ${place}, `}${typeOf(schema)}${required === true ? ', required' : ''}</span></dt><dd>${description}</dd>`;
}

function renderResponse([status, { description, content = {} }]: readonly [
  string,
  Operation['responses'][string],
]): Html {
  const schema = content['application/json']?.schema;
  const line = html`<code class="status">${status}</code> ${description}`;
  return schema === undefined
    ? html`<p class="response">${line}</p>`
    : html`<details class="response"><summary>${line}</summary>${renderSchema(schema)}</details>`;
}

function renderWebhook({ type, operation }: { readonly type: string; readonly operation: Operation }): Html {
  const { summary, description, requestBody } = operation;
  const { schema, example } = requestBody?.content['application/json'] ?? { schema: {} };
  return html`<details class="webhook"><summary><code id="${type}">${type}</code> ${summary}</summary><p>${renderText(description)}</p><p>Body: ${renderSchema(schema)}</p>${example !== undefined && renderExample(example)}</details>
`;
}

/** Code between backticks. */
function renderText(text: string): readonly unknown[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
