/**
 * Port: channels. `Channel` sends a message to one receiver; `ChannelTraits` are the facts about a kind of channel that
 * core decides by. The full definition of a channel, with its settings, renderer and sender, is in adapters/channels.
 */

import type { DeliveryMark } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { ReceiverResponse } from '../model/receiver-response.ts';
import type { Limits, Subscription, Target, Template } from '../model/subscription.ts';
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
  /** Resolves when the receiver accepted the message; throws RetryLater or GiveUp when it did not. */
  send(message: OutboundMessage, signal?: AbortSignal): Promise<Receipt>;
}

/** How values of an event are escaped in a template: not at all, as HTML, or by the markup of the channel. */
export type Escaping = 'plain' | 'html' | MarkupEscaping;

export interface MarkupEscaping {
  /** The name of the Liquid filter that escapes by hand, and of the markup in messages: `slack`. */
  readonly name: string;
  escapeText(text: string): string;
}

/** One part of a message that a subscription's template may replace. */
export interface TemplatePart {
  readonly escaping: Escaping;
  /** Between the texts of several events, when the template is about one. */
  readonly separator: string;
  /** Rendered text is cut to this many characters. @default - no limit */
  readonly maxLength?: number;
}

export type ChannelTemplateParts = Readonly<Partial<Record<keyof Template, TemplatePart>>>;

/** The facts about a kind of channel that core decides by. `Settings`: those of a subscription's target. */
export interface ChannelTraits<Settings extends object = object> {
  /** The tag of its targets and its key under `to` in the config: `http`. */
  readonly name: string;
  /** As people call it: `Slack`. */
  readonly label: string;
  /** People get only what is still true; machines get every event. */
  readonly audience: 'people' | 'machines';
  /** Whether several events become one message: `gather`, `digest` and `quiet` are allowed. */
  readonly gathers: boolean;
  /** Concurrency and rate of a subscription that sets none. */
  readonly limits: Limits;
  /** The parts that a template may replace. */
  readonly templateParts: ChannelTemplateParts;
  /** Whether messages about the same record are put into one thread. */
  hasThreads(settings: Settings): boolean;
  /** The reference to the signing secret, which can be rotated; undefined when its messages are not signed. */
  signingSecret(settings: Settings): string | undefined;
}

/** The channels of this build, by name. A `Map` is one. */
export interface ChannelRegistry {
  get(name: string): ChannelTraits | undefined;
}

/**
 * The traits of a target's channel. A subscription stored by another build may name a channel that this one does not
 * know: it can be listed, and its deliveries give up when they are sent.
 */
export function traitsOf(channels: ChannelRegistry, { channel }: Pick<Target, 'channel'>): ChannelTraits {
  return channels.get(channel) ?? { ...UNKNOWN_CHANNEL, name: channel, label: channel };
}

const UNKNOWN_CHANNEL: Omit<ChannelTraits, 'name' | 'label'> = {
  audience: 'machines',
  gathers: false,
  limits: { concurrency: 1 },
  templateParts: {},
  hasThreads: () => false,
  signingSecret: () => undefined,
};
