/** Who wants which events, where, when and in which words. */

import type { Duration, Instant } from './time.ts';

/**
 * Where a subscription sends: a channel by its name, and the settings that channel defines. Core reads the name alone and
 * looks the rest up in a `ChannelRegistry`; the channel itself reads the settings.
 */
export interface Target {
  readonly channel: string;
  readonly settings: object;
}

/** Weekdays as people write them, Monday first. */
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

/** When nobody wants to be disturbed: what comes up then is told together, afterwards. */
export interface QuietHours {
  /** From this time of day, past midnight if need be … @default - the day is never quiet */
  readonly from?: TimeOfDay;
  /** … until this one. */
  readonly until?: TimeOfDay;
  /** Days that are quiet as a whole. @default - none */
  readonly days?: readonly Weekday[];
}

/** At most so many in such a span. */
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

/** Liquid templates in place of our own words. */
export interface Template {
  /** Slack: the message, in Slack's own markup. Mail: the plain text. @default - our own */
  readonly text?: string;
  /** Mail: the subject. @default - our own */
  readonly subject?: string;
  /** Mail: the HTML body. @default - our own, or none when `text` is given */
  readonly html?: string;
  /** HTTP: the shape of the body; every text in it is a template. @default - as `format` says */
  readonly body?: TemplateShape;
}

export type TemplateShape =
  | string
  | number
  | boolean
  | null
  | readonly TemplateShape[]
  | { readonly [key: string]: TemplateShape };

/** A change of the signing secret: both sign until the old one's time is over. */
export interface Rotation {
  /** In force: a reference. */
  readonly secret: string;
  /** The target's own `secret` at the time: once the config says another, that one counts. */
  readonly replaces: string;
  readonly previous: string;
  /** Until when the previous one signs too. */
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
  /** How long chat and mail gather before they tell: a bulk edit is one message. Zero: each at once. @default 30 s; http and bus never gather */
  readonly gather?: Duration;
  /** @default - each at once */
  readonly digest?: Digest;
  /** @default - none */
  readonly quiet?: QuietHours;
  /** The zone of its digest, its quiet hours and the times it tells. @default - the zone of the event's source */
  readonly timeZone?: string;
  /** How fast, at the most. @default - slack: 1 a second, else as fast as the receiver answers */
  readonly rate?: Rate;
  /** Attempts at the same time, at the most. @default 8; slack and email 1 */
  readonly concurrency?: number;
  /** @default - our own words */
  readonly template?: Template;
  /** @default - the secret was never changed */
  readonly rotation?: Rotation;
  /** True when the config file declares it: the file then owns it, and removing it there removes it here. */
  readonly declared: boolean;
}

/** How long the old secret of a subscription signs beside the new one. */
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
