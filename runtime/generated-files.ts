/** Everything committed that is made from the code, by path from the project's root. */

import { asyncApi } from '../core/events/asyncapi.ts';
import { compactJson } from '../core/events/compact-json.ts';
import { eventsReference } from '../core/events/reference.ts';
import { eventSchemas } from '../core/events/schema.ts';
import { SCHEMA_FOLDER } from '../core/events/schema-name.ts';
import { eventTypings } from '../core/events/typescript.ts';
import { fieldsReference } from '../core/resources/fields-reference.ts';
import { configReference } from './config/reference.ts';
import { configJsonSchema } from './config/schema.ts';
import { kitFiles } from './kit-files.ts';

/** Of what the events promise: raised when a type goes or changes its meaning, not when one comes. */
const EVENTS_VERSION = '1.0.0';

export function generatedFiles(): Readonly<Record<string, string>> {
  const schemas = Object.entries(eventSchemas());
  return {
    'schema/tidings.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
    ...Object.fromEntries(schemas.map(([name, schema]) => [`${SCHEMA_FOLDER}/${name}.json`, json(schema)])),
    'schema/asyncapi.json': json(asyncApi(EVENTS_VERSION)),
    'schema/events.d.ts': eventTypings(),
    'docs/config.md': configReference(),
    'docs/events.md': eventsReference(),
    'docs/fields.md': fieldsReference(),
    ...kitFiles(),
  };
}

function json(value: unknown): string {
  return `${compactJson(value, ['record', 'previous'])}\n`;
}
