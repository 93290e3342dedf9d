/** Generates the TypeScript types of all events from their JSON Schemas, for receivers written in TypeScript. */

import { compile, type JSONSchema } from 'json-schema-to-typescript';
import { eventSchemas } from '../core/events/schema.ts';
import { isDescribed, resourceOfType } from '../core/events/schema-name.ts';
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
  const events = schemas.map(([name, schema]) => defineEvent(name, schema));
  const union = {
    oneOf: schemas.map(([name]) => ref(pascalCase(name))),
    definitions: Object.assign({ Value: VALUE }, ...events),
  };
  const types = await compile(union, 'TidingsEvents', {
    bannerComment: BANNER,
    // The schemas allow unknown properties; the types declare only known ones, so that a misspelled name does not compile.
    additionalProperties: false,
    unknownAny: true,
    strictIndexSignatures: true,
    style: { singleQuote: true, printWidth: 120 },
  });
  return `${types}\n${otherResourceType()}`;
}

/** The definitions of one event. Events of the same resource share their record and, unless they have details, their data. */
function defineEvent(name: string, schema: JSONSchema): Record<string, JSONSchema> {
  const resource = resourceOfType(name);
  const about = isDescribed(resource) ? pascalCase(resource) : 'Other';
  const properties = schema.properties as Properties;
  const data = properties.data as JSONSchema;
  const { record, changes, occurred, by, details, ...rest } = data.properties as Properties;
  const definitions: Record<string, JSONSchema> = {
    // Only a resource with undocumented fields may have more than the schema names.
    [`${about}Record`]: { ...record, additionalProperties: hasUnknownFields(resource) && ref('Value') },
    Change: {
      ...(changes?.items as JSONSchema),
      properties: { field: { type: 'string' }, from: ref('Value'), to: ref('Value') },
    },
    Occurred: { ...occurred },
    Author: { ...by },
  };
  const typedData = {
    ...withoutId(data),
    properties: {
      ...rest,
      record: ref(`${about}Record`),
      previous: { ...rest.previous, tsType: `Partial<${about}Record>` },
      changes: { ...changes, items: ref('Change') },
      // Declared on every event, so that `details` can be read before the type is narrowed.
      details: details ?? { tsType: 'undefined' },
      occurred: ref('Occurred'),
      by: ref('Author'),
    },
  };
  if (details === undefined) definitions[`${about}Data`] = typedData;
  definitions[pascalCase(name)] = {
    ...withoutId(schema),
    properties: { ...properties, data: details === undefined ? ref(`${about}Data`) : typedData },
  };
  return definitions;
}

function hasUnknownFields(resource: string): boolean {
  return resourceOf(resource)?.unknown === 'watch' || resource === 'record';
}

/** The generator would name the type after the id or the title. */
function withoutId({ $id: _id, title: _title, ...schema }: JSONSchema): JSONSchema {
  return schema;
}

/** `task.closed` → `TaskClosed`. */
function pascalCase(name: string): string {
  return name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function otherResourceType(): string {
  const names = resources.map(({ name }) => name).filter((name) => !isDescribed(name));
  const members = names.map((name) => `  | '${name}'`).join('\n');
  return `/**\n * Resources whose fields the API does not document.\n */\nexport type OtherResource =\n${members};\n`;
}
