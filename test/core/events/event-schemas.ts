/** Validates events in tests with ajv and the schema of their type. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { eventSchemas } from '../../../core/events/schema.ts';
import { dataSchemaOf, schemaNameOf } from '../../../core/events/schema-name.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';

// `format` is only an annotation in this dialect; requirements have a pattern.
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: { date: true, 'date-time': true } });

export const schemas = eventSchemas();

/** By schema name. */
export const validators: ReadonlyMap<string, ValidateFunction> = new Map(
  Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]),
);

/** The validator of `data`, found by the value of `dataschema`. */
export function dataValidator(type: string): ValidateFunction | undefined {
  return ajv.getSchema(dataSchemaOf(type));
}

/** The validation errors of an event. */
export function problemsOf(event: TidingsEvent): readonly string[] {
  const validate = validators.get(schemaNameOf(event.type));
  if (validate === undefined) return [`no schema of ${event.type}`];
  // Validates the event as it arrives, after serialization.
  if (validate(JSON.parse(JSON.stringify(event)))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${event.type} ${instancePath} ${message}`);
}
