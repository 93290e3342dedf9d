/** Our JSON Schemas compile in the strict mode of ajv, as they are published, with the formats of the dialect. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { eventSchemas } from '../../core/events/schema.ts';
import { publishedConfigSchema } from '../../runtime/config/json-schema.ts';
import { eventsSchema } from '../../tools/events-document.ts';

const formats = { date: true, 'date-time': true, email: true, uri: true } as const;

/** One for all: each would compile the schema of schemas again. */
const ajv = new Ajv2020({ strict: true, addUsedSchema: false, formats });

describe('strict ajv', () => {
  it.each([
    ['the schema of the config', publishedConfigSchema()],
    ['the schema of any event', eventsSchema()],
    ...Object.entries(eventSchemas()),
  ])('compiles %s', (_, schema) => {
    expect(ajv.compile(schema)).toBeTypeOf('function');
  });
});
