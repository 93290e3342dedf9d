/**
 * Puts events on an EventBridge bus, each as it is: rules there do what templates and signatures do elsewhere.
 * Retries are decided where attempts are recorded; here is only what an answer means.
 */

import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { httpBody } from '../../core/messages/http-body.ts';
import { type Evidence, GiveUp, RetryLater } from '../../core/model/errors.ts';
import type { BusTarget } from '../../core/model/subscription.ts';
import { type Duration, SECOND, toMillis } from '../../core/model/time.ts';
import type { Channel, Parcel, Receipt } from '../../core/ports/channel.ts';
import { AwsFault, askAws, troubleOf } from '../aws/ask.ts';

export interface BusChannelOptions {
  /** Closed with the channels. */
  readonly client: EventBridgeClient;
  /** For one event, the SDK's own retries included. @default 10 s */
  readonly timeout?: Duration;
}

export interface BusChannels {
  channelFor(target: BusTarget): Channel;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

const TIMEOUT = 10 * SECOND;

/** An answer that neither names the event nor refuses it: nobody knows whether it was taken. */
const SILENCE = 'NoEntry';

/** By this every rule knows our events from those of others. */
const SOURCE = 'tidings';

/** What EventBridge takes: of an entry it counts source, type and detail in UTF-8, and 14 for the time. */
const LARGEST = 1024 * 1024;
const TIME_BYTES = 14;

export function busChannels({ client, timeout = TIMEOUT }: BusChannelOptions): BusChannels {
  return {
    channelFor: ({ name }) => ({
      async send(parcel, signal) {
        const command = new PutEventsCommand({ Entries: [entryOf(name, parcel)] });
        try {
          const answer = await askAws((by) => client.send(command, by), { timeout, signal });
          const { httpStatusCode: status = 200, requestId } = answer.$metadata;
          const [{ EventId, ErrorCode = SILENCE, ErrorMessage = '' } = {}] = answer.Entries ?? [];
          if (EventId !== undefined && ErrorCode === SILENCE) return receiptOf(status, EventId);
          // The request went well, the event did not: such an answer has the status of the request.
          const evidence = {
            status,
            body: ErrorMessage.slice(0, 500),
            ...(requestId === undefined ? {} : { requestId }),
          };
          throw new AwsFault(
            ErrorCode === SILENCE ? 'passing' : troubleOf(ErrorCode, 400),
            ErrorCode,
            ErrorMessage.slice(0, 500),
            evidence,
          );
        } catch (error) {
          throw error instanceof AwsFault ? judge(name, error, error.evidence) : error;
        }
      },
    }),
    close: async () => client.destroy(),
  };
}

const receiptOf = (status: number, requestId: string): Receipt => ({ status, body: 'taken by EventBridge', requestId });

/** A bus gets each event by itself: the first is the only one. */
function entryOf(name: string, parcel: Parcel): PutEventsRequestEntry {
  const [event] = parcel.events;
  const entry = { Source: SOURCE, DetailType: event.type, Detail: httpBody(parcel) };
  const size = TIME_BYTES + Object.values(entry).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (size >= LARGEST) {
    throw new GiveUp(
      'TIDINGS_BUS_EVENT_TOO_LARGE',
      `bus '${name}': event ${event.id} has ${size} bytes, and EventBridge takes less than ${LARGEST}`,
    );
  }
  return { ...entry, EventBusName: name, Time: new Date(toMillis(event.time)) };
}

function judge(name: string, { fault, trouble, message }: AwsFault, evidence: Evidence): Error {
  if (fault === 'ResourceNotFoundException') {
    return new GiveUp('TIDINGS_BUS_GONE', `there is no bus '${name}' in this account and region`, {
      evidence,
      gone: true,
    });
  }
  switch (trouble) {
    case 'refused':
      return new GiveUp('TIDINGS_BUS_REFUSED', `bus '${name}' refused the event: ${message}`, { evidence });
    case 'denied':
      // Given a moment ago, a right is not known everywhere in AWS yet; and a person may still give it.
      return new RetryLater('TIDINGS_BUS_DENIED', `the role may not put events on bus '${name}': ${message}`, {
        evidence,
      });
    default:
      return new RetryLater('TIDINGS_BUS_UNREACHABLE', `bus '${name}' did not take the event: ${message}`, {
        evidence,
      });
  }
}
