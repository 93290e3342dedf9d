/** A subscription: which events go where, when, and with which template. */

import type { Duration, Instant } from './time.ts';

/**
 * Where a subscription sends: a channel by its name, and the settings that channel defines. Core reads the name alone and
 * looks the rest up in a `ChannelRegistry`; the channel itself reads the settings.
 */
export interface Target {
  readonly channel: string;
  readonly settings: object;
}

/** Weekdays as the config writes them, Monday first. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** `08:30`: a time of day on the clock of a zone. */
export type TimeOfDay = string;

/** One message at a set time instead of one for each event. */
export interface Digest {
  readonly at: TimeOfDay;
  /** @default - every day */
  readonly days?: readonly Weekday[];
}

/** Times without messages: events of that time are sent together afterwards. */
export interface QuietHours {
  /** Start, which may be before midnight of an `until` in the morning. @default - no quiet hours */
  readonly from?: TimeOfDay;
  /** End. */
  readonly until?: TimeOfDay;
  /** Days without messages. @default - none */
  readonly days?: readonly Weekday[];
}

/** At most `count` messages in the time `per`. */
export interface Rate {
  readonly count: number;
  readonly per: Duration;
}

/** How many attempts at a subscription may run, and how fast they may start. */
export interface Limits {
  /** Attempts at the same time. */
  readonly concurrency: number;
  /** @default - unlimited */
  readonly rate?: Rate;
}

/** Liquid templates that replace parts of our own messages. */
export interface Template {
  /** Slack: the message, in Slack's own markup. Mail: the plain text. @default - our own */
  readonly text?: string;
  /** Mail: the subject. @default - our own */
  readonly subject?: string;
  /** Mail: the HTML body. @default - our own, or none when `text` is given */
  readonly html?: string;
  /** HTTP: a JSON body whose texts are templates. @default - as in `format` */
  readonly body?: TemplateShape;
}

export type TemplateShape =
  | string
  | number
  | boolean
  | null
  | readonly TemplateShape[]
  | { readonly [key: string]: TemplateShape };

/** A rotation of the signing secret: until it ends, requests carry both signatures. */
export interface Rotation {
  /** The current secret: a reference. */
  readonly secret: string;
  /** The secret in the settings at that time: once the config has another, the rotation no longer applies. */
  readonly replaces: string;
  readonly previous: string;
  /** When the previous one stops signing. */
  readonly until: Instant;
}

export interface Subscription {
  readonly name: string;
  /** Event types, `*` standing for any run of characters: `task.*`. */
  readonly events: readonly string[];
  /**
   * Which of these events, by content: a pattern as in EventBridge, matched against the whole envelope, such as
   * `{ data: { record: { total: [{ numeric: ['>=', 500] }] } } }`. When a type alone brings too much.
   * @default - all of them
   */
  readonly where?: Readonly<Record<string, unknown>>;
  readonly to: Target;
  /** How long events are collected into one message, so that a bulk edit is one. Zero: not at all. @default 30 s, on channels that gather */
  readonly gather?: Duration;
  /** @default - each at once */
  readonly digest?: Digest;
  /** @default - none */
  readonly quiet?: QuietHours;
  /** The zone of digest, quiet hours and times in messages. @default - the zone of the event's source */
  readonly timeZone?: string;
  /** The maximum rate. @default - that of the channel */
  readonly rate?: Rate;
  /** Maximum attempts at the same time. @default - that of the channel */
  readonly concurrency?: number;
  /** @default - our own messages */
  readonly template?: Template;
  /** @default - the secret was never rotated */
  readonly rotation?: Rotation;
  /** True when the config file declares it: removing it from the file removes it here. */
  readonly declared: boolean;
}

/** How long the previous secret signs beside the new one. */
export const ROTATION_OVERLAP: Duration = 24 * 60 * 60 * 1000;

/**
 * The references to sign with at that moment, the current one first.
 *
 * @param secret the one in the settings of the subscription's channel
 */
export function signingSecrets(
  { rotation }: Pick<Subscription, 'rotation'>,
  secret: string,
  at: Instant,
): readonly string[] {
  if (rotation === undefined || rotation.replaces !== secret) return [secret];
  return at < rotation.until ? [rotation.secret, rotation.previous] : [rotation.secret];
}

/** The form that stores and packed configs hold, which is also that of the config file: `to: { http: { … } }`. */
export type StoredSubscription = Omit<Subscription, 'to'> & { readonly to: Readonly<Record<string, object>> };

export function toStored(subscription: Subscription): StoredSubscription {
  const { channel, settings } = subscription.to;
  return { ...subscription, to: { [channel]: settings } };
}

/** Accepts channels that this build does not know: they can be listed, and a delivery to them gives up. */
export function fromStored(stored: StoredSubscription): Subscription {
  const [[channel, settings] = ['', {}]] = Object.entries(stored.to);
  return { ...stored, to: { channel, settings } };
}
