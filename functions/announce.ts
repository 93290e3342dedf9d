/** Lambda entry of `announce`, invoked with batches of the snapshots' stream: records events and opens their deliveries. */

import type { DynamoDBStreamEvent } from 'aws-lambda';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { dynamoDocumentStore } from '../adapters/dynamodb/document-store.ts';
import { dynamoEventStore } from '../adapters/dynamodb/event-store.ts';
import { dynamoSubscriptionStore } from '../adapters/dynamodb/subscription-store.ts';
import { customEventType } from '../core/events/custom-events.ts';
import { announceBatch } from '../runtime/aws/announce.ts';
import type { AwsContextOptions } from '../runtime/aws/context.ts';
import { createLambdaHandler } from '../runtime/aws/lambda-handler.ts';
import { openLedger } from '../runtime/aws/ledger.ts';
import { openHandOver, openQueue } from '../runtime/aws/queue.ts';
import { openWithSources } from '../runtime/aws/stored-sources.ts';
import { openTracer } from '../runtime/aws/tracing.ts';
import { hasOwners } from '../runtime/config/serves-api.ts';
import { withDeclared } from '../runtime/with-declared.ts';

export function createAnnounce(options?: AwsContextOptions) {
  const open = openWithSources(options, (aws) => {
    const ledger = openLedger(aws);
    return {
      ...aws,
      documents: dynamoDocumentStore(ledger.table),
      events: dynamoEventStore(ledger),
      subscriptions: withDeclared(dynamoSubscriptionStore(ledger.table), aws.config, aws.clock),
      customEvents: aws.config.customEvents.map(customEventType),
      queue: openQueue(aws),
      // Without owners deliver could not open them.
      ...(hasOwners(aws.config) ? { handOver: openHandOver(aws) } : {}),
      channels: channelRegistry,
      tracer: openTracer(aws),
    };
  });
  return createLambdaHandler(
    'announce',
    async ({ Records }: DynamoDBStreamEvent, call) => announceBatch(await open(), Records, call),
    async () => (await open()).tracer,
  );
}

export const handler = createAnnounce();
