/** The list of generated files, by path from the project's root. docs/security.md is updated by generate.ts. */

import { eventSchemas } from '../core/events/schema.ts';
import { SCHEMA_FOLDER } from '../core/events/schema-name.ts';
import packageJson from '../package.json' with { type: 'json' };
import { publishedConfigSchema } from '../runtime/config/json-schema.ts';
import { generateApiClient } from './api-client.ts';
import { generateAsyncApi } from './asyncapi.ts';
import { generateConfigReference } from './config-reference.ts';
import { generateConsoleAssets } from './console-assets.ts';
import { generateEventTypes } from './event-types.ts';
import { formatSchema } from './events-document.ts';
import { generateEventsReference } from './events-reference.ts';
import { generateFieldsReference } from './fields-reference.ts';

export async function generatedFiles(): Promise<Readonly<Record<string, string>>> {
  const schemas = Object.entries(eventSchemas());
  return {
    'schema/tidings.schema.json': formatSchema(publishedConfigSchema()),
    ...Object.fromEntries(schemas.map(([name, schema]) => [`${SCHEMA_FOLDER}/${name}.json`, formatSchema(schema)])),
    'schema/asyncapi.json': formatSchema(generateAsyncApi(packageJson.version)),
    'schema/events.d.ts': await generateEventTypes(),
    'kit/client.ts': await generateApiClient(),
    'console/assets.ts': generateConsoleAssets(),
    'docs/config.md': generateConfigReference(),
    'docs/events.md': generateEventsReference(),
    'docs/fields.md': generateFieldsReference(),
  };
}
