/**
 * Puts events on an EventBridge bus, each as it is: rules there do what templates and signatures do elsewhere.
 * Retries are decided where attempts are recorded; here is only what an answer means.
 */

import { type Evidence, GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { BusTarget } from '../../../core/model/subscription.ts';
import { type Duration, SECOND, toMillis } from '../../../core/model/time.ts';
import type { Channel, OutboundMessage, Receipt } from '../../../core/ports/channel.ts';
import { AwsFault, callAws, troubleOf } from '../../aws/call.ts';
import { type By, type JsonAnswer, type JsonServiceOptions, jsonService } from '../../aws/json-service.ts';
import { httpBody } from '../http/http-body.ts';

export interface BusChannelOptions {
  /** Lends its credentials, region and connections. */
  readonly client: JsonServiceOptions['client'];
  /** @default - AWS's own of the client's region */
  readonly endpoint?: string | undefined;
  /** For one event, up to three requests in all. @default 10 s */
  readonly timeout?: Duration;
}

export interface BusChannels {
  channelFor(target: BusTarget): Channel;
}

const TIMEOUT = 10 * SECOND;

/** An answer that neither names the event nor refuses it: nobody knows whether it was taken. */
const SILENCE = 'NoEntry';

/** By this every rule knows our events from those of others. */
const SOURCE = 'tidings';

/** What EventBridge takes: of an entry it counts source, type and detail in UTF-8, and 14 for the time. */
const LARGEST = 1024 * 1024;
const TIME_BYTES = 14;

export function busChannels({ client, endpoint, timeout = TIMEOUT }: BusChannelOptions): BusChannels {
  const eventsIn = (region: string | undefined) =>
    jsonService({ client, service: 'events', target: 'AWSEvents', region, endpoint });
  return {
    channelFor: ({ name }) => ({
      async send(parcel, signal) {
        const events = eventsIn(regionOfBus(name));
        const input = { Entries: [entryOf(name, parcel)] };
        try {
          return receiptOf(await callAws((by: By) => events('PutEvents', input, by), { timeout, signal }));
        } catch (error) {
          throw error instanceof AwsFault ? judge(name, error, error.evidence) : error;
        }
      },
    }),
  };
}

/** A bus is asked in its own region: no other knows it. Undefined for a mere name, which is one of ours. */
function regionOfBus(name: string): string | undefined {
  return /^arn:[^:]+:events:([^:]+):/.exec(name)?.[1];
}

/** The request went well; the event may not have, and then the answer still has the status of the request. */
function receiptOf({ body, requestId }: JsonAnswer): Receipt {
  const [entry] = Array.isArray(body.Entries) ? body.Entries : [];
  const { EventId, ErrorCode = SILENCE, ErrorMessage = '' } = (entry ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof EventId === 'string' && ErrorCode === SILENCE)
    return { status: 200, body: 'taken by EventBridge', requestId: EventId };
  const [code, words] = [String(ErrorCode), String(ErrorMessage).slice(0, 500)];
  const evidence = { status: 200, body: words, ...(requestId === undefined ? {} : { requestId }) };
  throw new AwsFault(code === SILENCE ? 'passing' : troubleOf(code, 400), code, words, evidence);
}

/** A bus gets each event by itself: the first is the only one. */
function entryOf(name: string, parcel: OutboundMessage) {
  const [event] = parcel.events;
  const entry = { Source: SOURCE, DetailType: event.type, Detail: httpBody(parcel) };
  const size = TIME_BYTES + Object.values(entry).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (size >= LARGEST) {
    throw new GiveUp(
      'TIDINGS_BUS_EVENT_TOO_LARGE',
      `bus '${name}': event ${event.id} has ${size} bytes, and EventBridge takes less than ${LARGEST}`,
    );
  }
  return { ...entry, EventBusName: name, Time: toMillis(event.time) / SECOND };
}

function judge(name: string, { fault, trouble, message }: AwsFault, evidence: Evidence): Error {
  if (fault === 'ResourceNotFoundException') {
    const where = regionOfBus(name) === undefined ? ' in this account and region' : '';
    return new GiveUp('TIDINGS_BUS_GONE', `there is no bus '${name}'${where}`, { evidence, gone: true });
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
