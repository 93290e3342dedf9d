/** Why a subscription that a person wants to make needs an admin: the person, the channel, the events, or their number. */

import { isOffered, type Membership } from './authority.ts';
import { isInChannel } from './channel-members.ts';
import { listNumberObjections, type WantedPlace } from './reserve-place.ts';
import type { SlackPorts } from './slack-ports.ts';

/** A subscription that a person wants to make. */
interface Wanted extends WantedPlace {
  readonly events: readonly string[];
  /** The one that it changes. @default - a new one */
  readonly replaces?: string | undefined;
}

/** Between the objections of one text. */
const SEPARATOR = '; ';

export const joinObjections = (objections: readonly string[]) => objections.join(SEPARATOR);

/**
 * Why the request needs an admin; undefined if it does not. All objections: who reads only the first would consent to what they
 * do not know.
 */
export async function findObjection(
  ports: Pick<SlackPorts, 'config' | 'subscriptions' | 'slack'>,
  wanted: Wanted,
  membership: Membership,
): Promise<string | undefined> {
  if (membership.standing === 'admin') return undefined;
  const objections = [
    ...listObjections(ports, wanted.events, membership),
    ...((await hasLeft(ports, wanted.place, membership)) ? ['the person who asks is not in this private channel'] : []),
    ...(wanted.replaces === undefined ? await listNumberObjections(ports, wanted) : []),
  ];
  return objections.length === 0 ? undefined : joinObjections(objections);
}

/** Whether the person has left the private channel since they typed the command. To a public one they may come back. */
async function hasLeft(
  ports: Pick<SlackPorts, 'slack'>,
  place: Wanted['place'],
  { isPrivate, isHidden, isOutside }: Membership,
): Promise<boolean> {
  return isPrivate && !isHidden && !isOutside && !(await isInChannel(ports, place));
}

/** Whether an admin who allowed something in spite of `allowed` has consented to this objection too. */
export function isCovered(objection: string, allowed: string): boolean {
  const read = allowed.split(SEPARATOR);
  return objection.split(SEPARATOR).every((one) => read.includes(one));
}

function listObjections(
  ports: Pick<SlackPorts, 'config'>,
  events: readonly string[],
  { standing, isShared, isHidden, isGuest }: Membership,
): readonly string[] {
  const { offer } = ports.config.slack;
  const person =
    standing === 'guest'
      ? 'guests may not subscribe channels'
      : 'only members of this workspace may subscribe channels';
  const offered =
    offer.length === 0 ? 'no event types are offered, so' : `only ${offer.join(', ')} may be subscribed to freely,`;
  const others = events.filter((one) => !isOffered(ports, [one]));
  return [
    ...(isGuest ? [person] : []),
    ...(isHidden ? [HIDDEN] : isShared ? ['people of another organisation are in this channel'] : []),
    ...(others.length === 0 ? [] : [`${offered} not ${others.join(', ')}`]),
  ];
}

const HIDDEN = 'Slack does not tell Tidings whether people of another organisation are in this conversation';
