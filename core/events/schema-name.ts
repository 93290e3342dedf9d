/** The names of event schemas, as used for their files and in `dataschema`. Builds no schema. */

import { tabled } from '../resources/catalogue.ts';

/**
 * The base of all `$id`s, which mirrors the folder `schema` of the package. It is a name and not an address: the domain is
 * reserved (RFC 2606), so nobody can answer for it, and tools that fetch unknown schemas get nothing instead of something
 * foreign. Whoever hosts the files maps this prefix to their own.
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

/**
 * `task.closed`, or `record.created` for all resources without a field table. The API documents no fields of those, so
 * their schemas would differ only in the name.
 */
export function schemaNameOf(type: string): string {
  const resource = resourceOfType(type);
  return isDescribed(resource) ? type : `record${type.slice(resource.length)}`;
}

export function schemaFileOf(type: string): string {
  return `${SCHEMA_FOLDER}/${schemaNameOf(type)}.json`;
}

/**
 * The value of `dataschema`: the `$id` of the schema of `data`. The scheme is our own because this is a name and not an
 * address to fetch.
 */
export function dataSchemaOf(type: string): string {
  return `tidings:/schemas/${schemaNameOf(type)}.json`;
}
