/** Renders a JSON Schema for people: its properties with their types, and what each means. */

import { html } from 'hono/html';
import type { Html } from '../../page.ts';
import type { OpenApiNode } from './schemas.ts';

const PREFIX = '#/components/schemas/';

/** A schema of its own is a link; an object is a list of its properties. */
export function renderSchema(schema: OpenApiNode): Html {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="#${name}"><code>${name}</code></a>`;
  const description = typeof schema.description === 'string' ? html`<p>${schema.description}</p>` : '';
  const properties = Object.entries(nodeOf(schema.properties));
  if (properties.length === 0) return html`${description}<p class="soft">${typeOf(schema)}</p>`;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const parents = nodesOf(schema.allOf).flatMap((one) => nameOf(one) ?? []);
  return html`${description}${parents.map((one) => html`<p>All of <a href="#${one}"><code>${one}</code></a>, and:</p>`)}<dl>${properties.map(([key, value]) => renderProperty(key, nodeOf(value), required.includes(key)))}</dl>`;
}

function renderProperty(key: string, schema: OpenApiNode, isRequired: boolean): Html {
  const inner = innerOf(schema);
  const name = nameOf(schema) ?? nameOf(nodeOf(schema.items));
  const type =
    name === undefined
      ? typeOf(schema)
      : html`${schema.items === undefined ? '' : 'list of '}<a href="#${name}">${name}</a>`;
  const description = typeof schema.description === 'string' ? schema.description : '';
  return html`<dt><code>${key}</code> <span class="soft">${type}${isRequired ? ', required' : ''}</span></dt><dd>${description}${inner !== undefined && html`<details><summary>properties</summary>${renderSchema(inner)}</details>`}</dd>`;
}

/** An object in a property or in a list. */
function innerOf(schema: OpenApiNode): OpenApiNode | undefined {
  const items = nodeOf(schema.items);
  return [schema, items].find((one) => Object.keys(nodeOf(one.properties)).length > 0);
}

/** `text`, `text or nothing`, `list of text`, `one of a, b` */
export function typeOf(schema: OpenApiNode): string {
  const name = nameOf(schema);
  if (name !== undefined) return name;
  if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.enum)) return `one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`;
  if (schema.type === 'array') return `list of ${typeOf(nodeOf(schema.items))}`;
  const alternatives = [...nodesOf(schema.anyOf), ...nodesOf(schema.oneOf)].filter(
    ({ required }) => required === undefined,
  );
  if (schema.type === undefined && alternatives.length > 0) return [...new Set(alternatives.map(typeOf))].join(' or ');
  const types = Array.isArray(schema.type) ? schema.type.map(String) : [String(schema.type ?? 'anything')];
  return types.map((type) => TYPES[type] ?? type).join(' or ');
}

const TYPES: Readonly<Record<string, string>> = { string: 'text', integer: 'whole number', boolean: 'true or false' };

function nameOf(schema: OpenApiNode): string | undefined {
  return typeof schema.$ref === 'string' && schema.$ref.startsWith(PREFIX)
    ? schema.$ref.slice(PREFIX.length)
    : undefined;
}

function nodeOf(value: unknown): OpenApiNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as OpenApiNode) : {};
}

function nodesOf(value: unknown): readonly OpenApiNode[] {
  return Array.isArray(value) ? value.map(nodeOf) : [];
}

/** With a tab stop: what scrolls must be reachable with the keyboard. */
export const renderExample = (value: unknown) => html`<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;
