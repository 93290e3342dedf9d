/**
 * Port: channels. `Channel` sends a message to one receiver; `ChannelTraits` are the properties of a channel that core
 * depends on. The full definition of a channel, with its settings, renderer and sender, is in adapters/channels.
 */

import type { DeliveryMark } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { ReceiverResponse } from '../model/receiver-response.ts';
import type { Value } from '../model/record.ts';
import type { Limits, PersonRole, Subscription, Target } from '../model/subscription.ts';
import type { Instant } from '../model/time.ts';

/** A person whom a chat may have an id for. */
export interface ChatPerson {
  readonly name: string;
  /** Null if it is unknown. */
  readonly address: string | null;
  /** Whether another person of the account has the same name, which finds neither of them then. @default false */
  readonly hasNamesake?: boolean;
}

/** A person of the account. */
export interface KnownPerson extends ChatPerson {
  /** `main/5` */
  readonly person: string;
}

/** The person that a message is for. */
export interface Recipient {
  /** Null if the message concerns no one and goes to the fallback. */
  readonly name: string | null;
  /** Null if the account has no address, or the person is not active. */
  readonly address: string | null;
  /** Whether another person of the account has the same name. @default false */
  readonly hasNamesake?: boolean;
  /** What the records of the message have in common for this person. */
  readonly role: PersonRole;
}

/** @param readers `the assignees of a record` */
export function describeMissingAddress(recipient: Recipient | undefined, readers: string): string {
  const name = recipient?.name ?? null;
  if (name === null) return `expected a fallback: this subscription sends to ${readers}, and this message has none`;
  return `${name} has no mail address in the account or is not active; set fallback, or add the address and replay`;
}

/** A subscription that sends each person a message of their own. */
export interface PersonalTarget {
  readonly role: PersonRole;
  /** Who gets what no person can get. @default - no one */
  readonly fallback?: string;
  /** Names of people who are reached without the address in the account. @default - none */
  readonly known?: readonly string[];
}

/** The rendered parts by name. For a part that is missing or failed, the channel uses its default. */
export interface RenderedTemplate {
  /** Texts in the markup of the channel, single lines, and sanitized HTML fragments. */
  readonly texts: Readonly<Record<string, string>>;
  /** JSON values. */
  readonly values: Readonly<Record<string, Value>>;
  /** Why a part is missing, for a log: `template.text: line 1, column 4: expected …`. @default - no problem */
  readonly problem?: string;
  readonly problems: readonly { readonly path: readonly (string | number)[]; readonly message: string }[];
  /** Whether a part took longer than the limit. Those after it were not rendered. */
  readonly isSlow: boolean;
  /** Whether it says nothing about the template: it was slow a moment ago, or others have used up the time. @default false */
  readonly isUnjudged?: boolean;
}

export interface OutboundMessage {
  readonly subscription: Subscription;
  /** At least one. Channels that gather get several, in the order they were recorded. */
  readonly events: readonly [TidingsEvent, ...TidingsEvent[]];
  /** The id of the delivery, the same for all its attempts. */
  readonly delivery: string;
  /** The time of this attempt. It is signed, so that a receiver can reject replayed requests. */
  readonly at: Instant;
  /** The time zone of times in the message. */
  readonly timeZone: string;
  /** @default - an ordinary delivery */
  readonly mark?: DeliveryMark;
  /** The thread of earlier messages about this record, see `Receipt.thread`. @default - this is the first message */
  readonly thread?: string;
  /** Recipients who accepted an earlier attempt, see `ReceiverResponse.reached`. @default - none */
  readonly reached?: readonly string[];
  /** Addresses that unsubscribed. @default - none */
  readonly muted?: readonly string[];
  /** The only reader. @default - all receivers of the subscription */
  readonly recipient?: Recipient;
  /** The parts of its template, if they were rendered before. @default - the channel renders them */
  readonly rendered?: RenderedTemplate;
  /** The id of the only reader, such as `main/5`; `main/` is no one. @default - all receivers of the subscription */
  readonly person?: string;
  /** The people whom the events name by id. @default - the channel mentions no one */
  readonly people?: readonly KnownPerson[];
  /** The request in the trace of its first event, as a header of W3C Trace Context. @default - nothing is traced */
  readonly traceparent?: string;
  /** In an open digest: the ids of the events that are new since the last one. @default - not an open digest */
  readonly fresh?: readonly string[];
  /** In an open digest: that its data are older than they should be. @default - they are current */
  readonly outdated?: OutdatedData;
}

/** Data that could not be read for some time. */
export interface OutdatedData {
  /** The name of the source. */
  readonly source: string;
  /** When they were last read. */
  readonly readAt: Instant;
  /** @default - the reason is unknown */
  readonly reason?: 'unreachable' | 'unauthorized' | 'quota';
}

export interface Receipt extends ReceiverResponse {
  /** A problem that did not prevent the delivery, such as a failed template that was replaced by the default message. */
  readonly remark?: string;
  /** The id of the thread, to which the next message about the same record is added. */
  readonly thread?: string;
  /** Why nothing was sent: every reader has unsubscribed. @default - it was sent */
  readonly skipped?: string;
}

export interface Channel {
  /** Resolves when the receiver accepted the message; throws RetryLater or GiveUp when it did not. */
  send(message: OutboundMessage, signal?: AbortSignal): Promise<Receipt>;
}

/** How values of an event are escaped in a template: not at all, as HTML, or by the markup of the channel. */
export type Escaping = 'plain' | 'html' | MarkupEscaping;

export interface MarkupEscaping {
  /** The name of the Liquid filter that escapes explicitly, and of the markup in error messages: `slack`. */
  readonly name: string;
  escapeText(text: string): string;
}

/**
 * What a part is: a text of several lines, a single line, HTML that is sanitized, or a JSON value whose strings are
 * templates.
 */
type TemplateForm = 'text' | 'line' | 'html' | 'json';

/** One part of a message that a subscription's template may replace. */
export interface TemplatePart {
  readonly form: TemplateForm;
  /** What it replaces, for the config reference: `the message`. */
  readonly summary: string;
  readonly escaping: Escaping;
  /** Separates the texts of several events if the template is about a single event. */
  readonly separator: string;
  /** Rendered text is cut to this many characters. @default - no limit */
  readonly maxLength?: number;
}

/** The parts of a channel by name, which is the key under `template` in the config. */
export type ChannelTemplateParts = Readonly<Record<string, TemplatePart>>;

/** The properties of a channel that core depends on. `Settings` is the type of its targets' settings. */
export interface ChannelTraits<Settings extends object = object> {
  /** The tag of its targets and its key under `to` in the config: `http`. */
  readonly name: string;
  /** The display name: `Slack`. */
  readonly label: string;
  /** People get only events that still hold; machines get every event. */
  readonly audience: 'people' | 'machines';
  /** Whether several events can become one message, which allows `gather`, `digest` and `quiet`. */
  readonly gathers: boolean;
  /** The default concurrency and rate. */
  readonly limits: Limits;
  /** The parts that a template may replace. */
  readonly templateParts: ChannelTemplateParts;
  /** Whether each person gets messages of their own; undefined: all messages have the same receivers. @default - undefined */
  personal?(settings: Settings): PersonalTarget | undefined;
  /** The names and mail addresses of people whose ids in the channel the settings have. @default - none */
  peopleKeys?(settings: Settings): readonly string[];
  /** The addresses that each get a copy of every message. @default - there is one receiver, or a message for each person */
  addresses?(settings: Settings): readonly string[];
  /** Whether messages about the same record form a thread. */
  hasThreads(settings: Settings): boolean;
  /** Keys of the settings, at any depth, whose values are secret references. They are never shown; AWS grants access to them. */
  readonly secretKeys: readonly string[];
  /** The reference to the signing secret, which can be rotated; undefined if messages are not signed. */
  signingSecret(settings: Settings): string | undefined;
}

/** The channels of this build, by name. A `Map` satisfies this interface. */
export interface ChannelRegistry {
  get(name: string): ChannelTraits | undefined;
}

/**
 * The traits of a target's channel. A subscription stored by another build may have an unknown channel: it can be listed,
 * and its deliveries give up when they are sent.
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
  secretKeys: [],
  signingSecret: () => undefined,
};
