/**
 * What a place shows of subscriptions that send each person messages of their own: in a direct message what concerns the person who
 * asks, in the fallback channel what concerns no one. Everything else is for the eyes of others.
 */

import type { SlackPersonalSettings } from '../../adapters/channels/slack/settings.ts';
import { createPeopleLookup } from '../../core/events/people-lookup.ts';
import { compileMatcher } from '../../core/filters/match.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import { findAccountPeople } from './account-people.ts';
import { isDirectMessage, type Membership } from './authority.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';

type Place = Pick<SlackPlace, 'channel' | 'user'> & Pick<Membership, 'standing'>;

const personalOf = ({ channels }: SlackPorts, { to }: Subscription) => traitsOf(channels, to).personal?.(to.settings);

/** The readers whose messages the place shows, such as `main/5`; `main/` is no one. */
export async function findReaders(
  ports: SlackPorts,
  { channel, user, standing }: Place,
  subscriptions: readonly Subscription[],
): Promise<ReadonlySet<string>> {
  const personal = subscriptions.filter((one) => personalOf(ports, one) !== undefined);
  if (personal.length === 0) return new Set();
  if (!isDirectMessage(channel)) return new Set(ports.config.sources.map(({ name }) => `${name}/`));
  const mentions = personal.map(({ to }) => (to.settings as SlackPersonalSettings).mentions ?? {});
  const readers = new Set<string>();
  // The mail address of a stranger is what another organisation says. The member ids of the config are known to be theirs.
  const isOfWorkspace = standing !== 'stranger' && standing !== 'deactivated';
  const people = findAccountPeople(ports, user, { mentions, isOfWorkspace });
  for await (const { source, id } of people) readers.add(`${source}/${id}`);
  return readers;
}

/** Whether the place gets an event by one of these subscriptions. */
export async function createPlaceFilter(
  ports: SlackPorts,
  place: Place,
  subscriptions: readonly Subscription[],
): Promise<(event: TidingsEvent) => Promise<boolean>> {
  const readers = await findReaders(ports, place, subscriptions);
  const match = compileMatcher(subscriptions);
  const peopleOf = createPeopleLookup(ports);
  return async (event) => {
    for (const one of match(event)) {
      const personal = personalOf(ports, one);
      if (personal === undefined) return true;
      if ((await peopleOf(personal, event)).some((person) => readers.has(person))) return true;
    }
    return false;
  };
}
