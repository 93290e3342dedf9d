/** What the buttons of a message are about. A block id is a claim: an event counts only if the place gets it by the subscription. */

import { readBlockId } from '../../adapters/channels/slack/message-buttons.ts';
import { printQuery, type QueryCondition, QueryError } from '../../core/filters/query.ts';
import { parseQuery } from '../../core/filters/query-parse.ts';
import { isDeliveryOf } from '../../core/model/delivery.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { PressedExclusion, Subscription } from '../../core/model/subscription.ts';
import { traitsOf } from '../../core/ports/channel.ts';
import { type Membership, readMembership } from './authority.ts';
import { code } from './blocks.ts';
import { compileChannelQuery } from './draft.ts';
import { createPlaceFilter, findReadersOfEach } from './personal-messages.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';
import { findNamed, isOfChannel, isPostingTo, type NamedPlace } from './subscriptions-of-channel.ts';

export interface Pressed {
  readonly event: TidingsEvent;
  readonly subscription: Subscription;
  /** The channel of the message. */
  readonly named: NamedPlace & Pick<Membership, 'standing'>;
  /** Whose message it was, if each person gets their own. @default - that of all in the channel */
  readonly person?: string;
}

export const ENDED = 'The subscription of this message has ended.';

/** Answers and returns undefined if the message is too old, or is not one of this channel. */
export async function findPressed(ports: SlackPorts, running: RunningTask): Promise<Pressed | undefined> {
  const { place, args } = running.task;
  const reference = readBlockId(args.block ?? '');
  if (reference === undefined) return refuse(ports, running, TOO_OLD);
  const subscription = await findNamed(ports, reference.subscription);
  if (subscription === undefined) return refuse(ports, running, ENDED);
  // A message may be in a thread of a subscription that posts to the channel.
  const named = { ...place, ...(await readMembership(ports, place)), thread: undefined };
  if (!isOfChannel(subscription, place.channel) && !(await isPostingTo(ports, subscription, named)))
    return refuse(ports, running, `${code(subscription.name)} does not post here: nothing was changed.`);
  const event = await ports.events.get(reference.event);
  const gets = await createPlaceFilter(ports, named, [subscription, ...withoutExclusions(ports, subscription)]);
  // The same answer: guessed ids reveal nothing.
  if (event === undefined || !(await gets(event))) return refuse(ports, running, TOO_OLD);
  return { event, subscription, named, ...(reference.person === undefined ? {} : { person: reference.person }) };
}

const TOO_OLD = 'This message is too old: its event is no longer stored, or its subscription has changed since.';

async function refuse(ports: SlackPorts, running: RunningTask, text: string): Promise<undefined> {
  await replyTo(ports, running, { text });
  return undefined;
}

/**
 * The subscription before presses of Fewer like this, whose messages keep their buttons. None if nobody has pressed it, or its filter
 * was changed to one that no query expresses.
 */
function withoutExclusions(ports: SlackPorts, subscription: Subscription): readonly Subscription[] {
  const { where: _, ...rest } = subscription;
  const text = subscription.madeBy?.query;
  const pressed = exclusionsOf(subscription).map(({ condition }) => condition);
  if (text === undefined || pressed.length === 0) return [];
  try {
    const query = parseQuery(text);
    const conditions = query.conditions.filter((one) => !pressed.includes(printCondition(one)));
    const { where } = compileChannelQuery(ports, printQuery({ ...query, conditions }));
    return [{ ...rest, ...(where && { where }) }];
  } catch (error) {
    // The config no longer has an event type of the query.
    if (error instanceof QueryError) return [];
    throw error;
  }
}

export const exclusionsOf = ({ madeBy }: Subscription): readonly PressedExclusion[] => madeBy?.exclusions ?? [];

export const printCondition = (condition: QueryCondition) => printQuery({ events: [], conditions: [condition] });

/**
 * Whose messages a snooze concerns; undefined: those of the whole channel. Null: it is not known whose message this is, or it is
 * not one of the person who pressed.
 */
export async function findSnoozer(
  ports: SlackPorts,
  { event, subscription, named, person }: Pressed,
): Promise<string | undefined | null> {
  const { name, to } = subscription;
  if (traitsOf(ports.channels, to).personal?.(to.settings) === undefined) return undefined;
  const snoozer = person ?? (await findOnlyReader(ports, event, subscription));
  const readers = (await findReadersOfEach(ports, named, [subscription])).get(name);
  return snoozer !== undefined && readers?.has(snoozer) === true ? snoozer : null;
}

/** Messages of earlier versions do not name their reader. */
async function findOnlyReader({ deliveries }: SlackPorts, event: TidingsEvent, subscription: Subscription) {
  const ofName = await deliveries.listByEvent(event.id, [subscription.name]);
  const own = ofName.filter((one) => isDeliveryOf(subscription, one));
  const readers = [...new Set(own.flatMap((one) => one.person ?? []))];
  return readers.length === 1 ? readers[0] : undefined;
}
