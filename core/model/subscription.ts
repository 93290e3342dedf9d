/** A subscription: which events go where, when, and with which template. */

import { DAY, type Duration, HOUR, type Instant } from './time.ts';

/**
 * The receiver of a subscription: the name of a channel and its settings. Core reads only the name, and gets the traits of
 * the channel from a `ChannelRegistry`; the channel reads the settings.
 */
export interface Target {
  readonly channel: string;
  readonly settings: object;
}

/** Who gets messages of their own, by the role that a record gives them. */
export const PERSON_ROLES = ['assignees', 'owners', 'followers', 'projectmanager'] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/** Weekdays as the config writes them, Monday first. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const DAY_NAMES: Readonly<Record<Weekday, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};

/** `08:30`: a time of day on the clock of a zone. */
export type TimeOfDay = string;

/** One message at a fixed time. */
export interface Digest {
  readonly at: TimeOfDay;
  /** @default - every day */
  readonly days?: readonly Weekday[];
  /**
   * `open`: lists everything that is true at that time, until it is done; `new`: lists the events since the last digest.
   * @default - `open` for overdue tasks, tasks due soon and overdue invoices, `new` for all other types
   */
  readonly list?: 'open' | 'new';
  /** The headings of its list. @default project */
  readonly groupBy?: 'project' | 'person';
}

/** A subscription is disabled after this time without a success, and this long after the warning. */
export const DISABLE_AFTER: Duration = 5 * DAY;
export const MIN_WARNING: Duration = 12 * HOUR;

/** Hours and days without messages. Their events are sent together afterwards. */
export interface QuietHours {
  /** Start. If it is later than `until`, the quiet hours end on the next day. @default - no quiet hours */
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

/**
 * Liquid templates that replace parts of the default message, by name of the part. Each channel declares its parts, see
 * `ChannelTemplateParts`: a text, or a JSON value whose strings are templates.
 */
export type Template = Readonly<Record<string, TemplateShape | undefined>>;

export type TemplateShape =
  | string
  | number
  | boolean
  | null
  | readonly TemplateShape[]
  | { readonly [key: string]: TemplateShape };

/** A former signing secret: a reference, and when signing with it ends. */
interface FormerSecret {
  readonly secret: string;
  readonly until: Instant;
}

/** A rotation of the signing secret: until it ends, requests carry both signatures. */
interface Rotation {
  /** The current secret: a reference. */
  readonly secret: string;
  /** The secret in the settings at the time of the rotation: if the config has another, the rotation does not apply. */
  readonly replaces: string;
  readonly previous: string;
  /** When signing with the previous secret ends. */
  readonly until: Instant;
  /** The secrets of rotations before, each until its own end. @default - none */
  readonly earlier?: readonly FormerSecret[];
}

interface FormerName {
  readonly name: string;
  /** Until then it counts as a former name. */
  readonly until: Instant;
}

export interface Subscription {
  readonly name: string;
  /** Event types, `*` standing for any run of characters: `task.*`. */
  readonly events: readonly string[];
  /**
   * A filter on the content of these events: an EventBridge pattern, matched against the whole envelope, such as
   * `{ data: { record: { total: [{ numeric: ['>=', 500] }] } } }`.
   * @default - all events of these types
   */
  readonly where?: Readonly<Record<string, unknown>>;
  readonly to: Target;
  /** How long events are gathered into one message; 0 disables gathering. @default 30 s, on channels that gather */
  readonly gather?: Duration;
  /** @default - events are sent at once, or gathered */
  readonly digest?: Digest;
  /** @default - none */
  readonly quiet?: QuietHours;
  /**
   * When the day of the readers starts: what a new day brings waits until then; `off`: it is sent at midnight. For channels
   * that people read. @default 08:00
   */
  readonly dayStartsAt?: TimeOfDay | 'off';
  /** The zone of digest, quiet hours, the start of the day and times in messages. @default - the zone of the event's source */
  readonly timeZone?: string;
  /** The maximum rate. @default - that of the channel */
  readonly rate?: Rate;
  /** Maximum attempts at the same time. @default - that of the channel */
  readonly concurrency?: number;
  /** @default - the default messages */
  readonly template?: Template;
  /** @default - the secret was never rotated */
  readonly rotation?: Rotation;
  /** The name it had before: what waits under that name is sent under this one. @default - it was not renamed */
  readonly renamedFrom?: string;
  /**
   * Names it had before, the latest first, remembered where it is stored: a config that is rolled back continues one of them.
   * @default - none
   */
  readonly formerNames?: readonly FormerName[];
  /** True when the config file declares it: removing it from the file removes it here. */
  readonly declared: boolean;
  /**
   * The id of the API key that made it, or `slack:` and the id of the Slack channel that subscribed itself.
   * @default - the operator: a file, a command or the console
   */
  readonly owner?: string;
  /**
   * Whether of events about subscriptions it gets only those about subscriptions of its owner: a key that sees no others made it.
   * @default false
   */
  readonly ofOwnerOnly?: true;
  /** The request with an `Idempotency-Key` that made it: repeated, it returns this subscription. @default - none */
  readonly request?: string;
  /** When it was added. @default - it is declared, or an older version added it by command */
  readonly createdAt?: Instant;
  /** The person in Slack who made it. @default - it was not made in Slack */
  readonly madeBy?: SubscriptionMaker;
  /** From then on it gets no new events, and the API does not show it. @default - never */
  readonly expiresAt?: Instant;
  /** Whether 410 Gone removes it, as REST hooks ask for. @default false: 410 disables it */
  readonly removeWhenGone?: true;
}

/** Who made a subscription in Slack, and from which query. */
interface SubscriptionMaker {
  /** The id of the Slack member. */
  readonly id: string;
  /** The user name of the member. */
  readonly name: string;
  /** The channel as people know it: `#finance`, or `@ann` for direct messages. @default - an older version made it */
  readonly channelName?: string;
  /** The query as it was typed or changed last, see query.ts. @default - a change elsewhere that no query can express */
  readonly query?: string;
  /** Identifies the confirmation, so that it makes one subscription however often it is processed. */
  readonly request: string;
  /** The id of the admin who allowed it. @default - it was within what the config offers */
  readonly allowedBy?: string;
  /**
   * The conditions that *Fewer like this* added, which *Undo* may remove. Any other change of the filter ends them: a condition that
   * was set on purpose stays, also if a button added the same one before.
   * @default - none
   */
  readonly exclusions?: readonly PressedExclusion[];
}

/** A condition that a press of *Fewer like this* added. */
export interface PressedExclusion {
  /** As the query prints it: `-project:Website`. */
  readonly condition: string;
  /** The id of the Slack member who pressed. */
  readonly by: string;
  /** Identifies the press. */
  readonly press: string;
}

/** The owner of the subscriptions that a Slack channel made itself. */
export const slackOwner = (channel: string) => `slack:${channel}`;

/** The incarnation of all declared subscriptions. */
const DECLARED = 'declared';

/**
 * Tells a subscription from those that had its name before, whose deliveries it does not send. A config that declares one again, or
 * renames it, continues it. Instants are only compared for equality: clocks differ. Undefined if an older version added it.
 */
export function incarnationOf({
  declared,
  createdAt,
}: Pick<Subscription, 'declared' | 'createdAt'>): string | undefined {
  return declared ? DECLARED : createdAt;
}

/** Whether a delivery was opened for this subscription, not for an earlier one of its name. */
export function isIncarnation(
  subscription: Pick<Subscription, 'declared' | 'createdAt'>,
  incarnation: string | undefined,
): boolean {
  // One that was added before it was declared has deliveries of both kinds.
  const own = [incarnationOf(subscription), subscription.createdAt];
  return incarnation === undefined || own.includes(incarnation);
}

/** When an expired one was added that its owner adds again, and goes on with what it left unsent; undefined: it is a new one. */
export function continuedFrom(
  expired: Pick<Subscription, 'owner' | 'createdAt'> | undefined,
  { owner }: Pick<Subscription, 'owner'>,
): Instant | undefined {
  return owner === undefined || expired?.owner !== owner ? undefined : expired.createdAt;
}

/** Whether it gets no new events any more. What was opened before is still delivered. */
export function isExpired({ expiresAt }: Pick<Subscription, 'expiresAt'>, now: Instant): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** How long after its end an expired subscription is kept, so that its last deliveries can be retried. */
export const KEPT_AFTER_EXPIRY: Duration = 7 * 24 * 60 * 60 * 1000;

/** How long requests carry the signatures of both the previous and the new secret. */
export const ROTATION_OVERLAP: Duration = 24 * 60 * 60 * 1000;

/**
 * The references to the secrets that are used at this instant, the current one first.
 *
 * @param secret the reference in the settings of the subscription's channel
 */
export function signingSecrets(
  { rotation }: Pick<Subscription, 'rotation'>,
  secret: string,
  at: Instant,
): readonly string[] {
  if (rotation === undefined || rotation.replaces !== secret) return [secret];
  return [rotation.secret, ...formerSecrets(rotation, at).map(({ secret: former }) => former)];
}

/** The secrets beside the current one that still sign, the newest first. */
export function formerSecrets({ previous, until, earlier = [] }: Rotation, at: Instant): readonly FormerSecret[] {
  return [{ secret: previous, until }, ...earlier].filter((former) => at < former.until);
}

/** The form of stores, packed configs and the config file: `to: { http: { … } }`. */
export type StoredSubscription = Omit<Subscription, 'to'> & { readonly to: Readonly<Record<string, object>> };

export function toStored(subscription: Subscription): StoredSubscription {
  const { channel, settings } = subscription.to;
  return { ...subscription, to: { [channel]: settings } };
}

/** Accepts unknown channels: such a subscription can be listed, and its deliveries give up. */
export function fromStored(stored: StoredSubscription): Subscription {
  const [[channel, settings] = ['', {}]] = Object.entries(stored.to);
  return { ...stored, to: { channel, settings } };
}
