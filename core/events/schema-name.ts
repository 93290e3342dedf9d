/** Under which name the schema of an event type is known: to its file, and to the event itself. Knows no schema. */

import { tabled } from '../resources/catalogue.ts';

/** The folder of the schema files, from the project's root. */
export const SCHEMA_FOLDER = 'schema/events';

/** `task` of `task.closed`. */
export function resourceOfType(type: string): string {
  return type.slice(0, type.indexOf('.'));
}

/** Records of our own: the health of sources and of subscriptions. */
export const OUR_RESOURCES: readonly string[] = ['source', 'subscription'];

/** Whether its records have fields anybody described: our own, and those of the tables. */
export function isDescribed(resource: string): boolean {
  return OUR_RESOURCES.includes(resource) || Object.hasOwn(tabled, resource);
}

/**
 * `task.closed`, or `record.created` for all resources without a table: of those the API shows no field, so that
 * eighty schemas would differ in nothing but their names.
 */
export function schemaNameOf(type: string): string {
  const resource = resourceOfType(type);
  return isDescribed(resource) ? type : `record${type.slice(resource.length)}`;
}

export function schemaFileOf(type: string): string {
  return `${SCHEMA_FOLDER}/${schemaNameOf(type)}.json`;
}

/**
 * What `dataschema` says: the name of the schema of `data`. A name and not an address, because nobody knows where a
 * reader keeps the files; a scheme of our own, so that nobody tries to fetch it.
 */
export function dataSchemaOf(type: string): string {
  return `tidings:/schemas/${schemaNameOf(type)}.json`;
}
