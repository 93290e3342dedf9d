/** The JSON Schema of all events in one document. The build writes it: it repeats the schemas of schema/events. */

import { compactJson } from '../core/events/compact-json.ts';
import { eventsSchema } from '../core/events/schema.ts';

export function eventsDocument(): string {
  return formatSchema(eventsSchema());
}

/** Examples of records take one line each. */
export function formatSchema(value: unknown): string {
  return `${compactJson(value, ['record', 'previous'])}\n`;
}
