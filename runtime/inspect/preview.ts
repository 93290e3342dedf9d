/** Forecasts time-triggered events, by day of the account, and which subscriptions would get them. Changes and sends nothing. */

import { channelRegistry } from '../../adapters/channels/registry.ts';
import { eventTypeOf } from '../../core/events/catalogue.ts';
import { customEventType, knownTypes } from '../../core/events/custom-events.ts';
import { deliverAt } from '../../core/events/deliver-at.ts';
import { deriveEvents } from '../../core/events/derive.ts';
import { resourceOfType } from '../../core/events/schema-name.ts';
import { compileSubscriptions } from '../../core/filters/match.ts';
import { type Day, dayIn } from '../../core/model/calendar.ts';
import { SOURCE_RESOURCE, type TidingsEvent } from '../../core/model/event.ts';
import { type Pace, UNPACED } from '../../core/model/pace.ts';
import type { Transition } from '../../core/model/snapshot.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { SubscriptionStore } from '../../core/ports/subscription-store.ts';
import { forecast, type Period } from '../../core/snapshot/forecast.ts';
import { stageRulesHash } from '../../core/source/account/stage-rules.ts';
import { storedZone } from '../../core/source/account/time-zone.ts';
import type { Config } from '../config/config.ts';
import { createZoneLookup } from '../zones.ts';
import { effectiveSubscriptions } from './effective-subscriptions.ts';

export interface PreviewPorts {
  readonly snapshots: SnapshotStore;
  readonly subscriptions: SubscriptionStore;
}

export interface ForecastEvent {
  /** When it will fire. */
  readonly at: Instant;
  /** The calendar day of `at` in the zone of its account. */
  readonly day: Day;
  readonly zone: string;
  readonly event: TidingsEvent;
  /** Names of the subscriptions that would receive it. */
  readonly to: readonly string[];
  /** When it will be sent, by name, for subscriptions that wait for the start of the day, a digest or the end of quiet hours. */
  readonly sentAt: Readonly<Record<string, Instant>>;
}

/** When a subscription sends it. */
export const sendTimeOf = ({ at, sentAt }: Pick<ForecastEvent, 'at' | 'sentAt'>, subscription: string): Instant =>
  // A subscription may be called `constructor`.
  Object.hasOwn(sentAt, subscription) ? (sentAt[subscription] ?? at) : at;

export interface Preview {
  readonly period: Period;
  /** By source. */
  readonly zones: Readonly<Record<string, string>>;
  /** In the order in which they fire. */
  readonly events: readonly ForecastEvent[];
  /** What time will do to records, in order. */
  readonly transitions: readonly Transition[];
  /** The subscriptions that it is a preview for. */
  readonly subscriptions: readonly Subscription[];
  /** Sources with a zone or rules that changed since their last poll: the next poll recomputes all stages without events. */
  readonly unsettled: readonly string[];
}

export interface PreviewOptions {
  /** For these subscriptions, which need not be stored. @default - all in effect */
  readonly only?: readonly Subscription[];
  /** Whether events of a type are part of it. Records to which time causes no such event are not read. @default - all are */
  readonly shows?: ((type: string) => boolean) | undefined;
  /** @default - in one go */
  readonly pace?: Pace;
}

/**
 * Events that are already past due fire at once: now, or at the start of a period in the past. A period that starts in
 * the future leaves them out, because they will have fired by then.
 * @param only for these subscriptions, which need not be stored. @default - all in effect
 */
export async function preview(
  { snapshots, subscriptions: stored }: PreviewPorts,
  config: Config,
  period: Period,
  now: Instant,
  { only, shows, pace = UNPACED }: PreviewOptions = {},
): Promise<Preview> {
  const zoneOf = cacheZones(createZoneLookup(config.sources, snapshots));
  const subscriptions = only ?? (await effectiveSubscriptions(config, stored));
  const { match } = compileSubscriptions(subscriptions);
  const start = now < period.from ? now : period.from;
  const isPolled = (source: string, resource: string) =>
    config.sources.some(
      ({ name, resources }) => name === source && resources.some((one) => one.resource.name === resource),
    );
  const resources = shows && findTimedResources(config, shows);
  const ports = { snapshots, rules: config.rules, zoneOf, isPolled, resources, pace };
  const transitions = await forecast(ports, { from: start, until: period.until });
  const customEvents = config.customEvents.map(customEventType);
  const events: ForecastEvent[] = [];
  for (const transition of transitions) {
    const { key, committedAt: at } = transition.after;
    if (at < period.from) continue;
    await pace();
    const zone = await zoneOf(key.source);
    for (const event of deriveEvents(transition, customEvents, shows)) {
      const to = await match(event, pace);
      events.push({
        at,
        day: dayIn(zone, at),
        zone,
        event,
        to: to.map(({ name }) => name),
        sentAt: sentAt(to, event, zone),
      });
    }
  }
  const zones = await Promise.all(config.sources.map(async ({ name }) => [name, await zoneOf(name)] as const));
  return {
    period,
    zones: Object.fromEntries(zones),
    events: events.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    transitions,
    subscriptions,
    unsettled: await findUnsettled(snapshots, config, zones),
  };
}

/** The resources of the event types that time causes, as far as they are shown. The event types of the config may all be. */
function findTimedResources(config: Config, shows: (type: string) => boolean): ReadonlySet<string> {
  const timed = knownTypes(config).filter(({ type, byTime }) => byTime === true || eventTypeOf(type) === undefined);
  return new Set(timed.flatMap(({ type }) => (shows(type) ? [resourceOfType(type)] : [])));
}

/** Gathering for seconds is not worth a mention. */
function sentAt(to: readonly Subscription[], event: TidingsEvent, zone: string): ForecastEvent['sentAt'] {
  return Object.fromEntries(
    to.flatMap((subscription) => {
      const traits = traitsOf(channelRegistry, subscription.to);
      const { dueAt } = deliverAt(subscription, traits, event, { now: event.time, zone, window: 0 });
      return dueAt === undefined || dueAt === event.time ? [] : [[subscription.name, dueAt] as const];
    }),
  );
}

async function findUnsettled(
  snapshots: SnapshotStore,
  { rules }: Config,
  zones: readonly (readonly [string, string])[],
): Promise<readonly string[]> {
  const restaged: string[] = [];
  for (const [source, zone] of zones) {
    const health = await snapshots.get({ source, resource: SOURCE_RESOURCE, id: source });
    const rulesHash = health?.record.reckoning;
    const stagedZone = storedZone(health?.record).timeZone === null ? null : zone;
    if (typeof rulesHash === 'string' && rulesHash !== stageRulesHash(stagedZone, rules)) restaged.push(source);
  }
  return restaged;
}

/** The zone is needed once per record: thousands of lookups for a few sources. */
function cacheZones(zoneOf: (source: string) => Promise<string>): (source: string) => Promise<string> {
  const zones = new Map<string, Promise<string>>();
  return (source) => {
    const zone = zones.get(source) ?? zoneOf(source);
    zones.set(source, zone);
    return zone;
  };
}
