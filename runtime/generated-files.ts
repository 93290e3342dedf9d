/** Everything committed that is made from the code, by path from the project's root. */

import { eventSchemas } from '../core/events/schema.ts';
import { SCHEMA_FOLDER } from '../core/events/schema-name.ts';
import { fieldsReference } from '../core/resources/fields-reference.ts';
import { configReference } from './config/reference.ts';
import { configJsonSchema } from './config/schema.ts';

export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'schema/tidings.schema.json': json(configJsonSchema()),
    ...Object.fromEntries(
      Object.entries(eventSchemas()).map(([name, schema]) => [`${SCHEMA_FOLDER}/${name}.json`, json(schema)]),
    ),
    'docs/config.md': configReference(),
    'docs/fields.md': fieldsReference(),
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
