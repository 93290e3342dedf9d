/**
 * What a place shows of subscriptions that send each person messages of their own: in a direct message what concerns the person who
 * asks, in the fallback channel what concerns no one. Everything else is for the eyes of others.
 */

import type { SlackPersonalSettings } from '../../adapters/channels/slack/settings.ts';
import type { ExplainedSubscription } from '../../core/delivery/explain-event.ts';
import { createPeopleLookup } from '../../core/events/people-lookup.ts';
import { compileSubscriptions } from '../../core/filters/match.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { type Pace, UNPACED } from '../../core/model/pace.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import { findAccountPeople, type Mentions } from './account-people.ts';
import { isDirectMessage, type Membership } from './authority.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';
import { findOthers, isSentByOwnApp, type NamedPlace } from './subscriptions-of-channel.ts';

type Place = Pick<SlackPlace, 'channel' | 'user'> & Pick<Membership, 'standing'>;

const personalOf = ({ channels }: SlackPorts, { to }: Subscription) => traitsOf(channels, to).personal?.(to.settings);

/** For each subscription that sends each person messages of their own, by its name: the readers whose messages a place shows. */
export type ReadersOfEach = ReadonlyMap<string, ReadonlySet<string>>;

/** Readers such as `main/5`; `main/` is no one. The `mentions` of a subscription say who reads that one, not who reads another. */
export async function findReadersOfEach(
  ports: SlackPorts,
  { channel, user, standing }: Place,
  subscriptions: readonly Subscription[],
): Promise<ReadersOfEach> {
  const personal = subscriptions.filter((one) => personalOf(ports, one) !== undefined);
  if (personal.length === 0) return new Map();
  if (!isDirectMessage(channel)) {
    const noOne = new Set(ports.config.sources.map(({ name }) => `${name}/`));
    return new Map(personal.map(({ name }) => [name, noOne]));
  }
  // The members of another workspace are not those who ask here.
  const own = personal.filter((one) => isSentByOwnApp(ports, one));
  const readers = new Map(own.map(({ name }) => [name, new Set<string>()]));
  const mentions = new Map(own.map((one) => [one.name, mentionsOf(one)]));
  // The mail address of a stranger is what another organisation says. The member ids of the config are known to be theirs.
  const isOfWorkspace = standing !== 'stranger' && standing !== 'deactivated';
  const people = findAccountPeople(ports, user, { mentions, isOfWorkspace });
  for await (const { source, id, onlyIn = readers.keys() } of people) {
    for (const name of onlyIn) readers.get(name)?.add(`${source}/${id}`);
  }
  return readers;
}

const mentionsOf = ({ to }: Subscription): Mentions => (to.settings as SlackPersonalSettings).mentions ?? {};

/**
 * Subscriptions of others that post to the place, as far as the person may know of them: in a direct message, guests and people of
 * other organisations know only those that name them in `mentions`.
 */
export async function findVisibleOthers(
  ports: SlackPorts,
  place: NamedPlace & Pick<Membership, 'standing'>,
): Promise<readonly Subscription[]> {
  const others = await findOthers(ports, place);
  if (!isDirectMessage(place.channel) || place.standing === 'admin' || place.standing === 'member') return others;
  return others.filter(
    (one) => personalOf(ports, one) === undefined || Object.values(mentionsOf(one)).includes(place.user),
  );
}

/**
 * Whether the place gets an event by one of these subscriptions.
 * @param readers @default - they are looked up
 */
export async function createPlaceFilter(
  ports: SlackPorts,
  place: Place,
  subscriptions: readonly Subscription[],
  readers?: ReadersOfEach,
): Promise<(event: TidingsEvent, pace?: Pace) => Promise<boolean>> {
  const ofEach = readers ?? (await findReadersOfEach(ports, place, subscriptions));
  const concerns = createConcern(ports, ofEach);
  const { match } = compileSubscriptions(subscriptions);
  return async (event, pace = UNPACED) => {
    for (const one of await match(event, pace)) if (await concerns(one, event)) return true;
    return false;
  };
}

/** Whether what a subscription did with an event, or why it did nothing, is for the place: a delivery to somebody else is not. */
export function createOutcomeFilter(
  ports: SlackPorts,
  subscriptions: readonly Subscription[],
  readers: ReadersOfEach,
): (event: TidingsEvent, outcome: Outcome) => Promise<boolean> {
  const concerns = createConcern(ports, readers);
  const byName = new Map(subscriptions.map((one) => [one.name, one]));
  return async (event, { subscription: name, delivery }) => {
    const subscription = byName.get(name);
    if (subscription === undefined) return false;
    if (delivery === null || personalOf(ports, subscription) === undefined) return concerns(subscription, event);
    return delivery.person !== undefined && readers.get(name)?.has(delivery.person) === true;
  };
}

type Outcome = Pick<ExplainedSubscription, 'subscription' | 'delivery'>;

/** Whether an event concerns one of the readers of this subscription. */
function createConcern(ports: SlackPorts, readers: ReadersOfEach) {
  const peopleOf = createPeopleLookup(ports);
  return async (subscription: Subscription, event: TidingsEvent) => {
    const personal = personalOf(ports, subscription);
    if (personal === undefined) return true;
    const own = readers.get(subscription.name);
    return own !== undefined && (await peopleOf(personal, event)).some((person) => own.has(person));
  };
}
