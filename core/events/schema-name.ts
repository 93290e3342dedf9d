/** The names of event schemas, as used for their files and in `dataschema`. Builds no schema. */

import { tabled } from '../resources/catalogue.ts';

/**
 * The base of all `$id`s, which mirrors the folder `schema` of the package. It is a name and not an address: the domain is
 * reserved (RFC 2606), so nobody can answer for it, and tools that fetch unknown schemas get nothing instead of something
 * foreign. A host of the files maps this prefix to its own.
 */
export const SCHEMA_BASE = 'https://tidings.example/schema/';

/** The folder of the schema files, relative to the project's root. */
export const SCHEMA_FOLDER = 'schema/events';

/** `task` of `task.closed`. */
export function resourceOfType(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

/** Resources of Tidings itself: the health of sources and of subscriptions. */
export const OUR_RESOURCES: readonly string[] = ['source', 'subscription'];

/** Whether the fields of the resource are described: it is our own, or it has a field table. */
export function isDescribed(resource: string): boolean {
  return OUR_RESOURCES.includes(resource) || Object.hasOwn(tabled, resource);
}

/** The events that every resource has. */
const LIFE_EVENT = /\.(?:created|became_visible|updated|deleted|restored)$/;

/**
 * `task.closed`, or `record.created` for all resources without a field table. The API documents no fields of those, so
 * their schemas would differ only in the name. A custom type has a schema of its own.
 */
export function schemaNameOf(type: string): string {
  const resource = resourceOfType(type);
  return isDescribed(resource) || !LIFE_EVENT.test(type) ? type : `record${type.slice(resource.length)}`;
}

export function schemaFileOf(type: string): string {
  return `${SCHEMA_FOLDER}/${schemaNameOf(type)}.json`;
}

/** The `$id` of the schema of an event. */
export function schemaIdOf(type: string): string {
  return `${SCHEMA_BASE}events/${schemaNameOf(type)}.json`;
}

/** The value of `dataschema`: the schema of `data` inside the schema of the event. */
export function dataSchemaOf(type: string): string {
  return `${schemaIdOf(type)}#/$defs/data`;
}

/** The value of `dataschema` in events that were recorded before its names became https URLs. It names the same schema. */
export function formerDataSchemaOf(type: string): string {
  return `tidings:/schemas/${schemaNameOf(type)}.json`;
}

/** `Task` of `task`, `TaskClosed` of `task.closed`: the names of definitions and of generated types. */
export function definitionName(name: string): string {
  return name.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
