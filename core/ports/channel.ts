/** Port: one way to a receiver. Resolves when the receiver took it; throws RetryLater or GiveUp when it did not. */

import type { DeliveryMark } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { ReceiverResponse } from '../model/receiver-response.ts';
import type { Subscription } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';

export interface OutboundMessage {
  readonly subscription: Subscription;
  /** One for a machine; for people as many as were gathered, in the order they were recorded. Never none. */
  readonly events: readonly [TidingsEvent, ...TidingsEvent[]];
  /** Names the delivery: the same for every attempt at it. */
  readonly delivery: string;
  /** When this attempt is made: signed, so that a receiver can refuse old copies. */
  readonly at: Instant;
  /** The zone in which times are told to people. */
  readonly timeZone: string;
  /** @default - the event as it happened */
  readonly mark?: DeliveryMark;
  /** What an earlier message about this record left behind, see `Receipt.thread`. @default - it is the first */
  readonly thread?: string;
  /** Recipients who accepted an earlier attempt, see `ReceiverResponse.reached`. @default - none */
  readonly reached?: readonly string[];
  /** Addresses of people who asked not to get this any more. @default - none */
  readonly muted?: readonly string[];
}

export interface Receipt extends ReceiverResponse {
  /** What there is to say although it went well: a template that failed, and our own words that went instead. */
  readonly remark?: string;
  /** Names the message, so that the next one about the same record can be put under it. Kept where one is given. */
  readonly thread?: string;
}

export interface Channel {
  send(parcel: OutboundMessage, signal?: AbortSignal): Promise<Receipt>;
}
