/** Generates the OpenAPI 3.1 document from the table of routes. zod converts the schemas; this module only places them. */

import * as z from 'zod';
import { SCOPES } from '../../../core/model/api-key.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import type { ResponseDefinition, Route } from './route.ts';
import { type OpenApiNode, problemSchema } from './schemas.ts';
import { describeWebhooks } from './webhooks.ts';

/** Errors that any route with a caller may return. */
const COMMON_ERRORS = [401, 403, 429, 500, 503] as const;
/** A repeated `Idempotency-Key` may be in progress, or belong to another request; PUT validates the name in its path. */
const BY_METHOD = { get: [], post: [409, 422], put: [422], patch: [], delete: [] } as const;
const ERRORS: Readonly<Record<number, string>> = {
  400: 'The query, a header or the JSON is not valid.',
  401: 'No valid key.',
  403: 'The key lacks a scope.',
  404: 'It does not exist, or the key may not see it.',
  409: 'It conflicts with what is there.',
  412: 'It was changed since: If-Match does not match.',
  413: 'The body is larger than 256 KB, or the subscription than 300 KB.',
  415: 'The body is not JSON.',
  422: 'Fields of the body are not valid: each is named in errors. Or the request takes too long: ask for less.',
  429: 'Too many requests with this key, or too much work: wait for the seconds in Retry-After.',
  500: 'A fault of the server.',
  503: 'A store cannot be reached: try again.',
};

export function openApiDocument(routes: readonly Route[]) {
  const components = new Map<string, OpenApiNode>();
  const paths: Record<string, OpenApiNode> = {};
  for (const route of routes) {
    const path = `/v1${route.path}`;
    paths[path] = { ...paths[path], [route.method]: operationOf(route, components) };
  }
  const { webhooks, schemas, parameters } = describeWebhooks();
  const sortedSchemas = [...components, ...Object.entries(schemas)].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidings',
      version: packageJson.version,
      description: 'Subscribe endpoints to events, see what became of each event, and repair it. See docs/api.md.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      parameters,
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: `A key, tdk_…, made with 'tidings keys add'. Scopes: ${SCOPES.join(', ')}.`,
        },
      },
      schemas: Object.fromEntries(sortedSchemas),
    },
  };
}

function operationOf(route: Route, components: Map<string, OpenApiNode>): OpenApiNode {
  const { operation, summary, description, tag, scopes, query, body, bodyIs, examples, responses, errors = [] } = route;
  const convert = (schema: z.ZodType, io: 'input' | 'output') => convertSchema(schema, io, components);
  const withBody = body === undefined ? [] : [400, 413, 415, 422];
  const withQuery = [400];
  const all = [...new Set([...COMMON_ERRORS, ...withBody, ...withQuery, ...errors, ...BY_METHOD[route.method]])];
  const needs = `Needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`;
  return {
    operationId: operation,
    summary,
    description: [...(description === undefined ? [] : [description]), needs].join(' '),
    tags: [tag],
    parameters: [...parametersOf(route, convert, query), ...headersOf(route)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: bodyIs !== 'may be missing',
            content: {
              'application/json': {
                schema: convert(body, 'input'),
                ...(examples === undefined ? {} : { examples: examplesOf(examples) }),
              },
            },
          },
        }),
    responses: {
      ...Object.fromEntries(Object.entries(responses).map(([status, one]) => [status, responseOf(one, convert)])),
      ...Object.fromEntries(all.sort((a, b) => a - b).map((status) => [String(status), errorOf(status, convert)])),
    },
    'x-scopes': scopes,
  };
}

const examplesOf = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [summary.replaceAll(' ', '-'), { summary, value }]),
  );

type Convert = (schema: z.ZodType, io: 'input' | 'output') => OpenApiNode;

function parametersOf({ path, params = {} }: Route, convert: Convert, query: z.ZodType | undefined): OpenApiNode[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const schema = params[name];
    return {
      name,
      in: 'path',
      required: true,
      schema: schema === undefined ? { type: 'string', minLength: 1 } : convert(schema, 'input'),
    };
  });
  const shape = query instanceof z.ZodObject ? (query.shape as Readonly<Record<string, z.ZodType>>) : {};
  const inQuery = Object.entries(shape).map(([name, schema]) => {
    const { description, ...rest } = convert(schema, 'input');
    return { name, in: 'query', description, schema: rest };
  });
  return [...inPath, ...inQuery];
}

function headersOf({ method, ifMatch, readsOnly }: Route): OpenApiNode[] {
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  });
  return [
    ...(method === 'post' && readsOnly !== true
      ? [
          {
            ...header('Idempotency-Key', 'Repeating the request with the same key within a day acts once.'),
            schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
          },
        ]
      : []),
    ...(ifMatch === true ? [header('If-Match', 'The ETag of the state to change: 412 if it was changed since.')] : []),
  ];
}

function responseOf({ description, schema, etag = false, links }: ResponseDefinition, convert: Convert): OpenApiNode {
  return {
    description,
    ...(links === undefined ? {} : { links: Object.fromEntries(Object.entries(links).map(linkOf)) }),
    ...(etag ? { headers: { ETag: { schema: { type: 'string' } } } } : {}),
    ...(schema === undefined ? {} : { content: { 'application/json': { schema: convert(schema, 'output') } } }),
  };
}

const linkOf = ([operationId, parameters]: readonly [string, Readonly<Record<string, string>>]) => [
  operationId,
  { operationId, parameters },
];

function errorOf(status: number, convert: Convert): OpenApiNode {
  return {
    description: ERRORS[status] ?? 'An error.',
    ...(status === 429 ? { headers: { 'Retry-After': { schema: { type: 'string' } } } } : {}),
    content: { 'application/problem+json': { schema: convert(problemSchema, 'output') } },
  };
}

/** Schemas with an id become components. */
function convertSchema(schema: z.ZodType, io: 'input' | 'output', components: Map<string, OpenApiNode>): OpenApiNode {
  const { $defs = {}, properties } = z.toJSONSchema(z.object({ schema }), {
    io,
    unrepresentable: 'any',
  }) as unknown as {
    readonly $defs?: Readonly<Record<string, OpenApiNode>>;
    readonly properties: { readonly schema: OpenApiNode };
  };
  for (const [id, definition] of Object.entries($defs)) components.set(id, toComponent(definition));
  return toComponent(properties.schema);
}

function toComponent(schema: OpenApiNode): OpenApiNode {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    // zod repeats the id in the definition; OpenAPI has it as the name of the component.
    return key === 'id' && typeof value === 'string' ? undefined : value;
  });
  return JSON.parse(text.replaceAll('#/$defs/', '#/components/schemas/')) as OpenApiNode;
}
