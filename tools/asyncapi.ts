/** Makes an AsyncAPI 3.0 document of all events: one channel per resource, one message per type. */

import { eventTypes, eventTypesOf, sayEvent } from '../core/events/catalogue.ts';
import type { EventType, JsonSchema } from '../core/events/event-type.ts';
import { exampleEvent } from '../core/events/examples.ts';
import { OUR_RESOURCES, SCHEMA_FOLDER, schemaFileOf } from '../core/events/schema-name.ts';
import { resources } from '../core/resources/catalogue.ts';

/** Beside the document, in the same folder as the folder of the schemas. */
const fromDocument = (file: string) => file.replace(SCHEMA_FOLDER.replace(/\/.*/, ''), '.');

const channelNames = [...resources.map(({ name }) => name), ...OUR_RESOURCES];

export function asyncApi(version: string): JsonSchema {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tidings',
      version,
      description: 'Events of a work-management API that has none, delivered as signed webhooks.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(channelNames.map((resource) => [resource, channel(resource)])),
    operations: Object.fromEntries(channelNames.map((resource) => [`send.${resource}`, operation(resource)])),
    components: {
      messages: Object.fromEntries(eventTypes.map((eventType) => [eventType.type, message(eventType)])),
      messageTraits: { webhook },
    },
  };
}

/** What Standard Webhooks puts around every event. */
const webhook = {
  headers: {
    type: 'object',
    required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    properties: {
      'webhook-id': { type: 'string', description: "The event's id, the same in every attempt." },
      'webhook-timestamp': { type: 'string', pattern: '^\\d+$', description: 'Unix seconds of this attempt.' },
      'webhook-signature': {
        type: 'string',
        pattern: '^v1,',
        description:
          'HMAC-SHA256 over id.timestamp.body, in base64; several, separated by spaces, while a secret rotates.',
      },
    },
  },
};

function channel(resource: string): JsonSchema {
  return {
    // The receivers' own endpoints: only their subscriptions know them.
    address: null,
    title: resource,
    description: `What happens to ${OUR_RESOURCES.includes(resource) ? `the ${resource} itself` : `records of ${resource}`}.`,
    messages: Object.fromEntries(
      eventTypesOf(resource).map(({ type }) => [type, { $ref: `#/components/messages/${type}` }]),
    ),
  };
}

function operation(resource: string): JsonSchema {
  return {
    action: 'send',
    channel: { $ref: `#/channels/${resource}` },
    messages: eventTypesOf(resource).map(({ type }) => ({ $ref: `#/channels/${resource}/messages/${type}` })),
  };
}

function message(eventType: EventType): JsonSchema {
  const { type, meaning, when, byTime = false } = eventType;
  const event = exampleEvent(eventType);
  return {
    name: type,
    title: type,
    summary: meaning,
    description: when,
    contentType: 'application/json',
    ...(byTime ? { tags: [{ name: 'by time' }] } : {}),
    traits: [{ $ref: '#/components/messageTraits/webhook' }],
    payload: { $ref: fromDocument(schemaFileOf(type)) },
    ...(event === undefined ? {} : { examples: [{ name: 'example', summary: sayEvent(event), payload: event }] }),
  };
}
