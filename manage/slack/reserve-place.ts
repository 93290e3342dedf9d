/**
 * How many subscriptions a channel or a person may have without an admin. Whoever makes one reserves its place before anything is said or
 * stored, so that many presses at the same time, in several processes, make no more than that.
 */

import type { Subscription } from '../../core/model/subscription.ts';
import { MINUTE, plus } from '../../core/model/time.ts';
import { type EntryList, enterLimited, type LimitedEntry, removeLimited } from './limited-entries.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';
import { isOfChannel } from './subscriptions-of-channel.ts';

/** More than a channel reads. Each takes part in the matching of every event. */
const MAX_OWN_SUBSCRIPTIONS = 100;

/** Longer than its work is tried again. */
const RESERVED_FOR = 30 * MINUTE;

/** A subscription that is to be made. */
export interface WantedPlace {
  /** The draft: a process that ended may have made it already. */
  readonly id: string;
  readonly place: Pick<SlackPlace, 'channel' | 'user'>;
}

/** Those that have a limit together. */
interface LimitedGroup {
  readonly list: EntryList;
  readonly isOwn: (one: Subscription) => boolean;
  readonly objection: string;
}

const groupsOf = ({ channel, user }: WantedPlace['place']): readonly LimitedGroup[] => [
  {
    list: ['slack-making', `channel ${channel}`],
    isOwn: (one) => isOfChannel(one, channel),
    objection: `this channel has ${MAX_OWN_SUBSCRIPTIONS} subscriptions already`,
  },
  {
    list: ['slack-making', `person ${user}`],
    isOwn: ({ declared, madeBy }) => !declared && madeBy?.id === user,
    objection: `one person may make ${MAX_OWN_SUBSCRIPTIONS} subscriptions`,
  },
];

/** Why it is too many as far as is known now. Reserves nothing. */
export async function listNumberObjections(
  { subscriptions }: Pick<SlackPorts, 'subscriptions'>,
  { id, place }: WantedPlace,
): Promise<readonly string[]> {
  const all = await subscriptions.list();
  return groupsOf(place).flatMap((group) => (isFull(group, all, id) ? [group.objection] : []));
}

/** @param reserved the places of others that may be made before it. @default - none */
function isFull(
  { isOwn }: LimitedGroup,
  all: readonly Subscription[],
  id: string,
  reserved: readonly LimitedEntry[] = [],
) {
  const own = all.filter((one) => isOwn(one) && one.madeBy?.request !== id);
  const made = new Set(own.map(({ madeBy }) => madeBy?.request));
  return own.length + reserved.filter((one) => !made.has(one.id)).length >= MAX_OWN_SUBSCRIPTIONS;
}

/** Returns why it is too many; then nothing is reserved. Repeating it has no effect. */
export async function reservePlaces(
  ports: Pick<SlackPorts, 'subscriptions' | 'documents' | 'clock'>,
  wanted: WantedPlace,
): Promise<readonly string[]> {
  const { id, place } = wanted;
  const until = plus(ports.clock.now(), RESERVED_FOR);
  const groups = groupsOf(place);
  const reserved = new Map<LimitedGroup, readonly LimitedEntry[]>();
  for (const group of groups) reserved.set(group, await enterLimited(ports, group.list, { id, until }));
  // After the places were entered: of two presses, one finds the other here or there.
  const all = await ports.subscriptions.list(true);
  if (all.some(({ madeBy }) => madeBy?.request === id)) return [];
  const full = groups.filter((group) => isFull(group, all, id, reserved.get(group)));
  if (full.length > 0) await releasePlaces(ports, wanted);
  return full.map(({ objection }) => objection);
}

/** After it is stored, or nothing was made. */
export async function releasePlaces(
  ports: Pick<SlackPorts, 'documents' | 'clock'>,
  { id, place }: WantedPlace,
): Promise<void> {
  for (const { list } of groupsOf(place)) await removeLimited(ports, list, id);
}
