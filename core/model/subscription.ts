/** Who wants which events, where, when and in which words. */

import type { Duration, Instant } from './time.ts';

export interface HttpTarget {
  readonly url: string;
  /**
   * Where the signing secret is found, never the secret itself unless the config spells it out. See `Secrets`.
   * `whsec_…` signs with HMAC (`v1`), `whsk_…` with Ed25519 (`v1a`): then the receiver holds no secret at all.
   */
  readonly secret: string;
  /** Sent with every request. Values may be secret references. @default - none */
  readonly headers?: Readonly<Record<string, string>>;
  /** For endpoints behind a login. Secret references. @default - none */
  readonly auth?:
    | { readonly basic: { readonly user: string; readonly password: string } }
    | { readonly bearer: string };
  /**
   * What the body holds: the whole event as `cloudevents`; only ids and a link as `thin`, for those who fetch the record
   * themselves; `type`, `timestamp` and `data` as `standard`. @default cloudevents
   */
  readonly format?: HttpFormat;
}

export const HTTP_FORMATS = ['cloudevents', 'thin', 'standard'] as const;
export type HttpFormat = (typeof HTTP_FORMATS)[number];

/** An incoming webhook posts into the one channel it was made for. */
export interface SlackWebhookTarget {
  /** A secret reference. */
  readonly webhook: string;
}

/** A bot can do more: one thread for each record, and mentions. */
export interface SlackBotTarget {
  /** The bot's token, a secret reference. */
  readonly token: string;
  /** Id or name of the channel: `C0123456789`, `#finance`. */
  readonly channel: string;
  /** Slack's API, for workspaces that live elsewhere. @default https://slack.com/api/ */
  readonly api?: string;
  /** People's mail addresses (or names, as records have them) to Slack member ids: who is assigned is mentioned. @default - nobody */
  readonly mentions?: Readonly<Record<string, string>>;
}

export type SlackTarget = SlackWebhookTarget | SlackBotTarget;

export interface EmailTarget {
  readonly to: readonly string[];
}

/** An EventBridge bus, in AWS only. */
export interface BusTarget {
  /** Its name, or its ARN where it is of another account or region. */
  readonly name: string;
}

/** One key per channel; exactly one is set. */
export type Target =
  | { readonly http: HttpTarget }
  | { readonly slack: SlackTarget }
  | { readonly email: EmailTarget }
  | { readonly bus: BusTarget };

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

/** The references to sign with at that moment, the one in force first. */
export function signingSecrets({ rotation }: Subscription, target: HttpTarget, at: Instant): readonly string[] {
  if (rotation === undefined || rotation.replaces !== target.secret) return [target.secret];
  return at < rotation.until ? [rotation.secret, rotation.previous] : [rotation.secret];
}

/** Chat and mail are read by people: there many events become one message. */
export function isForPeople({ to }: Pick<Subscription, 'to'>): boolean {
  return 'slack' in to || 'email' in to;
}
