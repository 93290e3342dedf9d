/** Everything committed that is made from the code, by path from the project's root. */

import { fieldsReference } from '../core/resources/fields-reference.ts';
import { configReference } from './config/reference.ts';
import { configJsonSchema } from './config/schema.ts';

export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    'schema/tidings.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
    'docs/config.md': configReference(),
    'docs/fields.md': fieldsReference(),
  };
}
