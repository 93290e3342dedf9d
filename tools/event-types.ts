/** Generates the TypeScript types of all events from their JSON Schemas, for receivers written in TypeScript. */

import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { eventSchemas } from '../core/events/schema.ts';
import { definitionName, isDescribed, resourceOfType } from '../core/events/schema-name.ts';
import { resourceOf, resources } from '../core/resources/catalogue.ts';

const BANNER = `/**
 * The types of all events, generated from schema/events by \`npm run generate\`.
 *
 * \`TidingsEvents\` is the union of all of them: compare \`type\` to narrow it to one event.
 */`;

type Properties = Readonly<Record<string, JSONSchema>>;

const ref = (name: string): JSONSchema => ({ $ref: `#/definitions/${name}` });

const VALUE: JSONSchema = {
  description: 'Any JSON value.',
  oneOf: [
    { type: ['string', 'number', 'boolean', 'null'] },
    { type: 'array', items: ref('Value') },
    { type: 'object', additionalProperties: ref('Value') },
  ],
};

export async function generateEventTypes(): Promise<string> {
  const schemas = Object.entries(eventSchemas());
  const definitions: Record<string, JSONSchema> = Object.assign({ Value: VALUE }, ...schemas.map(defineParts));
  const parts = { type: 'object', additionalProperties: false, definitions } satisfies JSONSchema;
  const types = await compile(parts, 'Parts', {
    bannerComment: BANNER,
    // The schemas allow unknown properties; the types declare only known ones, so that a misspelled name does not compile.
    additionalProperties: false,
    unknownAny: true,
    unreachableDefinitions: true,
    strictIndexSignatures: true,
    style: { singleQuote: true, printWidth: 120 },
  });
  const union = schemas.map(([name]) => `  | ${definitionName(name)}`).join('\n');
  return [
    cleanUp(types),
    ...schemas.map(declareEvent),
    `/** Every event. Compare \`type\` to narrow it. */\nexport type TidingsEvents =\n${union};\n`,
    otherResourceType(),
  ].join('\n');
}

/** The compiler needs a root type, and mentions in each comment which schema refers to a definition. */
function cleanUp(types: string): string {
  return types
    .replace('export interface Parts {}\n', '')
    .replaceAll(
      /\/\*\*\n \* This interface was referenced by `Parts`'s JSON-Schema\n \* via the `definition` "\w+"\.\n \*\/\n/g,
      '',
    )
    .replaceAll(
      / \*\n \* This interface was referenced by `Parts`'s JSON-Schema\n \* via the `definition` "\w+"\.\n/g,
      '',
    );
}

/** The types that events are made of: the envelope, the records, their data, and details where an event has some. */
function defineParts([name, schema]: readonly [string, JSONSchema]): Record<string, JSONSchema> {
  const resource = resourceOfType(name);
  const about = subjectName(resource);
  const { type: _type, dataschema: _schema, data: _data, ...envelope } = schema.properties as Properties;
  const { data, Change, Occurred, Author, ...records } = schema.$defs as Properties;
  const {
    record: _record,
    changes,
    occurred: _occurred,
    by: _by,
    details,
    ...rest
  } = (data?.properties ?? {}) as Properties;
  const [whole, { title: _title, ...fields } = {}] = Object.values(records);
  const record = { ...fields, properties: { ...whole?.properties, ...fields.properties } };
  const shared: Record<string, JSONSchema> = {
    ...rest,
    record: ref(`${about}Record`),
    previous: { description: rest.previous?.description, tsType: `Partial<${about}Record>` },
    changes: { ...changes, items: ref('Change') },
    occurred: ref('Occurred'),
    by: ref('Author'),
  };
  return {
    Envelope: { ...selectProperties(schema, envelope), description: 'The fields that all events have.' },
    Change: { ...Change, properties: { field: { type: 'string' }, from: ref('Value'), to: ref('Value') } },
    Occurred: { ...Occurred },
    Author: { ...Author },
    // Only a resource with undocumented fields may have more than the schema names.
    [`${about}Record`]: {
      ...record,
      required: ['id'],
      additionalProperties: hasUnknownFields(resource) && ref('Value'),
    },
    [`${about}Data`]: selectProperties(data, shared),
    ...(details !== undefined && { [`${definitionName(name)}Details`]: { ...details } }),
  };
}

/** `details` is declared on every event, so that it can be read before the type is narrowed. */
function declareEvent([name, schema]: readonly [string, JSONSchema]): string {
  const { type, dataschema } = schema.properties as Properties;
  const { data } = schema.$defs as Properties;
  const event = definitionName(name);
  const details = data?.properties?.details === undefined ? 'details?: undefined' : `details: ${event}Details`;
  return [
    `/** ${schema.description} */`,
    `export interface ${event} extends Envelope {`,
    `  type: ${type?.const === undefined ? otherTypes(name) : `'${type.const}'`};`,
    `  dataschema?: ${dataschema?.enum?.map((id) => `'${id}'`).join(' | ')};`,
    `  data: ${subjectName(resourceOfType(name))}Data & { ${details} };`,
    '}\n',
  ].join('\n');
}

/** `record.updated` stands for the events of every resource whose fields the API does not document. */
function otherTypes(name: string): string {
  return `\`\${OtherResource}.${name.split('.')[1]}\``;
}

function subjectName(resource: string): string {
  return isDescribed(resource) ? definitionName(resource) : 'Other';
}

function selectProperties(schema: JSONSchema | undefined, properties: Record<string, JSONSchema>): JSONSchema {
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return { type: 'object', properties, required: required.filter((name) => name in properties) };
}

function hasUnknownFields(resource: string): boolean {
  return resourceOf(resource)?.unknown === 'watch' || resource === 'record';
}

function otherResourceType(): string {
  const names = resources.map(({ name }) => name).filter((name) => !isDescribed(name));
  const members = names.map((name) => `  | '${name}'`).join('\n');
  return `/**\n * Resources whose fields the API does not document.\n */\nexport type OtherResource =\n${members};\n`;
}
