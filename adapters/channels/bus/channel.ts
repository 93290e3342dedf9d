/**
 * Puts events on an EventBridge bus unchanged: EventBridge rules do the filtering and formatting that templates do for
 * other channels. core/delivery decides about retries.
 */

import type { PutEventsCommandOutput, PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { type Duration, SECOND } from '../../../core/model/time.ts';
import type { Channel, OutboundMessage, Receipt } from '../../../core/ports/channel.ts';
import { AwsError, callAws, classifyAwsError, MAX_DETAIL_LENGTH } from '../../aws/call.ts';
import type { AwsClientSettings } from '../../aws/client-settings.ts';
import { httpBody } from '../http/http-body.ts';
import type { BusSettings } from './settings.ts';

export interface BusChannelOptions {
  /** @default - the SDK's own */
  readonly settings?: AwsClientSettings;
  /** For one event, including the SDK's retries. @default 10 s */
  readonly timeout?: Duration;
}

export interface BusChannels {
  channelFor(target: BusSettings): Channel;
}

const TIMEOUT = 10 * SECOND;

/** Error code for a response that neither accepts nor refuses the event: its outcome is unknown. */
const NO_ENTRY = 'NoEntry';

/** The `source` by which EventBridge rules select the events of Tidings. */
const SOURCE = 'tidings';

/** EventBridge counts source, type and detail in UTF-8, plus 14 bytes for the time. */
const MAX_ENTRY_BYTES = 1024 * 1024;
const TIME_BYTES = 14;

export function busChannels({ settings, timeout = TIMEOUT }: BusChannelOptions): BusChannels {
  const clients = new Map<string | undefined, ReturnType<typeof openEventBridge>>();
  const clientIn = (region: string | undefined) => {
    const client = clients.get(region) ?? openEventBridge({ ...settings, region: region ?? settings?.region });
    clients.set(region, client);
    return client;
  };
  return {
    channelFor: ({ name }) => ({
      async send(message, signal) {
        const input = { Entries: [buildEntry(name, message)] };
        const { client, PutEventsCommand } = await clientIn(regionOfBus(name));
        try {
          const command = new PutEventsCommand(input);
          return readReceipt(await callAws(client, (options) => client.send(command, options), { timeout, signal }));
        } catch (error) {
          throw error instanceof AwsError ? toBusError(name, error) : error;
        }
      },
    }),
  };
}

async function openEventBridge(settings: AwsClientSettings) {
  const { openEventBridgeClient, PutEventsCommand } = await import('./event-bridge-client.ts');
  return { client: openEventBridgeClient(settings), PutEventsCommand };
}

/** A bus exists only in its own region. Undefined for a plain name: a bus in the region of the deployment. */
function regionOfBus(name: string): string | undefined {
  return /^arn:[^:]+:events:([^:]+):/.exec(name)?.[1];
}

/** EventBridge answers 200 even if it refused the event: the result is in the entry. */
function readReceipt({ Entries, $metadata: { requestId } }: PutEventsCommandOutput): Receipt {
  const { EventId, ErrorCode = NO_ENTRY, ErrorMessage = '' } = Entries?.[0] ?? {};
  if (EventId !== undefined && ErrorCode === NO_ENTRY)
    return { status: 200, body: 'accepted by EventBridge', requestId: EventId };
  const detail = ErrorMessage.slice(0, MAX_DETAIL_LENGTH);
  const kind = ErrorCode === NO_ENTRY ? 'transient' : classifyAwsError(ErrorCode, 400);
  throw new AwsError(kind, ErrorCode, detail, { status: 200, body: detail, requestId });
}

/** Events for a bus are never grouped: a message has exactly one. */
function buildEntry(name: string, message: OutboundMessage): PutEventsRequestEntry {
  const [event] = message.events;
  const entry = { Source: SOURCE, DetailType: event.type, Detail: httpBody(message) };
  const size = TIME_BYTES + Object.values(entry).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (size >= MAX_ENTRY_BYTES) {
    throw new GiveUp(
      'TIDINGS_BUS_EVENT_TOO_LARGE',
      `bus '${name}': event ${event.id} has ${size} bytes; EventBridge accepts less than ${MAX_ENTRY_BYTES}`,
    );
  }
  return { ...entry, EventBusName: name, Time: new Date(event.time) };
}

function toBusError(name: string, { awsCode, kind, message, evidence }: AwsError): Error {
  if (awsCode === 'ResourceNotFoundException') {
    const where = regionOfBus(name) === undefined ? ' in this account and region' : '';
    return new GiveUp('TIDINGS_BUS_GONE', `there is no bus '${name}'${where}`, { evidence, gone: true });
  }
  switch (kind) {
    case 'refused':
      return new GiveUp('TIDINGS_BUS_REFUSED', `bus '${name}' refused the event: ${message}`, { evidence });
    case 'denied':
      // A new permission takes a moment to propagate, and an operator may still grant a missing one.
      return new RetryLater('TIDINGS_BUS_DENIED', `the role may not put events on bus '${name}': ${message}`, {
        evidence,
      });
    default:
      return new RetryLater('TIDINGS_BUS_UNREACHABLE', `bus '${name}' did not accept the event: ${message}`, {
        evidence,
      });
  }
}
