/** The JSON Schema of all events in one document. The build writes it: it repeats the schemas of schema/events. */

import { compactJson } from '../core/events/compact-json.ts';
import type { JsonSchema } from '../core/events/event-type.ts';
import { eventSchemas } from '../core/events/schema.ts';
import { definitionName, SCHEMA_BASE } from '../core/events/schema-name.ts';

/**
 * All schemas in one document, for code generators: the definitions of records are shared by all events, and the root accepts
 * every event.
 */
export function eventsSchema(): JsonSchema {
  const entries = Object.entries(eventSchemas());
  const definitions = entries.map(([name, { $schema: _, $id: __, $defs, ...event }]) => {
    const { data, ...records } = $defs as Readonly<Record<string, JsonSchema>>;
    const dataName = `${definitionName(name)}Data`;
    const { properties, ...rest } = event as { readonly properties: object };
    return {
      ...records,
      [dataName]: { title: dataName, ...data },
      [name]: { ...rest, properties: { ...properties, data: { $ref: `#/$defs/${dataName}` } } },
    };
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${SCHEMA_BASE}events.json`,
    title: 'TidingsEvent',
    description: 'Any event.',
    oneOf: entries.map(([name]) => ({ $ref: `#/$defs/${name}` })),
    $defs: Object.assign({}, ...definitions),
  };
}

export function eventsDocument(): string {
  return formatSchema(eventsSchema());
}

/** Examples of records take one line each. */
export function formatSchema(value: unknown): string {
  return `${compactJson(value, ['record', 'previous'])}\n`;
}
