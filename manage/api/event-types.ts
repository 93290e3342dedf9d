/** The event types that a caller may see, with their schema and an example. */

import * as z from 'zod';
import { eventTypeOf } from '../../core/events/catalogue.ts';
import { knownTypes } from '../../core/events/custom-events.ts';
import type { EventType } from '../../core/events/event-type.ts';
import { customExample, exampleEvent } from '../../core/events/examples.ts';
import { eventSchemas } from '../../core/events/schema.ts';
import { resourceOfType, schemaNameOf } from '../../core/events/schema-name.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, isWithin } from './http/caller.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import { eventTypeSchema } from './http/schemas.ts';

export function visibleTypes(config: Pick<Config, 'customEvents'>, caller: Caller): readonly string[] {
  return knownTypes(config).flatMap(({ type }) => (isWithin(caller, type) ? [type] : []));
}

/** By installation, then by the event types of the key: making 160 schemas takes longer than any page. */
const lists = new WeakMap<object, Map<string, ReturnType<typeof describeTypes>>>();
const MAX_LISTS = 20;

function listEventTypes({ config }: Pick<ApiPorts, 'config'>, caller: Caller) {
  const known = lists.get(config) ?? new Map<string, ReturnType<typeof describeTypes>>();
  lists.set(config, known);
  const visible = knownTypes(config).filter(({ type }) => isWithin(caller, type));
  const name = visible.map(({ type }) => type).join();
  const list = known.get(name) ?? describeTypes(visible);
  const [oldest] = known.keys();
  if (known.size >= MAX_LISTS && oldest !== undefined) known.delete(oldest);
  known.set(name, list);
  return list;
}

function describeTypes(visible: readonly EventType[]) {
  const schemas = eventSchemas(visible);
  const data = visible.map((eventType) => {
    const { type, meaning, when, urgency, byTime = false } = eventType;
    const example = eventTypeOf(type) === undefined ? customExample(eventType) : exampleEvent(eventType);
    const schema = schemas[schemaNameOf(type)] ?? {};
    return { type, resource: resourceOfType(type), meaning, when, urgency, byTime, schema, example: example ?? null };
  });
  return { data };
}

export const eventTypeRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/event-types',
    operation: 'listEventTypes',
    summary: 'List the event types',
    description: 'Those of the catalogue and of the config, as far as the key may see them.',
    tag: 'events',
    scopes: ['read', 'subscribe'],
    responses: { 200: { description: 'The event types.', schema: z.strictObject({ data: z.array(eventTypeSchema) }) } },
    run: async (api, { caller }) => ok(listEventTypes(api, caller)),
  }),
];
