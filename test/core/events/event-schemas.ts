/** The judge of events in tests: what a validator nobody here wrote says of them, by the schema of their type. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { eventSchemas } from '../../../core/events/schema.ts';
import { dataSchemaOf, schemaNameOf } from '../../../core/events/schema-name.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';

// Formats are annotations in this dialect; what must hold has a pattern.
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: { date: true, 'date-time': true } });

export const schemas = eventSchemas();

/** By the name of the schema. */
export const validators: ReadonlyMap<string, ValidateFunction> = new Map(
  Object.entries(schemas).map(([name, schema]) => [name, ajv.compile(schema)]),
);

/** Of `data` alone, found by the name that `dataschema` says. */
export function dataValidator(type: string): ValidateFunction | undefined {
  return ajv.getSchema(dataSchemaOf(type));
}

/** What is wrong with an event; empty when nothing is. */
export function problemsOf(event: TidingsEvent): readonly string[] {
  const validate = validators.get(schemaNameOf(event.type));
  if (validate === undefined) return [`no schema of ${event.type}`];
  // As it arrives: what JSON cannot hold must not be needed.
  if (validate(JSON.parse(JSON.stringify(event)))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${event.type} ${instancePath} ${message}`);
}
