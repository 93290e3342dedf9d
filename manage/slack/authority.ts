/**
 * Who may do what. Tidings reads with one token that may see everything, and anybody can type a command: so a channel may
 * subscribe only to what the config offers, and anything else needs an admin.
 */

import { compileGlob } from '../../core/filters/match.ts';
import { UsageError } from '../../core/model/errors.ts';
import { jsonObjectOf } from '../../core/model/json.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { slackOwner } from '../../core/model/subscription.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';

/** Whether every type that these patterns stand for is offered to all channels. */
export function isOffered({ config }: Pick<SlackPorts, 'config'>, events: readonly string[]): boolean {
  // The stars of a pattern are matched by stars alone: whatever it stands for, the offered pattern stands for too.
  return events.every((glob) => config.slack.offer.some((offered) => compileGlob(offered)(glob)));
}

export const isAdmin = ({ config }: Pick<SlackPorts, 'config'>, user: string) => config.slack.admins.includes(user);

/** What is special about a channel and the person who typed the command. */
export interface Membership {
  /** `#finance`, without the hash; the name of the person for a direct message. */
  readonly channelName: string;
  readonly userName: string;
  /** The channel is shared with another organisation. */
  readonly isShared: boolean;
  readonly isGuest: boolean;
  /** The bot cannot read or write in the channel. */
  readonly isOutside: boolean;
}

export async function readMembership({ slack }: Pick<SlackPorts, 'slack'>, place: Standable): Promise<Membership> {
  const { channel, user } = place;
  // A direct message is neither shared nor named, and reading it would need one more scope.
  const isDirect = /^[DUW]/.test(channel);
  const [info, person] = await Promise.all([
    isDirect ? undefined : slack.call('conversations.info', { channel }),
    slack.call('users.info', { user }),
  ]);
  const conversation = info?.ok === true ? jsonObjectOf(info.body.channel) : {};
  const member = person.ok ? jsonObjectOf(person.body.user) : {};
  const userName = String(member.name ?? place.userName);
  return {
    channelName: isDirect ? userName : String(conversation.name ?? place.channelName),
    userName,
    isShared: conversation.is_ext_shared === true || conversation.is_pending_ext_shared === true,
    // Unknown people are treated like guests: the app was removed, or a stranger of a shared channel asks.
    isGuest: !person.ok || member.is_restricted === true || member.is_ultra_restricted === true || isStranger(member),
    isOutside: !isDirect && conversation.is_member !== true,
  };
}

type Standable = Pick<SlackPlace, 'channel' | 'user' | 'userName' | 'channelName'>;

const isStranger = (member: { readonly is_stranger?: unknown; readonly deleted?: unknown }) =>
  member.is_stranger === true || member.deleted === true;

/** Why the request needs an admin; undefined if it does not. */
export function findObjection(
  ports: Pick<SlackPorts, 'config'>,
  events: readonly string[],
  { isShared, isGuest }: Membership,
  user: string,
): string | undefined {
  if (isAdmin(ports, user)) return undefined;
  if (isGuest) return 'guests may not subscribe channels';
  if (isShared) return 'people of another organisation are in this channel';
  if (!isOffered(ports, events)) {
    const { offer } = ports.config.slack;
    return offer.length === 0 ? 'no event types are offered' : `only ${offer.join(', ')} may be subscribed to freely`;
  }
  return undefined;
}

/** Whether the subscription was made in this channel. */
export const isOfChannel = ({ owner, declared }: Subscription, channel: string) =>
  !declared && owner === slackOwner(channel);

/** Throws for a subscription that was not made in this channel. */
export function assertOfChannel(subscription: Subscription, channel: string): void {
  if (isOfChannel(subscription, channel)) return;
  const message = `subscription '${subscription.name}' is of another channel`;
  throw new UsageError('TIDINGS_SLACK_OTHER_CHANNEL', message);
}

/** The subscriptions that this channel made, sorted by name. In a thread those of the thread, else those of the channel. */
export async function findOwn(
  { subscriptions }: Pick<SlackPorts, 'subscriptions'>,
  { channel, thread }: Pick<SlackPlace, 'channel' | 'thread'>,
): Promise<readonly Subscription[]> {
  const own = (await subscriptions.list()).filter((one) => isOfChannel(one, channel));
  return thread === undefined ? own : own.filter((one) => threadOf(one) === thread);
}

export function threadOf({ to }: Subscription): string | undefined {
  return (to.settings as { readonly thread?: string }).thread;
}

/** Subscriptions of the config that post to this channel. */
export async function findDeclared(
  { subscriptions }: Pick<SlackPorts, 'subscriptions'>,
  { channel, channelName }: Pick<SlackPlace, 'channel' | 'channelName'>,
): Promise<readonly Subscription[]> {
  const names = [channel, ...(channelName === '' ? [] : [`#${channelName}`, channelName])];
  return (await subscriptions.list()).filter(({ to, declared }) => {
    const settings = to.settings as { readonly channel?: string };
    return declared && to.channel === 'slack' && settings.channel !== undefined && names.includes(settings.channel);
  });
}
