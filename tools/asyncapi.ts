/** Generates the AsyncAPI 3.0 document of all events: one channel per resource, one message per event type. */

import { eventTypes, eventTypesOf, sayEvent } from '../core/events/catalogue.ts';
import type { EventType, JsonSchema } from '../core/events/event-type.ts';
import { exampleEvent } from '../core/events/examples.ts';
import { OUR_RESOURCES, SCHEMA_FOLDER, schemaFileOf } from '../core/events/schema-name.ts';
import { resources } from '../core/resources/catalogue.ts';

/** The path of a schema file relative to the document, which is written to the parent of the schema folder. */
const relativeToDocument = (file: string) => file.replace(SCHEMA_FOLDER.replace(/\/.*/, ''), '.');

const channelNames = [...resources.map(({ name }) => name), ...OUR_RESOURCES];

export function generateAsyncApi(version: string): JsonSchema {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tidings',
      version,
      description: 'Events for a work-management API that has none, delivered as signed webhooks.',
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

/** One signature: HMAC-SHA256 (`v1`) or Ed25519 (`v1a`). */
const SIGNATURE = 'v1a?,[A-Za-z0-9+/]+={0,2}';

/** The headers that Standard Webhooks defines. */
const webhook = {
  headers: {
    type: 'object',
    required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    properties: {
      'webhook-id': { type: 'string', description: 'The event id. It is the same for every attempt.' },
      'webhook-timestamp': {
        type: 'string',
        pattern: '^\\d+$',
        description: 'When this attempt was signed, in Unix seconds.',
      },
      'webhook-signature': {
        type: 'string',
        pattern: `^${SIGNATURE}( ${SIGNATURE})*$`,
        description:
          'Signatures of id.timestamp.body in base64, separated by spaces: v1 is HMAC-SHA256, v1a is Ed25519. During a secret rotation there are several; one match is enough.',
      },
    },
  },
};

function channel(resource: string): JsonSchema {
  return {
    // The address is the URL of each receiver, which only its subscription knows.
    address: null,
    title: resource,
    description: `Events of ${OUR_RESOURCES.includes(resource) ? `the ${resource} itself` : `${resource} records`}.`,
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
    payload: { $ref: relativeToDocument(schemaFileOf(type)) },
    ...(event === undefined ? {} : { examples: [{ name: 'example', summary: sayEvent(event), payload: event }] }),
  };
}
