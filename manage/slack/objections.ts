/** Why a subscription that a person wants to make needs an admin: the person, the channel, the events, or their number. */

import type { Subscription } from '../../core/model/subscription.ts';
import { isOffered, type Membership } from './authority.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';
import { isOfChannel } from './subscriptions-of-channel.ts';

/** More than a channel reads. Each takes part in the matching of every event. */
const MAX_OWN_SUBSCRIPTIONS = 100;

/** A subscription that a person wants to make. */
interface Wanted {
  /** The draft: a process that ended may have made it already. */
  readonly id: string;
  readonly events: readonly string[];
  readonly place: Pick<SlackPlace, 'channel' | 'user'>;
  /** The one that it changes. @default - a new one */
  readonly replaces?: string | undefined;
}

/** Why the request needs an admin; undefined if it does not. */
export async function findObjection(
  ports: Pick<SlackPorts, 'config' | 'subscriptions'>,
  { id, events, place, replaces }: Wanted,
  membership: Membership,
): Promise<string | undefined> {
  if (membership.standing === 'admin') return undefined;
  const objection = findObjectionTo(ports, events, membership);
  if (objection !== undefined || replaces !== undefined) return objection;
  const all = (await ports.subscriptions.list()).filter(({ madeBy }) => madeBy?.request !== id);
  const isMany = (isOwn: (one: Subscription) => boolean) => all.filter(isOwn).length >= MAX_OWN_SUBSCRIPTIONS;
  if (isMany((one) => isOfChannel(one, place.channel)))
    return `this channel has ${MAX_OWN_SUBSCRIPTIONS} subscriptions already`;
  if (isMany(({ declared, madeBy }) => !declared && madeBy?.id === place.user))
    return `one person may make ${MAX_OWN_SUBSCRIPTIONS} subscriptions`;
  return undefined;
}

function findObjectionTo(
  ports: Pick<SlackPorts, 'config'>,
  events: readonly string[],
  { standing, isShared, isHidden, isGuest }: Membership,
): string | undefined {
  if (isGuest) {
    return standing === 'guest'
      ? 'guests may not subscribe channels'
      : 'only members of this workspace may subscribe channels';
  }
  if (isHidden) return 'Slack does not tell Tidings whether people of another organisation are in this conversation';
  if (isShared) return 'people of another organisation are in this channel';
  if (!isOffered(ports, events)) {
    const { offer } = ports.config.slack;
    return offer.length === 0 ? 'no event types are offered' : `only ${offer.join(', ')} may be subscribed to freely`;
  }
  return undefined;
}
