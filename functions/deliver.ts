/** Lambda entry of `deliver`, invoked with batches of the queue: makes delivery attempts. The only function that sends to receivers. */

import { randomBytes } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import { channelRegistry } from '../adapters/channels/registry.ts';
import { dynamoAgenda } from '../adapters/dynamodb/agenda.ts';
import { dynamoAuditStore } from '../adapters/dynamodb/audit-store.ts';
import { dynamoDeliveryStore } from '../adapters/dynamodb/delivery-store.ts';
import { dynamoDocumentStore } from '../adapters/dynamodb/document-store.ts';
import { dynamoEventStore } from '../adapters/dynamodb/event-store.ts';
import { dynamoLeaseStore } from '../adapters/dynamodb/lease-store.ts';
import { dynamoRequestLimiter } from '../adapters/dynamodb/request-limiter.ts';
import { dynamoScanStateStore } from '../adapters/dynamodb/scan-state-store.ts';
import { dynamoSubscriptionStore } from '../adapters/dynamodb/subscription-store.ts';
import { dynamoThreadStore } from '../adapters/dynamodb/thread-store.ts';
import { type HttpTransport, openHttpTransport } from '../adapters/http/http-transport.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { recordPause } from '../core/subscriptions/record-pause.ts';
import { removeGone } from '../core/subscriptions/remove-gone.ts';
import { openAwsChannels } from '../runtime/aws/channels.ts';
import { type AwsContext, type AwsContextOptions, lazy } from '../runtime/aws/context.ts';
import { deliverBatch, type RunTaskJob } from '../runtime/aws/deliver.ts';
import { type DeliveryLimits, openDeliveryLimits } from '../runtime/aws/delivery-limits.ts';
import { DEFAULT_MAX_EXECUTIONS, MAX_EXECUTIONS } from '../runtime/aws/environment.ts';
import { createLambdaHandler, type Invocation } from '../runtime/aws/lambda-handler.ts';
import { openLedger, openRateLimiter } from '../runtime/aws/ledger.ts';
import type { LateJobs } from '../runtime/aws/open-late-messages.ts';
import { openSecrets } from '../runtime/aws/secrets.ts';
import { openWithSources } from '../runtime/aws/stored-sources.ts';
import { openTracer } from '../runtime/aws/tracing.ts';
import { hasOwners } from '../runtime/config/serves-api.ts';
import { withDeclared } from '../runtime/with-declared.ts';
import type { openLateParts } from './late-parts.ts';

export function createDeliver(options?: AwsContextOptions) {
  const openParts = (aws: AwsContext) => {
    const http = openHttpTransport({ allow: aws.config.network.allow });
    const channels = openAwsChannels(aws, openSecrets(aws), http);
    const ledger = openLedger(aws);
    const { table } = ledger;
    const verbPorts = {
      ...aws,
      deliveries: dynamoDeliveryStore(ledger),
      subscriptions: withDeclared(dynamoSubscriptionStore(table), aws.config, aws.clock),
      audit: dynamoAuditStore(ledger),
      channels: channelRegistry,
      randomBytes,
    };
    const events = dynamoEventStore(ledger);
    return {
      ...verbPorts,
      runTask: loadTaskRunner(aws, http),
      lateJobs: loadLateJobs(aws, { ...verbPorts, events }),
      documents: dynamoDocumentStore(table),
      events,
      agenda: dynamoAgenda(table),
      threads: dynamoThreadStore(table),
      scanStates: dynamoScanStateStore(table),
      leases: dynamoLeaseStore(table),
      rateLimiter: openRateLimiter(aws),
      requestLimiter: dynamoRequestLimiter(table),
      removeGone: (subscription: Subscription) => removeGone({ ...verbPorts, config: aws.config }, subscription),
      recordPause: (subscription: string, reason: string) => recordPause(verbPorts, subscription, reason),
      channelFor: channels.channelFor,
      closeChannels: channels.close,
      http,
      executions: Number(aws.environment[MAX_EXECUTIONS] ?? DEFAULT_MAX_EXECUTIONS),
      tracer: openTracer(aws),
    };
  };
  const open = openWithSources(options, openParts, ({ closeChannels }) => closeChannels());
  let limits: DeliveryLimits | undefined;
  const deliver = async ({ Records }: SQSEvent, call: Invocation) => {
    const ports = await open();
    limits ??= openDeliveryLimits(ports.subscriptions, ports.channels);
    try {
      return await deliverBatch({ ...ports, ...limits }, Records, call);
    } finally {
      // Lambda freezes the process between invocations. A receiver may close an idle connection meanwhile, and the next
      // post would fail on it.
      await ports.http.close();
    }
  };
  return createLambdaHandler('deliver', deliver, async () => (await open()).tracer);
}

/** Work of the Slack app, only where the config has it: other deployments neither contain nor load it. */
function loadTaskRunner(aws: AwsContext, http: HttpTransport): RunTaskJob | undefined {
  if (aws.config.slack === undefined) return undefined;
  const open = lazy(async () => (await import('./slack-parts.ts')).openSlackParts(aws, http));
  return async (id, report) => (await open())?.runTask(id, report);
}

/** Only where the config lets others subscribe. */
function loadLateJobs(aws: AwsContext, ports: Parameters<typeof openLateParts>[1]): LateJobs | undefined {
  if (!hasOwners(aws.config)) return undefined;
  const parts = lazy(async () => (await import('./late-parts.ts')).openLateParts(aws, ports));
  return { open: async (late) => (await parts()).open(late), putBack: async (late) => (await parts()).putBack(late) };
}

export const handler = createDeliver();
