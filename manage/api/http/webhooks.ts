/** The webhooks of the OpenAPI document: the request that each event type causes, from the schemas of the catalogue. */

import { eventTypes } from '../../../core/events/catalogue.ts';
import type { EventType, JsonSchema } from '../../../core/events/event-type.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { eventSchemas } from '../../../core/events/schema.ts';
import { definitionName, resourceOfType, schemaNameOf } from '../../../core/events/schema-name.ts';
import type { OpenApiNode } from './schemas.ts';

export interface WebhookParts {
  /** By event type. */
  readonly webhooks: Readonly<Record<string, OpenApiNode>>;
  readonly schemas: Readonly<Record<string, OpenApiNode>>;
  readonly parameters: Readonly<Record<string, OpenApiNode>>;
}

export function describeWebhooks(): WebhookParts {
  const schemas = Object.entries(eventSchemas()).flatMap(([name, schema]) => componentsOf(name, schema));
  return {
    webhooks: Object.fromEntries(eventTypes.map((eventType) => [eventType.type, webhookOf(eventType)])),
    schemas: Object.fromEntries(schemas),
    parameters: HEADERS,
  };
}

function webhookOf(eventType: EventType): OpenApiNode {
  const { type, meaning, when } = eventType;
  const example = exampleEvent(eventType);
  return {
    post: {
      operationId: `receive ${type}`,
      summary: meaning.replace(/\.$/, ''),
      description: when,
      tags: [`${resourceOfType(type)} events`],
      security: [],
      parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${eventComponent(schemaNameOf(type))}` },
            ...(example === undefined ? {} : { example }),
          },
        },
      },
      responses: {
        '2XX': { description: 'Accepted.' },
        '410': { description: 'Gone: the subscription is disabled or removed.' },
        default: { description: 'Not accepted: the event is sent again later.' },
      },
    },
  };
}

/** `TaskOverdueEvent` */
const eventComponent = (schemaName: string) => `${definitionName(schemaName)}Event`;

/** The schema of the event, and the definitions that it shares with others: the record, and parts of the data. */
function componentsOf(name: string, schema: JsonSchema): readonly (readonly [string, OpenApiNode])[] {
  const { $schema: _, $id: __, $defs, ...event } = schema;
  const { data, ...shared } = $defs as Readonly<Record<string, JsonSchema>>;
  const properties = { ...(event.properties as OpenApiNode), data };
  return [
    [eventComponent(name), toComponents({ ...event, properties })],
    ...Object.entries(shared).map(([key, one]) => [sharedComponent(key), toComponents(one)] as const),
  ];
}

/** Names of records are also names of resources of this API: `Subscription`. */
const sharedComponent = (definition: string) => `Event${definition}`;

function toComponents(schema: JsonSchema): OpenApiNode {
  const text = JSON.stringify(schema).replaceAll(/"#\/\$defs\/(\w+)"/g, (_, name: string) =>
    JSON.stringify(`#/components/schemas/${sharedComponent(name)}`),
  );
  return JSON.parse(text) as OpenApiNode;
}

const header = (name: string, description: string): OpenApiNode => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

/** Those of Standard Webhooks. */
const HEADERS: Readonly<Record<string, OpenApiNode>> = {
  WebhookId: header('webhook-id', 'The id of the event. It is the same for every attempt.'),
  WebhookTimestamp: header('webhook-timestamp', 'When this attempt was signed, in Unix seconds.'),
  WebhookSignature: header(
    'webhook-signature',
    'Signatures of id.timestamp.body in base64, separated by spaces: v1 is HMAC-SHA256, v1a is Ed25519. One match is enough.',
  ),
};
