/** Everything committed that is made from the code, by path from the project's root. */

import { compactJson } from '../core/events/compact-json.ts';
import { eventSchemas } from '../core/events/schema.ts';
import { SCHEMA_FOLDER } from '../core/events/schema-name.ts';
import { configJsonSchema } from '../runtime/config/schema.ts';
import { generateAsyncApi } from './asyncapi.ts';
import { configReference } from './config-reference.ts';
import { generateEventTypes } from './event-types.ts';
import { eventsReference } from './events-reference.ts';
import { fieldsReference } from './fields-reference.ts';

/** Of what the events promise: raised when a type goes or changes its meaning, not when one comes. */
const EVENTS_VERSION = '1.0.0';

export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const schemas = Object.entries(eventSchemas());
  return {
    'schema/tidings.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
    ...Object.fromEntries(schemas.map(([name, schema]) => [`${SCHEMA_FOLDER}/${name}.json`, json(schema)])),
    'schema/asyncapi.json': json(generateAsyncApi(EVENTS_VERSION)),
    'schema/events.d.ts': await generateEventTypes(),
    'docs/config.md': configReference(),
    'docs/events.md': eventsReference(),
    'docs/fields.md': fieldsReference(),
  };
}

function json(value: unknown): string {
  return `${compactJson(value, ['record', 'previous'])}\n`;
}
