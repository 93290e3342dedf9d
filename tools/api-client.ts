/** Generates `tidings/client` from the OpenAPI document: its types, and one method per operation. client-connection.ts is its other part. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { openApiDocument } from '../manage/api/http/openapi.ts';
import { describeWebhooks } from '../manage/api/http/webhooks.ts';
import { routes } from '../manage/api/routes.ts';

const BANNER = `/**
 * A client of the management API, generated from its OpenAPI document by \`npm run generate\`. One file without dependencies for Node 18
 * and later, Deno, Bun and Workers: import \`tidings/client\` or copy the file. See docs/api/platforms.md.
 */`;

/** Names that mean something else in every TypeScript program. */
const RENAMED: Readonly<Record<string, string>> = { Event: 'RecordedEvent', Record: 'StoredRecord' };

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: JSONSchema }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: JSONSchema }>>;

/** What the text of a method is made of. */
interface MethodParts {
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly pathParams: readonly string[];
  /** The type of the query, `ListEventsQuery`. */
  readonly query?: string;
  readonly body?: { readonly type: string; readonly required: boolean };
  readonly result: string;
  /** The type of one item, if the operation returns pages. */
  readonly item?: string;
}

export async function generateApiClient(): Promise<string> {
  const document = openApiDocument(routes);
  const definitions: Record<string, JSONSchema> = {};
  // The types of events are in tidings/events.
  const ofWebhooks = describeWebhooks().schemas;
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (Object.hasOwn(ofWebhooks, name)) continue;
    definitions[RENAMED[name] ?? name] = schema as JSONSchema;
  }
  const methods = Object.entries(document.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) =>
      describeMethod(method.toUpperCase(), path, operation as unknown as Operation, definitions),
    ),
  );
  const connection = readFileSync(join(import.meta.dirname, 'client-connection.ts'), 'utf8');
  return [
    BANNER,
    connection
      .replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
      .replaceAll(/^export (?=interface ApiRequest|type CallApi|(async )?function)/gm, ''),
    await compileTypes(definitions),
    clientClass(methods),
  ].join('\n');
}

async function compileTypes(definitions: Readonly<Record<string, JSONSchema>>): Promise<string> {
  const renamed = JSON.parse(
    JSON.stringify(definitions).replaceAll(
      /#\/components\/schemas\/(\w+)/g,
      (_, name: string) => `#/definitions/${RENAMED[name] ?? name}`,
    ),
  ) as Record<string, JSONSchema>;
  const root = { type: 'object', additionalProperties: false, definitions: renamed } satisfies JSONSchema;
  const types = await compile(root, 'Parts', {
    bannerComment: '',
    additionalProperties: false,
    unknownAny: true,
    unreachableDefinitions: true,
    style: { singleQuote: true, printWidth: 120 },
    // An array of at least one item would otherwise be a tuple, which a plain array does not fit.
    ignoreMinAndMaxItems: true,
  });
  return types
    .replace('export interface Parts {}\n', '')
    .replaceAll(
      / \*\n \* This interface was referenced by `Parts`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g,
      '',
    )
    .replaceAll(
      /\/\*\*\n \* This interface was referenced by `Parts`'s JSON-Schema\n \* via the `definition` "\w+"\.\n \*\/\n/g,
      '',
    )
    .trim()
    .concat('\n');
}

function describeMethod(
  method: string,
  path: string,
  operation: Operation,
  definitions: Record<string, JSONSchema>,
): MethodParts {
  const { operationId, parameters, requestBody, responses } = operation;
  const Name = operationId.charAt(0).toUpperCase() + operationId.slice(1);
  const inQuery = parameters.filter((one) => one.in === 'query');
  if (inQuery.length > 0) {
    const properties = Object.fromEntries(inQuery.map(({ name, schema, ...rest }) => [name, { ...rest, ...schema }]));
    definitions[`${Name}Query`] = { type: 'object', properties, additionalProperties: false };
  }
  const bodySchema = requestBody?.content['application/json']?.schema;
  const good = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const results = good.map(([, { headers, content }]) => {
    const schema = content?.['application/json']?.schema;
    if (schema === undefined) return 'void';
    const type = typeName(schema, `${Name}Result`, definitions);
    return headers === undefined ? type : `Versioned<${type}>`;
  });
  const page = definitions[results[0] ?? ''];
  const isPage = inQuery.some(({ name }) => name === 'after') && page !== undefined;
  return {
    operation,
    method,
    path,
    pathParams: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
    ...(inQuery.length === 0 ? {} : { query: `${Name}Query` }),
    ...(bodySchema === undefined
      ? {}
      : {
          body: { type: typeName(bodySchema, `${Name}Input`, definitions), required: requestBody?.required === true },
        }),
    result: results.join(' | '),
    ...(isPage ? { item: `${results[0]}['data'][number]` } : {}),
  };
}

/** The name of a component; a schema without one becomes a definition. */
function typeName(schema: JSONSchema, fallback: string, definitions: Record<string, JSONSchema>): string {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return RENAMED[name] ?? name;
  definitions[fallback] = schema;
  return fallback;
}

function clientClass(methods: readonly MethodParts[]): string {
  return [
    '/** One method per operation. Lists also have an iterator over all of their pages. */',
    'export class TidingsClient {',
    '  readonly #call: CallApi;',
    '',
    '  constructor(options: ClientOptions) {',
    '    this.#call = connectApi(options);',
    '  }',
    ...methods.flatMap((parts) => [
      '',
      ...methodLines(parts),
      ...(parts.item === undefined ? [] : ['', ...iteratorLines(parts)]),
    ]),
    '}',
    '',
  ].join('\n');
}

function methodLines(parts: MethodParts): string[] {
  const { operation, method, path, pathParams, query, body, result } = parts;
  const request = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...(pathParams.length === 0 ? [] : [`params: [${pathParams.join(', ')}]`]),
    ...(query === undefined ? [] : ['query']),
    ...(body === undefined ? [] : ['body']),
  ].join(', ');
  return [
    `  /** ${operation.summary}. ${operation.description} */`,
    `  ${operation.operationId}(${argumentsOf(parts)}): Promise<${result}> {`,
    `    return this.#call({ ${request} }, options);`,
    '  }',
  ];
}

function argumentsOf({ pathParams, query, body }: MethodParts): string {
  return [
    ...pathParams.map((name) => `${name}: string`),
    ...(query === undefined ? [] : [`query: ${query} = {}`]),
    ...(body === undefined ? [] : [`body: ${body.type}${body.required ? '' : ' = {}'}`]),
    'options?: CallOptions',
  ].join(', ');
}

/** `listEvents` has `iterateEvents`. */
function iteratorLines(parts: MethodParts): string[] {
  const { operationId } = parts.operation;
  const given = [...parts.pathParams, '{ ...query, ...(after === undefined ? {} : { after }) }', 'options'].join(', ');
  return [
    `  /** All items of \`${operationId}\`, page by page, from \`after\` on. */`,
    `  ${operationId.replace(/^list/, 'iterate')}(${argumentsOf(parts)}): AsyncGenerator<${parts.item}, void, undefined> {`,
    `    return iteratePages((after) => this.${operationId}(${given}));`,
    '  }',
  ];
}
